"""A page of every kind in Chromium, with hostile and long names: no error, nothing loaded, readable, and walked by keys"""

from pathlib import Path

import pytest

from schedcheck.report.html.page import page
from tests.schedcheck.report.html.browser import Browser
from tests.schedcheck.report.html.test_large import FAINT, nameless
from tests.schedcheck.report.html.test_pages import ANSWERS, HOSTILE, answered, hostile

END = f"{HOSTILE}-ポッド-😀-" + "x" * 200
AT = """(() => { const at = document.activeElement, box = at.getBoundingClientRect();
return at === document.body ? '' : [[...document.querySelectorAll('*')].indexOf(at), box.width * box.height > 0, box.top < innerHeight && box.bottom > 0].join(' '); })()"""
"""The number of the focused element in the page, whether it has a size, and whether it is in the window."""
SAME = {"gang", "pod group", "diff of states", "drain in turn", "fail of any", "nodes needed", "nodes to spare", "smallest difference", "victims selected"}  # fmt: skip
"""The answers whose pages have the templates of others."""
REACHABLE = "[...document.querySelectorAll('a[href], button, summary, [tabindex=\"0\"]')].filter((each) => each.checkVisibility()).length"


@pytest.mark.parametrize("kind", sorted(ANSWERS.keys() - SAME))
def test_a_page_with_hostile_and_long_names_is_readable_and_loads_nothing(
    browser: Browser, tmp_path: Path, kind: str
) -> None:
    told, name = answered(kind)
    (tmp_path / "page.html").write_text(page(hostile(told, end=END), name), encoding="utf-8")
    browser.open(f"file://{tmp_path}/page.html")
    for width, scheme, media in ((1600, "light", ""), (800, "light", "print"), (400, "dark", "")):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        browser.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        assert browser.value("document.documentElement.scrollWidth <= innerWidth"), (width, media)
    assert browser.value(FAINT) == []
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    assert nameless(browser) == []
    assert browser.value("document.querySelectorAll('script').length") == 2
    assert browser.problems == []


@pytest.mark.parametrize("kind", ["explain selected", "compare", "simulate"])
def test_keys_reach_everything_on_a_page(browser: Browser, tmp_path: Path, kind: str) -> None:
    (tmp_path / "page.html").write_text(page(*answered(kind)), encoding="utf-8")
    browser.open(f"file://{tmp_path}/page.html")
    walk: list[str] = []
    while (browser.press("Tab"), at := browser.value(AT))[1] and at not in walk:
        walk.append(at)
    assert all(each.endswith("true true") for each in walk[1:]), walk
    assert len(walk) == browser.value(REACHABLE)
    assert browser.problems == []

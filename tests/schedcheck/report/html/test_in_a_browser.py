"""A page in Chromium: no error, nothing loaded, and steps by keys, buttons and fragments; skipped without a browser"""

from pathlib import Path

import pytest

from schedcheck.cli import main
from tests.schedcheck.report.html.browser import Browser

ROOT = Path(__file__).parents[4]
SHOWN = "[...document.querySelectorAll('.step')].filter((each) => each.offsetParent).map((each) => each.id)"
SAID = "document.querySelector('.now').textContent"


@pytest.fixture
def address(tmp_path: Path) -> str:
    main(["check", str(ROOT / "examples" / "budget-broken"), "--html", str(tmp_path / "page.html")])
    return f"file://{tmp_path}/page.html"


def test_keys_walk_through_the_steps(browser: Browser, address: str) -> None:
    browser.open(address)
    assert (browser.value(SHOWN), browser.value(SAID)) == (["step-0"], "Step 0 of 3: the initial state")
    walk = {
        "ArrowRight": ["step-1"], "End": ["step-3"], "ArrowLeft": ["step-2"], "Home": ["step-0"],
    }  # fmt: skip
    for key, shown in walk.items():
        browser.press(key)
        assert browser.value(SHOWN) == shown
        assert browser.value("location.hash") == f"#{shown[0]}"
    browser.press("ArrowLeft")
    assert browser.value(SHOWN) == ["step-0"]
    assert browser.problems == []


def test_a_fragment_shows_its_step_and_buttons_and_links_go_on(browser: Browser, address: str) -> None:
    browser.open(f"{address}#step-2")
    assert browser.value(SHOWN) == ["step-2"]
    browser.value("document.querySelector('[data-go=on]').focus()")
    browser.press("Enter")
    assert browser.value(SAID) == "Step 3 of 3: Evict(web-0)"
    browser.value("document.querySelector('.list a').click()")
    assert browser.value(SHOWN) == ["step-0"]
    browser.value("document.querySelector('[data-go=all]').click()")
    assert browser.value(SHOWN) == ["step-0", "step-1", "step-2", "step-3"]
    assert browser.problems == []


def test_the_answer_is_shown_as_json(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.value("document.getElementById('data').open = true")
    browser.until("document.querySelector('#data pre').textContent !== ''")
    assert browser.value("JSON.parse(document.querySelector('#data pre').textContent).verdict") == "violated"
    assert browser.problems == []


def test_a_key_opens_and_folds_the_tables_of_decisions(browser: Browser, address: str) -> None:
    browser.open(f"{address}#step-2")
    opened = "[...document.querySelectorAll('.decision')].map((each) => each.open)"
    assert browser.value(opened) == [True]
    browser.press("t")
    assert browser.value(opened) == [False]
    browser.press("t")
    assert browser.value(opened) == [True]
    assert browser.problems == []


def test_a_state_of_the_graph_leads_to_its_words(browser: Browser, address: str) -> None:
    browser.open(address)
    browser.value("document.querySelector('.graph a[href=\"#state-8\"]').focus()")
    browser.press("Enter")
    browser.until("location.hash === '#state-8'")
    assert browser.value("document.querySelector('tr:target th').textContent.trim().startsWith('8')") is True
    assert browser.value("document.querySelectorAll('.graph .line.way').length") == 3
    assert browser.problems == []


def test_print_unfolds_everything_and_what_was_folded_is_so_again(browser: Browser, address: str) -> None:
    browser.open(address)
    folded = "[...document.querySelectorAll('main details')].filter((each) => !each.open).length"
    before = browser.value(folded)
    assert before > 0
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value(folded) == 0
    browser.value("dispatchEvent(new Event('afterprint'))")
    assert browser.value(folded) == before
    browser.ask(
        "Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}]
    )
    assert browser.value(SHOWN) == ["step-0", "step-1", "step-2", "step-3"]
    assert browser.value("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert browser.value("getComputedStyle(document.documentElement).color") == "rgb(0, 0, 0)"
    assert browser.value("getComputedStyle(document.querySelector('.pod')).backgroundColor") == "rgb(207, 226, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    assert browser.problems == []

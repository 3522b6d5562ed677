"""Pages of 300 nodes: pools fold, every name is there, and in a browser they are readable in light, dark and print"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api.answer import Answer
from schedcheck.report.html.folding import MOST_NAMED, beyond, keyed_pools, pools, several
from schedcheck.report.html.plain import LONG
from tests.schedcheck.report.html.browser import Browser
from tests.schedcheck.report.html.read import Element, read

NODES = [f"ip-10-0-{number // 100}-{number % 100:02}.example.internal" for number in range(300)]


def test_a_sentence_names_few_and_counts_the_rest() -> None:
    assert several([]) == "" and several(["a", "b"]) == "a and b"
    assert several(list("abcdef")[:MOST_NAMED]) == "a, b, c, d, e and f"
    assert several(list("abcdefg")) == "a, b, c, d, e and 2 more"


def test_equal_rows_are_a_pool_if_there_are_many() -> None:
    few = [{"node": f"n{number}", "free": 1} for number in range(LONG)]
    assert [each.names for each in pools(few, "node")] == [(row["node"],) for row in few]
    many = [*few, {"node": "other", "free": 2}, {"node": "last", "free": 1}]
    first, second = pools(many, "node")
    assert (len(first.names), first.names[-1], second.names) == (LONG + 1, "last", ("other",))
    assert [each.names for each in pools(many, None)] == [()] * len(many)
    assert len(pools([*many, {"node": {"name": "x"}}], "node")) == len(many) + 1, "not all have a name"
    assert [each.row for each in keyed_pools({row["node"]: {"free": row["free"]} for row in many})] == [{"free": 1}, {"free": 2}]  # fmt: skip


def test_rows_beyond_those_that_are_shown_are_counted() -> None:
    assert beyond([0] * LONG, "row") == ""
    assert beyond([0] * (LONG + 1), "entry", "entries") == "and 1 more entry"
    assert beyond([0] * (LONG + 2), "entry", "entries") == "and 2 more entries"


def node(number: int) -> dict[str, Any]:
    """A node of one of three pools: with room, full, or tainted."""
    pool = number % 3
    taints = [{"key": "gpu", "value": "true", "effect": "NoSchedule"}] if pool == 2 else []
    status = {"allocatable": {"cpu": "4" if pool else "16", "memory": "8Gi", "pods": "110"}}
    labels = {"kubernetes.io/hostname": NODES[number]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODES[number], "labels": labels}, "spec": {"taints": taints}, "status": status}  # fmt: skip


def pod(name: str, cpu: str, priority: int, on: str = "") -> dict[str, Any]:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "priority": priority, **({"nodeName": on} if on else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name[:3]}}, "spec": spec}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Answer]:
    """The answers about a pod that fits on a pool, and about one that fits nowhere and may preempt on it."""
    bound = [pod(f"web-{number:03}", "3", 0, NODES[number]) for number in range(300)]
    items = [*map(node, range(300)), *bound, pod("small", "2", 100), pod("large", "14", 100)]
    file = tmp_path_factory.mktemp("large") / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    cluster = schedcheck.read(file)
    return {
        "explain": schedcheck.explain(cluster, "small"),
        "preempting": schedcheck.explain(cluster, "large"),
        "victims": schedcheck.victims(cluster, "large"),
        "selected": schedcheck.explain_selected(cluster, "app=sma"),
        "drain": schedcheck.drain(cluster, NODES[:3]),
    }


def rows(tree: Element, heading: str) -> list[Element]:
    """The rows of the first table of a section, without those that are folded after it."""
    (section,) = (each for each in tree.all("section") if [head.text for head in each.all("h2")] == [heading])
    return [*next(iter(section.all("tbody"))).all("tr")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "heading", "most"), [("explain", "Nodes", 3), ("explain", "Scores", 1), ("preempting", "Nodes", 3), ("preempting", "Preemption", LONG), ("victims", "Victims", LONG)])  # fmt: skip
def test_pools_are_few_rows(answers: dict[str, Answer], name: str, heading: str, most: int) -> None:
    tree = read(answers[name].to_html())
    assert 0 < len(rows(tree, heading)) <= most
    (lead,) = tree.all("section", "lead")
    assert len(lead.text) < 700
    if heading == "Nodes":
        assert all(each in tree.text for each in NODES)


def test_victims_say_what_is_evicted_and_where_nothing_helps(answers: dict[str, Answer]) -> None:
    tree = read(answers["victims"].to_html())
    shown = rows(tree, "Victims")
    assert all("web-" in each.text and "least casualty" in each.text for each in shown)
    (helpless,) = rows(tree, "Nodes on which no eviction is known to help")[:1]
    assert "more" in helpless.text and "refuses" in helpless.text


NAMELESS = (
    "button",
    "link",
    "region",
    "navigation",
    "img",
    "heading",
    "columnheader",
    "rowheader",
    "DisclosureTriangle",
)
"""The roles that a screen reader tells by their names."""


def nameless(browser: Browser) -> list[str]:
    """The roles of what a screen reader would tell without a name."""
    nodes = browser.ask("Accessibility.getFullAXTree")["nodes"]
    told = [each for each in nodes if not each.get("ignored") and each.get("role", {}).get("value") in NAMELESS]
    assert told
    return [each["role"]["value"] for each in told if not each.get("name", {}).get("value", "").strip()]


FAINT = """[...document.querySelectorAll('main *')].filter((each) => each.checkVisibility() && [...each.childNodes].some((one) => one.nodeType === 3 && one.data.trim())).filter((each) => {
  const bright = (colour) => { const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((one) => { const x = one / 255; return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }); return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]; };
  let under = each;
  while (under && /, 0\\)$|transparent/.test(getComputedStyle(under).backgroundColor)) under = under.parentElement;
  const [one, other] = [getComputedStyle(each).color, getComputedStyle(under || document.documentElement).backgroundColor].map(bright);
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5 && !each.closest('[aria-disabled=true]');
}).map((each) => each.textContent.trim().slice(0, 40))"""
"""The texts whose contrast is below 4.5, the least for text in WCAG 2.2 AA."""


@pytest.mark.parametrize("name", ["explain", "preempting", "victims", "drain"])
def test_a_large_page_is_readable_everywhere(browser: Browser, answers: dict[str, Answer], tmp_path: Path, name: str) -> None:  # fmt: skip
    (tmp_path / "page.html").write_text(answers[name].to_html(), encoding="utf-8")
    for width, scheme, media in ((1200, "light", ""), (1200, "dark", ""), (390, "dark", ""), (800, "light", "print")):
        browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        browser.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])  # fmt: skip
        browser.open(f"file://{tmp_path}/page.html")
        assert browser.value("document.documentElement.scrollWidth <= innerWidth"), (width, media)
        assert browser.value(FAINT) == [], (scheme, media)
        assert nameless(browser) == []
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    assert browser.value("document.body.scrollHeight") < 6000
    assert browser.problems == []


def test_faint_and_nameless_elements_are_noticed(browser: Browser, tmp_path: Path) -> None:
    text = '<!doctype html><main style="background: #fff"><p style="color: #999">faint</p><p>plain</p><button></button></main>'
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    browser.ask("Emulation.setEmulatedMedia", media="", features=[])
    browser.open(f"file://{tmp_path}/page.html")
    assert browser.value(FAINT) == ["faint"]
    assert nameless(browser) == ["button"]


def test_a_pool_is_opened_by_keys(browser: Browser, answers: dict[str, Answer], tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(answers["explain"].to_html(), encoding="utf-8")
    browser.open(f"file://{tmp_path}/page.html")
    for _ in range(6):
        browser.press("Tab")
        if browser.value("document.activeElement.tagName === 'SUMMARY'"):
            break
    assert browser.value("document.activeElement.tagName") == "SUMMARY"
    browser.press("Enter")
    assert browser.value("document.activeElement.parentElement.open") is True
    assert browser.problems == []

"""Every answer has a page: verdict first, whole without a script, and nothing of it comes from elsewhere"""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main
from schedcheck.report.html.leads import LEADS
from schedcheck.report.html.page import PAGES, page
from schedcheck.report.html.timeline import timeline
from tests.schedcheck.report.html.read import Element, read

ROOT = Path(__file__).parents[4]
EXAMPLES = ROOT / "examples"

COMMANDS = {
    "check": ("examples/budget-broken",),
    "explain": ("platform", "examples/least-casualty", "--profile", "kubernetes"),
    "victims": ("platform", "examples/least-casualty", "--all"),
    "optimum": ("examples/multi-step",),
    "drain": ("n2,n3", "examples/drain"),
    "fail": ("--each", "topology.kubernetes.io/zone", "examples/zone-lost"),
    "capacity": ("deploy/api", "examples/capacity"),
    "deploy": ("examples/deploy/web-2.yaml", "--onto", "examples/deploy/cluster.yaml"),
    "compare": ("--config", "examples/compare/most-allocated.yaml", "examples/compare/cluster.yaml"),
    "simulate": ("examples/simulate/cluster.yaml", "--until", "60s", "--runs", "1"),
    "diff": ("--profile", "kubernetes", "examples/least-casualty"),
    "replay": ("examples/replay/trace.jsonl", "--onto", "examples/replay/cluster.json"),
    "induct": ("examples/budget-broken",),
}
OTHERS = [
    ("check", "examples/gpu-small"),
    ("check", "examples/descheduler-duplicates"),
    ("check", "--pod", "batch/import-6xhfs", "examples/dump"),
    ("explain", "web", "examples/compare/cluster.yaml"),
    ("explain", "-l", "app=web", "-n", "shop", "examples/dump"),
    ("drain", "n2,n3", "examples/drain", "--in-turn"),
    ("fail", "--any", "1", "examples/drain"),
    ("capacity", "examples/dump", "--nodes", "cpu=8,memory=16Gi"),
    ("capacity", "--empty", "examples/dump"),
    ("capacity", "-l", "app=web", "-n", "shop", "examples/dump"),
    ("compare", "--config", "examples/compare/most-allocated.yaml", "--smallest"),
    ("diff", "--explore", "examples/plugins/cluster", "--max-states", "50"),
    ("diff", "--scheduler", "python3 examples/schedulers/scheduler.py", "examples/compare/cluster.yaml"),
    ("check", "--scheduler", "python3 examples/schedulers/scheduler.py", "examples/compare/cluster.yaml"),
]
ALL = [*((name, *rest) for name, rest in COMMANDS.items()), *OTHERS]


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def written(tmp_path: Path, *argv: str) -> Element:
    main([*argv, "--html", str(tmp_path / "page.html")])
    return read((tmp_path / "page.html").read_text(encoding="utf-8"))


def sound(tree: Element) -> None:
    """What holds of every page."""
    assert len([*tree.all("h1")]) == 1
    levels = [int(each.tag[1]) for each in tree.all() if re.fullmatch("h[1-6]", each.tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all(each.attributes.get("scope") in ("col", "row") for each in tree.all("th"))
    ids = [each.attributes["id"] for each in tree.all() if "id" in each.attributes]
    assert len(ids) == len(set(ids))
    assert all(each.attributes.get("aria-label") or each.text for each in tree.all("button"))
    for each in tree.all():
        assert each.tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in each.attributes and not [name for name in each.attributes if name.startswith("on")]
        assert each.attributes.get("href", "#").startswith("#")
        if each.attributes.get("href"):
            assert each.attributes["href"][1:] in ids
    (style,) = tree.all("style")
    assert "url(" not in style.text and "@import" not in style.text
    policy = next(each.attributes["content"] for each in tree.all("meta") if "http-equiv" in each.attributes)
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("argv", ALL, ids=" ".join)
def test_a_page_says_the_verdict_first_and_loads_nothing(argv: tuple[str, ...], tmp_path: Path) -> None:
    tree = written(tmp_path, *argv)
    sound(tree)
    (main_part,) = tree.all("main")
    lead = main_part.children[0]
    (verdict,) = lead.all("p", "verdict")
    assert verdict.text
    assert lead.text != verdict.text, "no sentence"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_text_and_the_exit_code_stay_the_same(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_times(text: str) -> str:
        return re.sub(
            r"[\d.,]+ (s|seconds|generated/s|generated states/s|states/s)|, [\d,]+ generate\S*",
            "",
            " ".join(text.split()),
        )

    code = main([name, *COMMANDS[name]])
    text = capsys.readouterr().out
    assert main([name, *COMMANDS[name], "--html", str(tmp_path / "page.html")]) == code
    assert without_times(capsys.readouterr().out) == without_times(text)


def test_every_answer_that_has_a_lead_has_a_page_and_exists() -> None:
    import importlib
    import pkgutil

    from schedcheck import api
    from schedcheck.api.answer import Answer

    modules = [importlib.import_module(f"schedcheck.api.{each.name}") for each in pkgutil.iter_modules(api.__path__)]
    answers = {
        name
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, type) and issubclass(each, Answer)
    }
    assert set(PAGES) <= set(LEADS) <= answers


def test_a_check_shows_every_step_without_a_script(tmp_path: Path) -> None:
    tree = written(tmp_path, "check", "examples/budget-broken")
    steps = [*tree.all("section", "step")]
    assert [step.attributes["id"] for step in steps] == ["step-0", "step-1", "step-2", "step-3"]
    assert not [each for step in steps for each in [step, *step.all()] if "hidden" in each.attributes]
    preempted = steps[2]
    node_1, node_2 = [each for each in preempted.all("tr") if each.attributes.get("role") == "row"][1:]
    assert [each.text for each in node_1.all("li", "pod")] == ["web-0", "web-1"]
    assert [each.text for each in node_1.all("div", "bar")] == ["cpu 2 / 2", "memory 0 / 8Gi", "pods 2 / 110"]
    (gone,) = node_2.all("li", "ghost")
    assert gone.text == "web-2 evicted" and "changed" in gone.attributes["class"].split()
    assert [each.text for each in preempted.all("div", "pending")] == ["Pending urgent"]
    assert [each.text for each in steps[3].all("p", "claim")] == [
        "Violated: No eviction takes a pod that the budget web cannot spare."
    ]
    (status,) = tree.all("p", "now")
    assert status.attributes["aria-live"] == "polite"


def test_a_behaviour_that_repeats_is_marked(tmp_path: Path) -> None:
    tree = written(tmp_path, "check", "examples/descheduler-duplicates")
    steps = [*tree.all("section", "step")]
    assert ["repeats" in step.attributes["class"].split() for step in steps] == [False, False, True, True, True, True]
    assert [link.attributes["href"] for loop in steps[-1].all("p", "loop") for link in loop.all("a")] == ["#step-2"]


def test_traces_of_several_violations_have_ids_of_their_own(tmp_path: Path) -> None:
    tree = written(tmp_path, "drain", "n2,n3", "examples/drain")
    assert [each.attributes["data-prefix"] for each in tree.all("div", "player")] == ["", "trace-2-"]


HOSTILE = "\"'><script>alert(1)</script></ScRiPt></script x><!--<img src=http://x onerror=alert(1)>{{7*7}}"


MAPS = {
    "labels",
    "annotations",
    "matchLabels",
    "nodeSelector",
    "requests",
    "limits",
    "allocatable",
    "capacity",
    "amounts",
    "statuses",
    "placement",
}
"""The maps whose keys come from manifests."""


def hostile(value: Any, inside: str = "", end: str = HOSTILE) -> Any:
    """The answer with this end of every name and text, and of every key of maps of the input."""
    if isinstance(value, dict):
        return {
            key + (end if inside in MAPS else ""): hostile(each, key, end)
            if key not in ("kind", "verdict", "phase")
            else each
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [hostile(each, end=end) for each in value]
    return value + end if isinstance(value, str) else value


def cluster(example: str) -> schedcheck.Cluster:
    return schedcheck.read(EXAMPLES / example)


def check(example: str) -> Any:
    return schedcheck.check(cluster(example))


def explained() -> Any:
    return schedcheck.explain(cluster("least-casualty"), "platform", profile="kubernetes")


def drained(in_turn: bool) -> Any:
    return schedcheck.drain(cluster("drain"), ["n2", "n3"], in_turn=in_turn)


def deployed() -> Any:
    return schedcheck.deploy(EXAMPLES / "deploy" / "release.yaml", onto=EXAMPLES / "deploy" / "cluster.yaml")


def compared() -> Any:
    return schedcheck.compare(cluster("compare/cluster.yaml"), schedcheck.kubernetes(), other_scores())


def other_scores() -> schedcheck.Profile:
    return schedcheck.kubernetes(config=EXAMPLES / "compare" / "most-allocated.yaml")


def selected(ask: Callable[..., Any]) -> Any:
    """The answers for the pods of one workload; the question has the limits that are left."""
    found = cluster("dump")
    return schedcheck.each_selected(
        found, "app=web", lambda pod, limits: ask(found, pod, limits=limits), namespace="shop"
    )


ANSWERS: dict[str, Callable[[], Any]] = {
    "check": lambda: check("budget-broken"),
    "gang": lambda: check("gang-deadlock"),
    "pod group": lambda: check("pod-groups"),
    "explain": explained,
    "victims": lambda: schedcheck.victims(cluster("least-casualty"), "platform"),
    "optimum": lambda: schedcheck.optimum(cluster("multi-step")),
    "drain": lambda: drained(False),
    "drain in turn": lambda: drained(True),
    "fail of any": lambda: schedcheck.fail(cluster("drain"), any=1),
    "fail": lambda: schedcheck.fail(cluster("zone-lost"), ["node-a"]),
    "deploy": deployed,
    "compare": compared,
    "capacity": lambda: schedcheck.capacity(cluster("capacity"), "deploy/api"),
    "replay": lambda: schedcheck.replay(EXAMPLES / "replay" / "trace.jsonl", onto=cluster("replay/cluster.json")),
    "simulate": lambda: schedcheck.simulate(
        cluster("simulate/cluster.yaml"), until=20, sample=schedcheck.Sample(runs=2)
    ),
    "diff": lambda: schedcheck.diff(cluster("least-casualty"), profile="kubernetes"),
    "diff of states": lambda: schedcheck.diff_explored(cluster("plugins/cluster"), limits=schedcheck.Limits(states=20)),
    "explain selected": lambda: schedcheck.explain_selected(cluster("dump"), "app=web", namespace="shop"),
    "victims selected": lambda: selected(schedcheck.victims),
    "capacity selected": lambda: selected(schedcheck.capacity),
    "nodes needed": lambda: schedcheck.nodes_needed(cluster("dump"), "cpu=8,memory=16Gi"),
    "nodes to spare": lambda: schedcheck.nodes_to_spare(cluster("dump")),
    "induct": lambda: schedcheck.induct(cluster("budget-broken")),
    "smallest difference": lambda: schedcheck.smallest_difference(schedcheck.kubernetes(), other_scores()),
}


@cache
def answered(kind: str) -> tuple[Any, str]:
    """The JSON of the page of an answer of this kind, and the class of the answer."""
    found = ANSWERS[kind]()
    return json.loads(json.dumps(found.detailed())), type(found).__name__


def test_every_class_with_a_page_is_tried() -> None:
    # Schedulers of others are run as programs; their pages are among ALL.
    assert {answered(kind)[1] for kind in ANSWERS} == set(PAGES) - {"SchedulerCheck", "SchedulerDifferences"}


@pytest.mark.parametrize("kind", ANSWERS)
def test_hostile_names_are_text(kind: str) -> None:
    told, name = answered(kind)
    answer = hostile(told)
    text = page(answer, name)
    tree = read(text)
    scripts = [*tree.all("script")]
    assert [each.attributes.get("type", "") for each in scripts] == ["application/json", ""]
    assert "<" not in str(scripts[0].parts[0]), "a browser ends a script at </script and a space"
    assert json.loads(str(scripts[0].parts[0])) == answer
    assert not [*tree.all("img")] and not [each for each in tree.all() if "onerror" in each.attributes]
    assert HOSTILE.split("<", maxsplit=1)[0] in tree.text and "alert(1)" in tree.text and "{{7*7}}" in tree.text


def test_a_decision_has_tables_with_names(tmp_path: Path) -> None:
    tree = written(tmp_path, "deploy", "examples/deploy/release.yaml", "--onto", "examples/deploy/cluster.yaml")
    sound(tree)
    steps = [*tree.all("section", "step")]
    tables = {number: [*step.all("details", "decision")] for number, step in enumerate(steps)}
    assert [number for number, found in tables.items() if found] == [4, 5, 6, 10]
    (bound,), (nominated,) = tables[4], tables[6]
    assert "open" not in bound.attributes, "the behaviour has more than eight steps"
    named = [each.attributes["aria-label"] for each in bound.all("div", "scroll")]
    assert named == ["Filters for api-0 at step 4", "Scores for api-0 at step 4"]
    assert all(each.attributes["tabindex"] == "0" for each in bound.all("div", "scroll"))
    assert "node-1 chosen" in bound.text and "node-2 also allowed" in bound.text and "Insufficient cpu" in bound.text
    assert "Candidates of preemption for api-2 at step 6" in [
        each.attributes["aria-label"] for each in nominated.all("div", "scroll")
    ]


def test_tables_of_a_short_behaviour_are_open(tmp_path: Path) -> None:
    tree = written(tmp_path, "check", "examples/budget-broken")
    assert [each.attributes.get("open") for each in tree.all("details", "decision")] == [""]


def of_many_nodes(number: int) -> dict[str, Any]:
    """A behaviour of two steps on many nodes, of which one changes."""

    def pod(name: str, node: str) -> dict[str, Any]:
        return {
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"nodeName": node},
            "status": {},
        }

    nodes = [{"kind": "Node", "metadata": {"name": f"n{each}"}} for each in range(number)]
    pods = [pod(f"p{each}", f"n{each % number}") for each in range(number * 20)]
    change = {"kind": "Pod", "namespace": "default", "name": "p7", "text": "p7: n7 -> gone", "after": None}
    trace = [
        {"step": 0, "action": None, "changes": []},
        {"step": 1, "action": {"kind": "Delete", "text": "Delete(p7)"}, "changes": [change]},
    ]
    amounts = {"nodes": {f"n{each}": {"pods": 110} for each in range(number)}, "pods": {}}
    return {"start": [*nodes, *pods], "amounts": amounts, "trace": trace, "loop": None}


def test_of_many_nodes_only_those_that_change_are_drawn_at_each_step() -> None:
    drawn = timeline(of_many_nodes(300))
    assert [[row.name for row in step.rows] for step in drawn.steps] == [["n7"], ["n7"]]
    assert len(drawn.folded) == 299
    first, second = (step.rows[0] for step in drawn.steps)
    assert [box.name for box in first.boxes][-1] == "p7" and (len(first.boxes), first.more) == (13, 7)
    assert [box.marks for box in second.boxes if box.ghost] == [("gone",)]
    few = timeline(of_many_nodes(8))
    assert len(few.steps[0].rows) == 8 and few.folded == ()


def test_where_many_nodes_change_each_step_draws_those_that_it_changes() -> None:
    shown = of_many_nodes(40)
    shown["trace"] += [
        {
            "step": 2 + each,
            "action": {"kind": "Delete", "text": "Delete"},
            "changes": [{"kind": "Pod", "namespace": "default", "name": f"p{each}", "text": "gone", "after": None}],
        }
        for each in range(40)
        if each != 7
    ]
    drawn = timeline(shown)
    assert len(drawn.steps[0].rows) == 8 and drawn.steps[0].others == 32
    assert [[row.name for row in step.rows] for step in drawn.steps[1:4]] == [["n7"], ["n0"], ["n1"]]
    assert {step.others for step in drawn.steps[1:]} == {39}


@pytest.mark.parametrize(("file", "said"), [("none/page.html", "its folder does not exist"), (".", "is a folder")])
def test_a_file_that_cannot_be_written_is_one_line(
    file: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "examples/budget-broken", "--html", str(tmp_path / file)]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(rf"schedcheck: --html: '.*': {said}\n", shown.err)


def test_without_jinja_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    assert main(["check", "examples/budget-broken", "--html", str(tmp_path / "page.html")]) == 3
    assert "pip install 'schedcheck[html]'" in capsys.readouterr().err


def test_an_unknown_answer_has_a_page(tmp_path: Path) -> None:
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "9223372036854775807", "pods": "9"}}}  # fmt: skip
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    file = tmp_path / "huge.json"
    file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, pod]}))
    assert main(["explain", "p", str(file), "--html", str(tmp_path / "page.html")]) == 2
    tree = read((tmp_path / "page.html").read_text(encoding="utf-8"))
    sound(tree)
    assert [each.text for each in tree.all("p", "verdict")] == ["unknown"]

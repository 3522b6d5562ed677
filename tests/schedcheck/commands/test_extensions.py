"""`--plugin`, `--rule` and installed plugins: what they load and enable, and errors in one line"""

import re
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from schedcheck.api import extensions as loading
from schedcheck.api.extensions import extensions
from schedcheck.cli import main
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS

ROOT = Path(__file__).parents[3]
CLUSTER = str(ROOT / "examples" / "plugins" / "cluster")
TEAMS, OWN_NODES = "examples.plugins.teams:Teams", "examples.plugins.team_rules:own_nodes"

MODULE = """
from examples.plugins.teams import Teams
from schedcheck.plugin import SUCCESS
from schedcheck.rule import always, filter, score

class Another(Teams):
    name = "Another"
class Same(Teams):
    pass
class Taken(Teams):
    name = "NodeName"
class Nothing:
    name = "Nothing"
class Half:
    name = "Half"
    def reserve(self, state, pod, node):
        return SUCCESS
class Bare:
    name = "Bare"
    def normalize(self, *given):
        return None
class Strict(Teams):
    def __init__(self, arguments, handle):
        self.most = arguments["most"]
class Raising(Teams):
    def score(self, state, pod, nodes):
        raise LookupError("two\\nlines")
class Deafening(Teams):
    def events(self):
        raise LookupError("no")
class Sorts:
    name = "Sorts"
    def __init__(self, arguments, handle):
        pass
    def less(self, left, right):
        return left.pod.name < right.pod.name
class Nameless:
    def __init__(self, arguments, handle):
        pass
def made(arguments, handle):
    return Another(arguments, handle)
def wants(arguments):
    return None
NUMBER = 3
def plain(pod, node, snapshot):
    return None
@filter("NodeName")
def of_kubernetes(pod, node, snapshot):
    return None
@filter("Nobody")
def of_nobody(pod, node, snapshot):
    return None
@filter("Teams")
def raises(pod, node, snapshot):
    return pod.nothing
@score("Teams")
def one(pod, node, snapshot):
    return 1
@score("Teams")
def two(pod, node, snapshot):
    return 2
@always
def quiet(snapshot):
    return True
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module of plugins and rules, most of them wrong, in the current folder."""
    (tmp_path / "strange.py").write_text(MODULE)
    (tmp_path / "broken.py").write_text("1 / 0")
    (tmp_path / "leaving.py").write_text("import sys; sys.exit(1)")
    (tmp_path / "empty.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield "strange"
    for name in ("strange", "broken", "leaving", "empty"):
        sys.modules.pop(name, None)


def line(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The line with which a command is refused, without the notes before it."""
    assert main([*arguments]) == 3
    output = capsys.readouterr()
    assert output.out == "" and "Traceback" not in output.err
    (said,) = (text for text in output.err.splitlines() if not text.startswith("schedcheck: note: "))
    return said.removeprefix("schedcheck: ")


WRONG_PLUGINS = {
    "strange": "expected package.module:name",
    "strange:": "expected package.module:name",
    "strange:a-b": "expected package.module:name",
    "../strange:Same": "expected package.module:name",
    "nowhere.at.all:Same": "there is no module nowhere",
    "broken:Same": "importing broken raised ZeroDivisionError: division by zero (broken.py:1)",
    "leaving:Same": "importing leaving raised SystemExit",
    "strange:Anothr": "strange has no Anothr; did you mean 'Another'?",
    "strange:NUMBER": "expected a class or a function that makes a plugin",
    "strange:Nothing": "plugin Nothing implements no extension point",
    "strange:Half": "plugin Half has reserve without unreserve",
    "strange:Bare": "plugin Bare has normalize without score",
    "strange:Nameless": "makes a plugin without a name",
    "strange:wants": "has no attribute name, and calling it without arguments raised TypeError: wants()",
    "strange:Taken": "a plugin named NodeName already exists",
}


@pytest.mark.parametrize("name", WRONG_PLUGINS)
def test_an_invalid_plugin_is_reported_in_one_line(name: str, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = line(capsys, "diff", CLUSTER, "--plugin", name)
    assert said.startswith(f"--plugin: '{name}': {WRONG_PLUGINS[name]}")


WRONG_RULES = {
    "strange:plain": "is no rule; expected functions under @filter",
    "strange:NUMBER": "is no rule; expected functions under @filter",
    "empty": "has no rules; expected functions under @filter",
    "nowhere": "there is no module nowhere",
    "strange:quite": "strange has no quite; did you mean 'quiet'?",
    "strange:of_kubernetes": "is about NodeName, which is kube-scheduler's",
    "strange:two": "is a second rule for the score of Teams",
}


@pytest.mark.parametrize("name", WRONG_RULES)
def test_an_invalid_rule_is_reported_in_one_line(name: str, module: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = line(capsys, "diff", CLUSTER, "--plugin", TEAMS, "--rule", "strange:one", "--rule", name)
    assert said.startswith(f"--rule: '{name}': {WRONG_RULES[name]}")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            ["--plugin", TEAMS, "--plugin", "strange:Same"],
            "--plugin: 'strange:Same': a plugin named Teams already exists",
        ),
        (["--plugin", "strange:Strict"], "initializing plugin \"Teams\": raised KeyError: 'most' (strange.py:"),
        (
            ["--plugin", "strange:Raising"],
            "plugin Teams: score of pod web-1 raised LookupError: two lines (strange.py:",
        ),
        (["--plugin", "strange:Deafening"], "plugin Teams: events raised LookupError: no (strange.py:"),
        (["--plugin", "strange:Sorts"], "--plugin: 'Sorts': sorts the queue, as PrioritySort does; --config must"),
        (["--plugin", TEAMS, "--rule", "strange:raises"], "rule raises raised AttributeError: "),
        (
            ["--plugin", TEAMS, "--rule", "strange:of_nobody"],
            "--rule: 'Nobody': no plugin of this name is enabled at filter",
        ),
        (["--rule", OWN_NODES], "--rule: 'Teams': no plugin of this name is enabled at filter"),
        (["--plugin", TEAMS, "--rule", "strange:quiet"], "--rule: 'quiet': is a property, which belongs to --explore"),
        (["--depth", "2"], "--depth: belongs to --explore"),
        (["--lost-calls", "1"], "--lost-calls: belongs to --explore"),
    ],
)
def test_an_unusable_plugin_rule_or_option_is_reported_in_one_line(
    options: list[str], expected: str, module: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert line(capsys, "diff", CLUSTER, *options).startswith(expected)


def test_the_notes_name_the_points_without_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", CLUSTER, "--plugin", TEAMS, "--rule", OWN_NODES])
    assert capsys.readouterr().err == (
        "schedcheck: note: Teams has no rule at score, so by the specification it adds nothing there\n"
    )


def test_a_repeated_option_counts_once() -> None:
    assert len(extensions([TEAMS, TEAMS], [OWN_NODES, OWN_NODES]).plugins) == 1


def test_a_module_provides_all_its_rules() -> None:
    made = extensions([TEAMS], ["examples.plugins.team_rules"])
    assert ([rule.plugin for rule in made.rules], [each.name for each in made.properties]) == (
        ["Teams", "Teams"],
        ["among_themselves"],
    )


def test_without_a_configuration_a_plugin_is_enabled_last_at_all_its_points(module: str) -> None:
    made = extensions([TEAMS, "strange:made"], []).enabled()
    for point in ("filter", "score"):
        assert made.at(point) == (*DEFAULT_PLUGINS.at(point), "Teams", "Another")
    assert made.weights == {**DEFAULT_PLUGINS.weights, "Teams": 1, "Another": 1}
    assert {point: made.at(point) for point in made.points if point not in ("filter", "score")} == {
        point: DEFAULT_PLUGINS.at(point) for point in DEFAULT_PLUGINS.points if point not in ("filter", "score")
    }


def configuration(folder: Path, name: str) -> str:
    file = folder / "config.yaml"
    file.write_text(
        "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration,"
        f" profiles: [{{plugins: {{multiPoint: {{enabled: [{{name: {name}}}]}}}}}}]}}"
    )
    return str(file)


def installed(monkeypatch: pytest.MonkeyPatch, **entries: str) -> None:
    """Simulate these entry points of installed packages."""
    made = tuple(EntryPoint(name, value, loading.GROUP) for name, value in entries.items())
    found: Any = lambda group: made if group == "schedcheck.plugins" else ()  # noqa: E731
    monkeypatch.setattr(loading, "entry_points", found)


def test_an_installed_plugin_is_enabled_where_a_configuration_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch, Teams=TEAMS, Unused="nowhere.at.all:Unused")
    config = configuration(tmp_path, "Teams")
    assert main(["diff", CLUSTER, "--config", config, "--rule", "examples.plugins.team_rules:own_nodes", "--rule",
                 "examples.plugins.team_rules:fewest_first"]) == 0  # fmt: skip
    assert "web-1: agree\n  both           Bind(web-1, red-2)\n" in capsys.readouterr().out
    assert main(["diff", CLUSTER]) == 0
    assert "Bind(web-1, blue-1)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("entries", "named", "expected"),
    [
        (
            {"Unused": "nowhere.at.all:Unused"},
            "Unused",
            "schedcheck.plugins: 'nowhere.at.all:Unused': there is no module",
        ),
        ({"Others": TEAMS}, "Others", f"schedcheck.plugins: '{TEAMS}': makes a plugin named Teams, expected Others"),
        ({"NodeName": TEAMS}, "Teams", f"schedcheck.plugins: '{TEAMS}': a plugin named NodeName already exists"),
    ],
)
def test_an_invalid_installed_plugin_is_reported_in_one_line(
    entries: dict[str, str],
    named: str,
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    installed(monkeypatch, **entries)
    assert line(capsys, "diff", CLUSTER, "--config", configuration(tmp_path, named)).startswith(expected)


def test_without_a_configuration_installed_plugins_are_not_loaded(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch, NodeName=TEAMS)
    assert main(["diff", CLUSTER]) == 0
    assert main(["diff", CLUSTER, "--plugin", TEAMS, "--rule", OWN_NODES]) in (0, 1)


def test_a_configuration_can_name_only_given_or_installed_plugins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = configuration(tmp_path, "Teams")
    assert "no plugin has this name" in line(capsys, "diff", CLUSTER, "--config", config)
    assert main(["diff", CLUSTER, "--config", config, "--plugin", TEAMS]) == 1


def test_explain_uses_a_rule_in_place_of_its_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "web-1", CLUSTER, "--rule", "examples.plugins.team_rules"]) == 0
    text = capsys.readouterr().out
    assert "blue-1       refused   Teams   cannot help  node(s) were another team's" in text
    assert "web-1 would be bound to red-2" in text
    assert "belongs to --profile kubernetes" in line(
        capsys, "explain", "web-1", CLUSTER, "--rule", OWN_NODES, "--profile", "corrected"
    )


def test_check_uses_a_rule_in_place_of_its_plugin(capsys: pytest.CaptureFixture[str]) -> None:
    rules = ["--rule", "examples.plugins.team_rules"]
    assert main(["check", CLUSTER, *rules]) == 0
    assert re.search(r"^among_themselves +always +holds$", capsys.readouterr().out, re.MULTILINE)
    assert main(["check", CLUSTER, "--rule", "examples.plugins.team_rules:among_themselves"]) == 1

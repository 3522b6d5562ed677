"""Answers cached between runs equal new ones; a damaged file contains no answer"""

import hashlib
import io
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from schedcheck.checker import check as checking
from schedcheck.checker.check import check
from schedcheck.checker.limits.durable import claim
from schedcheck.checker.liveness.temporal import NotABehaviour
from schedcheck.checker.result import Bounds, Result
from schedcheck.checker.tabulated.answers import identity, tables
from schedcheck.checker.tabulated.answers.named import Names
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.answers.tables import FOLDER, FORMAT, Tables, where
from schedcheck.model.scenario import Scenario
from schedcheck.spec.classic.policy import Classic as Policy
from schedcheck.spec.decisions import Bind, Wait
from tests.support.building import node, on_nodes, on_pods, pod, scenario


def scene(**fields: Any) -> Scenario:
    """A pod that another may evict, on two nodes."""
    pods = (pod("low", 1), pod("high", 1, priority=1), pod("other", 1, priority=1))
    rules = [on_pods("arrive", "low high other"), on_nodes("cordon", "n1", 1), on_nodes("uncordon", "n1", 1)]
    fields = {"profile": "kubernetes", "properties": ("scheduler_is_sound",), **fields}
    return scenario(*pods, node("n1", 1), node("n2", 1), absent="*", rules=rules, **fields)


class Watched:
    """The tables of a folder, their messages, and the questions of each run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.lines: list[str] = []
        self.tables = Tables(folder, self.lines.append)
        self._oracles: list[Oracle] = []
        before = Oracle.__init__

        def noted(oracle: Oracle, *given: Any) -> None:
            before(oracle, *given)
            self._oracles.append(oracle)

        monkeypatch.setattr(Oracle, "__init__", noted)

    def run(self, scene: Scenario, **given: Any) -> tuple[Result, int]:
        """The result of a run, and the number of its questions."""
        found = check(scene, engine="tabulated", answers=self.tables, **given).result
        return replace(found, seconds=0), sum(self._oracles[-1].asked)

    @property
    def asked(self) -> int:
        """The number of questions of the last run."""
        return sum(self._oracles[-1].asked)

    @property
    def file(self) -> Path:
        """The single saved file."""
        (path,) = self.folder.glob("*.tables")
        return path


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(tmp_path / "kept", monkeypatch)


def plain(scene: Scenario, **given: Any) -> Result:
    """The result without a cache."""
    return replace(check(scene, engine="tabulated", **given).result, seconds=0)


@pytest.mark.parametrize("profile", ["kubernetes", "corrected"])
def test_a_second_run_asks_nothing_and_finds_the_same(watched: Watched, profile: str) -> None:
    given = scene(profile=profile)
    first, asked = watched.run(given)
    assert asked > 20
    assert watched.run(given) == (first, 0)
    assert first == plain(given)
    assert watched.lines == []


def test_a_violation_from_cached_answers_has_the_same_trace(watched: Watched) -> None:
    given = scene(properties=("no_eviction", "pod_can_still_be_bound(low)"))
    first, _ = watched.run(given)
    again, asked = watched.run(given)
    assert asked == 0
    assert len(first.violations) > 0
    assert [(each.property.name, each.trace) for each in first.violations] == [
        (each.property.name, each.trace) for each in again.violations
    ]


ENDLESS = ("never_starves", "eventually_bound", "evictions_end", "comes_to_rest")


@pytest.mark.parametrize("profile", ["kubernetes", "corrected", "classic"])
def test_a_graph_and_temporal_results_need_no_questions_with_cached_answers(watched: Watched, profile: str) -> None:
    given = scene(profile=profile, properties=ENDLESS, policy=Policy(by_allocatable=True))
    direct = check(given, engine="direct", keep_graph=True)
    graphs = []
    for number in range(3):
        checked = check(given, engine="tabulated", keep_graph=True, answers=watched.tables)
        assert (watched.asked > 20) is (number == 0)
        assert watched.asked == 0 or number == 0
        assert checked.graph is not None
        graphs.append(checked.graph)
        told = [
            [(each.property.name, each.trace, each.loop) for each in found.result.violations]
            for found in (checked, direct)
        ]
        assert told[0] == told[1]
        assert told[0] != []
    assert direct.graph is not None
    for explored in graphs:
        assert (explored.graph.texts, explored.graph.kinds) == (direct.graph.graph.texts, direct.graph.graph.kinds)
        assert explored.graph.actions.tolist() == direct.graph.graph.actions.tolist()
    assert watched.lines == []


def test_a_graph_beyond_the_cached_part_names_its_steps_again(watched: Watched, tmp_path: Path) -> None:
    """The second run resumes from levels that it does not expand; only the graph makes it ask about them."""
    given = scene(properties=ENDLESS)
    levels = tmp_path / "levels"
    whole = check(given, engine="direct", symmetry=False).result
    check(given, engine="tabulated", checkpoint=levels)
    watched.run(given, bounds=Bounds(depth=4))
    found, asked = watched.run(given, checkpoint=levels)
    assert asked > 20
    assert [(each.property.name, each.trace) for each in found.violations] == [
        (each.property.name, each.trace) for each in whole.violations
    ]


def test_names_of_other_rows_are_detected(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    given = scene(properties=ENDLESS)
    watched.run(given)
    whole = Names.from_row
    monkeypatch.setattr(Names, "from_row", lambda *asked: reversed(list(whole(*asked))))
    with pytest.raises((NotABehaviour, AssertionError)):
        watched.run(given)


def test_names_that_do_not_fit_the_rows_are_rejected() -> None:
    names = Names()
    names.add("choice", Bind(pod("p"), node("n")))
    arrays = {**names.arrays(), "option_kind": np.zeros(0), "choice_kind": np.zeros(1), "outcome_end": np.zeros((0, 3))}
    assert Names().take(arrays, (Bind,))
    assert not Names().take(arrays, (Wait,))
    assert not Names().take({**arrays, "choice_kind": np.zeros(2)}, (Bind,))
    assert not Names().take({**arrays, "choice_names": np.ones(1, np.int64)}, (Bind,))
    assert not Names().take({**arrays, "names": np.zeros(3, np.uint8)}, (Bind,))
    assert not Names().take({name: each for name, each in arrays.items() if name != "names"}, (Bind,))


def test_questions_beyond_the_cached_ones_are_asked(watched: Watched) -> None:
    whole = plain(scene())
    few, asked = watched.run(scene(), bounds=Bounds(depth=3))
    assert few == plain(scene(), bounds=Bounds(depth=3))
    found, more = watched.run(scene())
    assert (found, more > asked) == (whole, True)
    assert watched.run(scene()) == (whole, 0)
    assert watched.run(scene(), bounds=Bounds(depth=3)) == (few, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"profile": "kubernetes-documented"},
        {"victims": "pending"},
        {"properties": ("bind_feasible",)},
    ],
)
def test_another_scenario_or_question_does_not_use_the_cache(watched: Watched, other: dict[str, Any]) -> None:
    watched.run(scene())
    found, asked = watched.run(scene(**other))
    assert asked > 20
    assert found == plain(scene(**other))


def test_answers_with_and_without_symmetry_are_cached_separately(watched: Watched) -> None:
    given = scene(profile="corrected")
    watched.run(given, symmetry=True)
    found, asked = watched.run(given, symmetry=False)
    assert asked > 20
    assert found == plain(given, symmetry=False)


@pytest.mark.parametrize("package", ["spec", "model", "checker"])
def test_a_changed_byte_of_the_sources_gives_another_version(tmp_path: Path, package: str) -> None:
    copy = tmp_path / "copy"
    for name in identity.PACKAGES:
        shutil.copytree(identity.ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    assert identity.sources(copy) == identity.sources(identity.ROOT)
    changed = sorted((copy / package).rglob("*.py"))[-1]
    changed.write_bytes(changed.read_bytes() + b"#")
    identity.sources.cache_clear()
    assert identity.sources(copy) != identity.sources(identity.ROOT)


def test_a_changed_specification_does_not_use_the_cache(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = watched.run(scene())
    monkeypatch.setattr(identity, "sources", lambda root: "another")
    assert watched.run(scene())[1] == asked


def flipped(content: bytes) -> bytes:
    """The content with one bit of the payload changed."""
    place = len(content) - 200
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        lambda content: content[:-1],
        lambda content: content + b"x",
        lambda content: b"",
        lambda content: b"PK\x03\x04",
        lambda content: content.replace(FORMAT, b"schedcheck tables 9\n"),
    ],
)
def test_a_damaged_cache_file_is_detected_by_its_checksum(watched: Watched, damage: Callable[[bytes], bytes]) -> None:
    first, asked = watched.run(scene())
    path = watched.file
    path.write_bytes(damage(path.read_bytes()))
    assert watched.run(scene()) == (first, asked)
    assert watched.lines == [f"{path}: is damaged, or no file of answers; its answers are recomputed"]
    assert watched.run(scene()) == (first, 0)


def test_a_cache_file_of_another_identity_is_detected(watched: Watched) -> None:
    watched.run(scene(victims="pending"))
    other = watched.file
    first, asked = watched.run(scene())
    for path in watched.folder.glob("*.tables"):
        path.write_bytes(other.read_bytes())
    assert watched.run(scene()) == (first, asked)
    assert len(watched.lines) == 1


def with_checksum(path: Path, payload: bytes) -> None:
    """Write the payload with a valid checksum."""
    total = hashlib.blake2b(path.stem.encode(), digest_size=32)
    total.update(payload)
    path.write_bytes(FORMAT + total.digest() + payload)


def test_invalid_arrays_are_rejected_even_with_a_valid_checksum(watched: Watched) -> None:
    first, asked = watched.run(scene())
    for arrays in ({"admission": np.array([{}], object)}, {"admission": np.zeros((1, 1))}, {}):
        buffer = io.BytesIO()
        content: dict[str, Any] = dict(arrays)
        np.savez(buffer, **content)
        with_checksum(watched.file, buffer.getvalue())
        assert watched.run(scene()) == (first, asked)
    with_checksum(watched.file, b"no archive")
    assert watched.run(scene()) == (first, asked)
    assert len(watched.lines) == 4


def test_only_the_most_recently_used_files_are_kept(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MOST_FILES", 2)
    arrays = {"numbers": np.arange(10)}
    for name, used in (("a", 1), ("b", 2)):
        watched.tables.write(name, arrays)
        os.utime(watched.folder / f"{name}.tables", ns=(used, used))
    found = watched.tables.read("a")
    assert found is not None
    assert found["numbers"].tolist() == list(range(10))
    watched.tables.write("c", arrays)
    assert sorted(path.stem for path in watched.folder.glob("*.tables")) == ["a", "c"]
    monkeypatch.setattr(tables, "MOST_BYTES", (watched.folder / "c.tables").stat().st_size * 2 - 1)
    watched.tables.write("d", arrays)
    assert [path.stem for path in watched.folder.glob("*.tables")] == ["d"]


def test_an_unwritable_cache_folder_is_reported_and_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept").write_text("a file")
    watched = Watched(tmp_path / "kept", monkeypatch)
    assert watched.run(scene())[0] == plain(scene())
    assert [line.startswith("answers are not kept: ") for line in watched.lines] == [True]


def test_while_another_process_writes_nothing_is_cached(watched: Watched) -> None:
    with claim(watched.folder):
        first, asked = watched.run(scene())
        assert watched.run(scene()) == (first, asked)
    assert list(watched.folder.glob("*.tables")) == []
    assert watched.lines == []


def test_the_folder_comes_from_the_option_the_environment_or_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, "/environment")
    assert where("/given") == Path("/given")
    assert where("none") is None
    assert where(None) == Path("/environment")
    monkeypatch.setenv(FOLDER, "none")
    assert where(None) is None
    monkeypatch.delenv(FOLDER)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert where(None) == Path("/caches/schedcheck/tables")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/home/user")
    assert where(None) == Path("/home/user/.cache/schedcheck/tables")


class Asked(Exception):
    """The direct explorer was asked."""


def refuse(*_: object) -> NoReturn:
    raise Asked


def test_the_direct_explorer_is_not_tried_first_where_cached_answers_tell_of_many_states(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = check(scene(), engine="tabulated", answers=watched.tables)
    # Few states are explored before the tables are prepared, which tell where answers are cached.
    monkeypatch.setattr(checking, "_may_exceed", lambda *_: False)
    monkeypatch.setattr(checking, "breadth_first", refuse)
    with pytest.raises(Asked):
        check(scene(), engine="auto", answers=watched.tables)
    monkeypatch.setattr(checking, "SOON", first.result.distinct)
    found = check(scene(), engine="auto", answers=watched.tables)
    assert (found.engine, found.result.distinct) == ("tabulated", first.result.distinct)
    # Bounds may leave fewer states than the cached answers tell of; and without answers nothing is known.
    for given in ({"answers": watched.tables, "bounds": Bounds(depth=3)}, {}):
        with pytest.raises(Asked):
            check(scene(), engine="auto", **given)


def test_another_number_of_states_bounds_an_exploration_over_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "SOON", 2)
    whole = check(scene(), engine="tabulated").result.distinct
    found = check(scene(), engine="auto", bounds=Bounds(max_states=3), over_tables=whole + 1)
    assert (found.engine, found.result.distinct, found.result.stopped) == ("tabulated", whole, "")
    monkeypatch.setattr(checking, "_tables", lambda *_: (None, "none in this test"))
    direct = check(scene(), engine="auto", bounds=Bounds(max_states=3), over_tables=whole + 1)
    assert (direct.engine, direct.result.stopped) == ("direct", "limits.states 3")

"""A run that saves its levels, is stopped, resumed or spills finds the same as one that does none of this"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.limits import durable
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import identity
from schedcheck.checker.tabulated.layout import layout
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.search import disk, merging
from schedcheck.checker.tabulated.search import explorer as exploring
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint
from schedcheck.checker.tabulated.search.disk import Disk
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.kept import Kept, encoded
from schedcheck.model.scenario import Scenario
from tests.checker.tabulated.resumed import kept, spilled
from tests.examples.test_examples import example
from tests.support.building import five_pods, node, on_pods, pod, scenario, seven_pods

EVICTED = replace(five_pods(), properties=("never_evicted(p1)", "no_overcommit"))
SCENES = [
    five_pods(),
    EVICTED,
    *map(example, ("pod-stranded", "budget-broken", "anti-affinity", "preemption-chain")),
    replace(example("preemption-chain"), name="nominated", profile="kubernetes"),
    replace(example("budget-broken"), name="budget-nominated", profile="kubernetes"),
]
ALIKE = scenario(
    *(pod(name, 1) for name in ("p1", "p2", "p3")),
    *(node(name, 2) for name in ("n1", "n2")),
    absent="*",
    rules=[on_pods("arrive", "p1 p2 p3"), on_pods("complete", "p1 p2 p3")],
)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
@pytest.mark.parametrize("symmetry", [False, True])
@pytest.mark.parametrize("spill", [False, True])
def test_a_run_resumed_at_any_level_ends_like_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: Scenario, symmetry: bool, spill: bool
) -> None:
    whole = kept(scene, None, symmetry=symmetry)
    if spill:
        spilled(monkeypatch, room=3)
    for depth in range(1, 9):
        kept(scene, tmp_path, Bounds(depth=depth), symmetry=symmetry)
    before = {path: path.read_bytes() for path in tmp_path.glob("level-*")}
    assert kept(scene, tmp_path, symmetry=symmetry) == whole
    assert kept(scene, tmp_path, symmetry=symmetry) == whole
    assert all(path.read_bytes() == was for path, was in before.items()), "older levels are not written again"


@pytest.mark.parametrize("bounds", [Bounds(depth=6), Bounds(max_states=500), Bounds(seconds=1e-9)])
def test_bounds_apply_only_to_the_run_that_has_them(tmp_path: Path, bounds: Bounds) -> None:
    whole = kept(five_pods(), tmp_path)
    stopped = check(five_pods(), engine="tabulated", symmetry=False, bounds=bounds, checkpoint=tmp_path).result
    assert stopped.stopped != ""
    if bounds.depth is not None:
        assert kept(five_pods(), tmp_path, bounds) == kept(five_pods(), None, bounds)
    assert kept(five_pods(), tmp_path) == whole


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bound", ["max_states", "interrupt"])
def test_an_incomplete_level_is_not_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    if bound == "interrupt":
        with monkeypatch.context() as patched:
            after(patched, 9, KeyboardInterrupt)
            assert kept(five_pods(), tmp_path)[4] == "interrupted"
    else:
        kept(five_pods(), tmp_path, Bounds(max_states=500))
    whole = [level for level in levels(five_pods()) if level]
    names = sorted(tmp_path.glob("level-*.json"))
    assert 0 < len(names) < len(whole)
    assert [json.loads(path.read_bytes())["of"]["states"] for path in names] == whole[: len(names)]
    assert kept(five_pods(), tmp_path) == kept(five_pods(), None)


def after(monkeypatch: pytest.MonkeyPatch, calls: int, error: type[BaseException]) -> None:
    """Raise an error in the explorer after this many pieces."""
    whole, count = Explorer._expand, iter(range(calls))

    def expand(*given: Any) -> Any:
        if next(count, None) is None:
            raise error
        return whole(*given)

    monkeypatch.setattr(Explorer, "_expand", expand)


def levels(scene: Scenario) -> list[int]:
    """The number of states that the direct explorer finds on each level."""
    counts = [0]
    while len(counts) < 2 or counts[-1] > counts[-2]:
        counts.append(check(scene, symmetry=False, bounds=Bounds(depth=len(counts))).result.distinct)
    return [more - fewer for fewer, more in pairwise(counts)]


def test_the_seven_pods_spilled_to_disk_have_the_counts_of_tlc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spilled(monkeypatch)
    away: list[int] = []
    put_away = Disk.put_away
    monkeypatch.setattr(
        Disk, "put_away", lambda self, found: (away.append(sum(map(len, found))), put_away(self, found))[1]
    )
    whole = kept(seven_pods(), tmp_path)
    assert whole[1][:3] == (108_816, 995_747, 18)
    assert len(away) > 10
    assert sum(away) > 50_000
    assert not list(tmp_path.glob("candidates*")), "the stored candidates are removed"
    states = [Kept(path)[:] for path in sorted(tmp_path.glob("level-*.states"))]
    assert sum(map(len, states)) == 108_816
    assert sum(path.stat().st_size for path in tmp_path.glob("level-*.states")) < 4 * 108_816
    assert len(np.unique(np.concatenate(states))) == 108_816


@pytest.mark.parametrize(
    "scene",
    [
        pytest.param(five_pods(), id="holds", marks=pytest.mark.slow),
        pytest.param(EVICTED, id="evicted"),
        pytest.param(example("pod-stranded"), id="stranded", marks=pytest.mark.slow),
    ],
)
def test_states_of_several_words_are_saved_and_spilled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scene: Scenario
) -> None:
    whole = kept(scene, None)
    monkeypatch.setattr(layout, "BITS", 4)
    spilled(monkeypatch, room=3)
    for depth in (2, 5):
        kept(scene, tmp_path, Bounds(depth=depth))
    found = kept(scene, tmp_path)
    assert (tmp_path / "level-000001.states").stat().st_size > 2 * 8
    assert found[:-1] == whole[:-1]
    assert [(name, len(trace)) for name, trace in found[-1]] == [(name, len(trace)) for name, trace in whole[-1]]
    assert found == kept(scene, None)


def losing(name: str) -> Callable[..., Any]:
    """The whole of `Disk` or of a pass, but for a run that is lost."""
    if name == "put_away":
        put_away = Disk.put_away

        def away(self: Disk, found: Sequence[Words]) -> None:
            put_away(self, found)
            self._candidates[1:] = []

        return away
    return lambda candidates, known, workers=1: merging.news(candidates, known[:-1], workers)


@pytest.mark.parametrize(
    ("owner", "name", "broken"),
    [
        (merging, "strike", lambda *_: None),
        (disk, "news", losing("news")),
        (Disk, "put_away", losing("put_away")),
    ],
    ids=["known", "level", "candidates"],
)
def test_a_merge_pass_that_ignores_levels_or_candidates_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, broken: object
) -> None:
    spilled(monkeypatch, room=3)
    bounds = Bounds(depth=15)
    expected = kept(five_pods(), None, bounds)
    assert kept(five_pods(), tmp_path / "whole", bounds) == expected
    monkeypatch.setattr(owner, name, broken)
    assert kept(five_pods(), tmp_path / "broken", bounds) != expected


def test_a_resumed_run_that_ignores_earlier_counts_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(five_pods(), tmp_path, Bounds(depth=6))
    monkeypatch.setattr(Explorer, "count_from", lambda *_: None)
    assert kept(five_pods(), tmp_path) != kept(five_pods(), None)


def test_a_resumed_run_that_ignores_known_states_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(five_pods(), tmp_path, Bounds(depth=6))
    monkeypatch.setattr(exploring, "in_pieces", lambda level: ())
    bounds = Bounds(depth=15)
    assert kept(five_pods(), tmp_path, bounds) != kept(five_pods(), None, bounds)


@pytest.mark.parametrize(
    ("other", "symmetry", "named"),
    [
        (replace(ALIKE, rules=ALIKE.rules[:-1]), False, "scenario"),
        (replace(ALIKE, properties=("no_overcommit",)), False, "scenario, questions"),
        (ALIKE, True, "symmetry"),
    ],
)
def test_a_folder_of_another_run_is_refused(tmp_path: Path, other: Scenario, symmetry: bool, named: str) -> None:
    kept(ALIKE, tmp_path, Bounds(depth=3))
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(Unusable, match=f"belongs to another run: not the same .*{named}"):
        kept(other, tmp_path, symmetry=symmetry)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_folder_of_another_source_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(five_pods(), tmp_path, Bounds(depth=3))
    monkeypatch.setattr(identity, "sources", lambda root: "others")
    with pytest.raises(Unusable, match="not the same version"):
        kept(five_pods(), tmp_path)


def test_the_identity_is_the_same_in_another_process() -> None:
    program = (
        "from tests.support.building import five_pods; from schedcheck.checker.tabulated.answers.identity import written;"
        "print(written(five_pods()))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert texts == {identity.written(five_pods()) + "\n"}
    assert identity.written(replace(five_pods(), absent=frozenset())) != identity.written(five_pods())


def test_two_runs_cannot_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, whole = Explorer.run, kept(five_pods(), None)

    def run(self: Explorer) -> None:
        with pytest.raises(Unusable, match="another run is writing to it"):
            durable.claim(tmp_path)
        begun(self)

    monkeypatch.setattr(Explorer, "run", run)
    assert kept(five_pods(), tmp_path) == whole
    durable.claim(tmp_path).close()


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.part").write_text("mine")
    (tmp_path / f"level-000001.states{durable.TEMPORARY}").write_text("torn")
    assert kept(five_pods(), tmp_path) == kept(five_pods(), None)
    assert (tmp_path / "notes.part").read_text() == "mine"
    for name in ("level-000002.json.old", "level-old9.json", "level-99.json"):
        (tmp_path / name).write_text("mine")
    assert kept(five_pods(), tmp_path) == kept(five_pods(), None)
    assert not list(tmp_path.glob(f"*{durable.TEMPORARY}"))


def damaged(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "short":
        path.write_bytes(content[:-1])
    elif how == "empty":
        path.write_bytes(b"")
    else:
        place = len(content) // 2
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("how", ["missing", "short", "empty", "flipped"])
@pytest.mark.parametrize("name", ["level-000005.states", "level-000005.json", "level-000001.json", "run.json"])
def test_a_damaged_file_is_named_and_earlier_levels_can_be_resumed(tmp_path: Path, how: str, name: str) -> None:
    whole = kept(five_pods(), tmp_path)
    damaged(tmp_path / name, how)
    with pytest.raises(Unusable) as error:
        kept(five_pods(), tmp_path)
    assert str(error.value).startswith(str(tmp_path / name) + ": ")
    if name.startswith("level-000005"):
        assert "remove level-000005.json, and that of every later level, to resume from level 4" in str(error.value)
        for path in tmp_path.glob("level-*.json"):
            if path.name >= "level-000005.json":
                path.unlink(missing_ok=True)
        assert kept(five_pods(), tmp_path) == whole


def test_levels_of_two_runs_are_not_mixed(tmp_path: Path) -> None:
    for name, rules in (("one", five_pods().rules), ("two", five_pods().rules[:-1])):
        kept(replace(five_pods(), rules=rules), tmp_path / name)
    for ends in ("json", "states"):
        name = f"level-000004.{ends}"
        (tmp_path / "one" / name).write_bytes((tmp_path / "two" / name).read_bytes())
    with pytest.raises(Unusable, match=r"level-000004\.json: damaged: does not follow the level before"):
        kept(five_pods(), tmp_path / "one")


def test_a_checkpoint_without_checksum_comparison_is_detected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(five_pods(), tmp_path, Bounds(depth=6))
    path = tmp_path / "level-000006.states"
    known, states = Kept(tmp_path / "level-000005.states")[:1], Kept(path)[:]
    path.write_bytes(b"".join(encoded([in_order(np.concatenate([known, states]))], states.shape[1])))
    with pytest.raises(Unusable, match="not what was written"):
        kept(five_pods(), tmp_path)

    def unread(self: Checkpoint, level: int) -> Kept:
        return Kept(tmp_path / f"level-{level:06}.states")

    monkeypatch.setattr(Checkpoint, "states", unread)
    assert kept(five_pods(), tmp_path) != kept(five_pods(), None)


def test_the_direct_explorer_saves_no_levels(tmp_path: Path) -> None:
    with pytest.raises(NotTabulated, match="keeps no levels"):
        check(five_pods(), engine="direct", checkpoint=tmp_path)
    assert check(five_pods(), engine="auto", checkpoint=tmp_path).engine == "tabulated"
    assert check(five_pods(), engine="both", checkpoint=tmp_path).engine == "tabulated"

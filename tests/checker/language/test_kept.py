"""Explorations of modules that are killed, stopped and resumed: the same as undisturbed ones in all that users see"""

import json
import os
import random
import re
import signal
import time
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as some

from schedcheck.checker.language.checking import keeping
from schedcheck.checker.language.checking.ahead import depends_on_more
from schedcheck.checker.language.checking.checking import Checked, check
from schedcheck.checker.language.checking.explored import Failed
from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.language.checking.keeping import Keeping
from schedcheck.checker.language.checking.lines import Writer
from schedcheck.checker.language.checking.module_search import ModuleSearch
from schedcheck.checker.language.checking.parts import Folder
from schedcheck.checker.language.standard import tlc
from schedcheck.checker.language.values.lazy import Interval
from schedcheck.checker.language.values.values import FALSE, TRUE, ModelValue, finite_set, function
from schedcheck.checker.language.values.written import made, written
from schedcheck.checker.limits import durable
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.liveness.temporal import NotABehaviour
from schedcheck.checker.result import Bounds
from tests.checker.language.modelling import model
from tests.support.apart import apart

MODULE = r"""---- MODULE Walk ----
EXTENDS Integers, Sequences, FiniteSets, TLC
CONSTANTS P, Far
VARIABLES at, seen
Init == at \in {[p \in P |-> 0], [p \in P |-> 1]} /\ seen = <<>>
Go(p) == at[p] < Far /\ at' = [at EXCEPT ![p] = @ + 1] /\ seen' = [last |-> p, all |-> 1 .. at[p]]
Back(p) == at[p] > 1 /\ at' = [at EXCEPT ![p] = 0] /\ seen' = {p, "back"}
Counted == TLCSet(1, IF TLCGet("level") = 1 THEN 1 ELSE TLCGet(1) + 1)
Thrown == RandomElement(0 .. 3)
Next == \E p \in P : Go(p) \/ Back(p)
Noted == Next /\ Counted
Random == (\E p \in P : Go(p)) /\ Thrown > 0
Endless == \E p \in P : at' = [at EXCEPT ![p] = @ + 1] /\ UNCHANGED seen
Failing == Next /\ (at = [p \in P |-> 2] => at[1] = 0)
Climbing == \E p \in P : Go(p)
Spec == Init /\ [][Next]_<<at, seen>>
Fair == Spec /\ \A p \in P : WF_<<at, seen>>(Go(p))
Upwards == Init /\ [][Endless]_<<at, seen>>
Total == LET all[s \in SUBSET P] == IF s = {} THEN 0 ELSE LET p == CHOOSE p \in s : TRUE IN at[p] + all[s \ {p}] IN all[P]
Low == Total < 5
Lower == Total < 4
Few == TLCGet("level") = 1 \/ TLCGet(1) < 60
Near == Total < 6
Rises == [][Total' > Total]_at
Once == <>(Total = 4)
Fine == <>[](Total < 100)
Short == TLCGet("duration") < 900
Stays == <>[](Total < 3)
Reached == Total = 6
Never == Total > 100
All == TLCGet("distinct") > 20
Symmetry == Permutations(P)
View == at
Leveled == <<at, TLCGet("level") % 3>>
===="""


class Shape(NamedTuple):
    """A configuration of the module, and how it is checked."""

    asked: str
    proceed: bool = False
    processes: int = 1
    edges: bool = False


SHAPES = {
    "holds": Shape("SPECIFICATION Spec PROPERTY Fine _POSSIBLE Reached POSTCONDITION All"),
    "violated": Shape("SPECIFICATION Spec INVARIANT Low"),
    "continued": Shape("SPECIFICATION Spec INVARIANTS Low Lower PROPERTIES Rises Stays", proceed=True, edges=True),
    "constrained": Shape("SPECIFICATION Spec CONSTRAINT Near PROPERTY Stays"),
    "temporal": Shape("SPECIFICATION Fair PROPERTY Once"),
    "endless": Shape("SPECIFICATION Upwards PROPERTY Stays"),
    "symmetric": Shape("SPECIFICATION Spec SYMMETRY Symmetry INVARIANT Low"),
    "viewed": Shape("SPECIFICATION Spec VIEW View INVARIANT Low", proceed=True),
    "leveled": Shape("SPECIFICATION Spec VIEW Leveled INVARIANT Low", proceed=True),
    "counted": Shape("INIT Init NEXT Noted INVARIANT Few"),
    "random": Shape("INIT Init NEXT Random CHECK_DEADLOCK FALSE"),
    "deadlock": Shape("INIT Init NEXT Climbing"),
    "failing": Shape("INIT Init NEXT Failing"),
    "several": Shape("SPECIFICATION Spec CONSTRAINT Near INVARIANT Low _POSSIBLE Reached Never", True, 3),
    "a pair": Shape("SPECIFICATION Fair INVARIANT Low PROPERTIES Rises Once", True, 2, True),
}


def run(shape: Shape, folder: Path | None, bounds: Bounds | None = None) -> str:
    """Everything that a user may see of a check that is kept in a folder, and the order of its states."""
    tlc.set_chance(random.Random(0).getstate())
    text = (
        MODULE
        if shape.processes == 1
        else re.sub("^.*(TLCGet|TLCSet|Random|Counted).*\n", "", MODULE, flags=re.MULTILINE)
    )
    made = model(text, f"CONSTANTS P = {{a, b}} Far = 3 {shape.asked}")
    search = ModuleSearch(proceed=shape.proceed, processes=shape.processes, edges=shape.edges)
    with nullcontext() if folder is None else opened(folder, {"of": shape.asked}) as kept:
        try:
            found = check(made, bounds or Bounds(seconds=60), None, search, None if kept is None else Keeping(kept))
            assert depends_on_more(found.exploration) == (shape.processes == 1)
            return repr(everything(found))
        except Failed as error:
            return f"{error} {error.trace}"


def opened(folder: Path, identity: dict[str, str]) -> Folder:
    """The folder, once the helpers of a killed run have noticed that it ended."""
    end = time.monotonic() + 5
    while True:
        try:
            return Folder(folder, identity)
        except Unusable as error:
            if "another run" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def everything(checked: Checked) -> Any:
    of, result = checked.exploration, checked.result
    shown = of.system.shown
    traces = [[(str(stage.action), shown(stage.state)) for stage in each.trace] for each in checked.found]
    return (
        (result.verdict, result.distinct, result.generated, result.depth, result.queue, result.done, result.stopped),
        (result.coverage, result.undecided, of.times, of.initial),
        (list(map(shown, of.states)), list(of.origin), of.edges),
        (list(of.sources), list(of.targets)),
        [(each.name, each.claim, each.loop) for each in checked.found],
        traces,
    )


CALLS: list[tuple[Any, str]] = [
    (Exploration, "_expand"),
    (Exploration, "_step"),
    (Keeping, "at"),
    *((durable, name) for name in ("write", "sync_folder", "rename")),
]


def watched(do: Callable[[], str], moment: int | None) -> str:
    """Do it with a part at every mark, and kill this process at the call with this number; else return the calls."""
    calls = 0

    def counting(called: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            nonlocal calls
            if calls == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            calls += 1
            return called(*given, **named)

        return call

    for owner, name in CALLS:
        setattr(owner, name, counting(getattr(owner, name)))
    durable.sync, keeping.SECONDS, keeping.SHARE = lambda file: None, 0.0, 0.0
    said = do()
    return said if moment is not None else str(calls)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", SHAPES)
def test_a_run_that_is_killed_a_dozen_times_ends_like_an_undisturbed_one(tmp_path: Path, name: str) -> None:
    shape, chance = SHAPES[name], random.Random(name)
    expected = run(shape, None)
    total = int(apart(lambda: watched(partial(run, shape, tmp_path / "whole"), None)))
    killed = 0
    for number in range(12):
        folder = tmp_path / str(number)
        moment = chance.randrange(total)
        killed += apart(lambda: watched(partial(run, shape, folder), moment)) == ""  # noqa: B023  it runs at once
        assert run(shape, folder) == expected, moment
        assert run(shape, folder) == expected, "a run that has ended is told again"
    assert killed == 12


@pytest.mark.parametrize("bounds", [Bounds(depth=3), Bounds(depth=5), Bounds(max_states=10), Bounds(max_states=30)])
@pytest.mark.parametrize("name", ["continued", "constrained", "leveled"])
def test_bounds_end_a_resumed_run_where_they_end_a_fresh_one(tmp_path: Path, name: str, bounds: Bounds) -> None:
    shape, whole = SHAPES[name], run(SHAPES[name], None)
    bounded = run(shape, None, bounds)
    assert bounded != whole
    assert run(shape, tmp_path, bounds) == bounded
    assert run(shape, tmp_path, bounds) == bounded
    assert run(shape, tmp_path) == whole
    assert run(shape, tmp_path, bounds) == bounded
    assert run(shape, tmp_path) == whole


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_found_between_two_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    shape, step, calls = SHAPES["continued"], Exploration._step, iter(range(40))

    def interrupted(*given: Any) -> int:
        if next(calls, None) is None:
            os.kill(os.getpid(), number)
        return step(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Exploration, "_step", interrupted)
        assert "interrupted" in run(shape, tmp_path)
    with Folder(tmp_path, {"of": shape.asked}) as folder:
        noted = folder.noted
    assert 10 < noted[-1]["expanded"] < noted[-1]["distinct"], "the part after the first is written at the interrupt"
    assert run(shape, tmp_path) == run(shape, None)


@pytest.mark.parametrize("lost", ["broken", "coverage", "generated", "judged_at", "level_end", "initial", "missing"])
def test_a_resumed_run_that_ignores_what_was_counted_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    shape = SHAPES[{"missing": "holds", "judged_at": "endless", "level_end": "violated"}.get(lost, "continued")]
    run(shape, tmp_path, None if lost == "missing" else Bounds(max_states=26))
    restored = keeping._restored

    def lossy(of: Exploration, noted: dict[str, Any]) -> None:
        other = {"judged_at": 10**9, "generated": 0, "level_end": noted["expanded"], "missing": ["Reached"]}
        restored(of, {**noted, lost: other.get(lost, [])})

    monkeypatch.setattr(keeping, "_restored", lossy)
    bounds = Bounds(max_states=200)
    assert run(shape, tmp_path, bounds) != run(shape, None, bounds)


LOSSES = ("a state", "a step", "an edge")


@pytest.mark.parametrize("shape", [SHAPES["continued"], SHAPES["a pair"]])
@pytest.mark.parametrize("lost", LOSSES)
def test_a_checkpoint_that_loses_something_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: Shape, lost: str
) -> None:
    place = LOSSES.index(lost)
    lines = Writer.lines

    def lossy(writer: Writer, of: Exploration, first: Any, last: Any) -> Any:
        kept = list(last)
        kept[place] -= kept[place] > first[place]
        return lines(writer, of, first, kept)

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "lines", lossy)
        run(shape, tmp_path, Bounds(max_states=26))
    try:
        again = run(shape, tmp_path)
    except NotABehaviour as error:
        again = f"a step is missing: {error}"
    assert again != run(shape, None)


def damaged(path: Path, how: str) -> None:
    content = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "short":
        path.write_bytes(content[:-1])
    else:
        place = len(content) // 2
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])


@pytest.mark.parametrize("how", ["missing", "short", "flipped"])
@pytest.mark.parametrize("name", ["part-000002.lines", "part-000002.json", "part-000001.json", "run.json"])
def test_a_damaged_file_is_named_and_earlier_parts_can_be_resumed(tmp_path: Path, how: str, name: str) -> None:
    shape = SHAPES["violated"]
    for most in (10, 20, 30):
        run(shape, tmp_path, Bounds(max_states=most))
    damaged(tmp_path / name, how)
    with pytest.raises(Unusable) as error:
        run(shape, tmp_path)
    assert str(error.value).startswith(f"{tmp_path / name}: ")
    if name.startswith("part-000002"):
        assert "remove part-000002.json, and that of every later part, to resume from part 1" in str(error.value)
        for path in tmp_path.glob("part-*.json"):
            if path.name >= "part-000002.json":
                path.unlink(missing_ok=True)
        assert run(shape, tmp_path) == run(shape, None)


def test_the_duration_of_a_resumed_run_includes_that_of_earlier_ones(tmp_path: Path) -> None:
    made = model(MODULE, "CONSTANTS P = {a, b} Far = 3 SPECIFICATION Spec INVARIANT Short")
    with Folder(tmp_path, {}) as folder:
        assert check(made, Bounds(max_states=10), keeping=Keeping(folder)).found == ()
    with Folder(tmp_path, {}) as folder:
        for noted in folder.noted:
            noted["seconds"] = 1_000.0
        assert [each.name for each in check(made, Bounds(), keeping=Keeping(folder)).found] == ["Short"]


def test_other_files_in_a_folder_are_no_parts(tmp_path: Path) -> None:
    shape = SHAPES["violated"]
    run(shape, tmp_path, Bounds(max_states=20))
    for name in ("part-000002.json.old", "part-000002 (1).json", "part-old9.json", "part-99.json"):
        (tmp_path / name).write_text("{}")
    assert run(shape, tmp_path) == run(shape, None)


PLAIN = some.one_of(
    some.booleans().map(lambda holds: TRUE if holds else FALSE),
    some.integers(),
    some.text(max_size=3),
    some.sampled_from("ab").map(ModelValue.named),
    some.integers(2_100, 3_000).map(lambda bits: 1 << bits),
    some.builds(Interval, some.integers(-2, 2), some.integers(-2, 2)),
)
NUMBERS = some.integers(-9, 9)
VALUES = some.recursive(
    PLAIN,
    lambda part: some.one_of(
        some.lists(part, max_size=3).map(tuple),
        some.lists(NUMBERS, max_size=3).map(finite_set),
        some.dictionaries(some.text(max_size=2), part, max_size=3).map(function),
    ),
)


@given(VALUES)
def test_a_written_value_is_made_again(value: Any) -> None:
    again = made(json.loads(json.dumps(written(value))))
    assert again == value
    assert type(again) is type(value)

"""The branches of actions, and queries about the exploration: every count is that of TLC with one worker"""

import json
from pathlib import Path

import pytest

from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.result import Verdict
from tests.checker.language.modelling import broken, counts, explored, model

ASKED = "INIT Init NEXT Next CHECK_DEADLOCK FALSE"


def module(body: str) -> str:
    return f"---- MODULE M ----\nEXTENDS Integers, FiniteSets, TLC\nVARIABLES x, y\n{body}\n===="


IMPLIED = module(r"""
Init == x = 0 /\ y = 0
Next == /\ x < 2
        /\ (x # 5) => \E a \in 1 .. 3 : a > x
        /\ (x = 5) => \E a \in 1 .. 3 : a > x
        /\ x' = x + 1
        /\ y' = y
""")

APPLIED = module(r"""
Init == x = 0 /\ y = 0
Next == LET Below[n \in 0 .. 3] == \/ n = 0
                                   \/ \E m \in 0 .. n - 1 : Below[m]
        IN x < 3 /\ Below[x] /\ x' = x + 1 /\ y' = 0
""")

SUBSETS = module(r"""
Init == x \subseteq {1, 2} /\ y = 0
Next == x' \subseteq x /\ y' = Cardinality(x')
""")

COMPOSED = module(r"""
Init == x = 0 /\ y = 0
Up(n) == x < 4 /\ x' = x + n /\ y' \in {y, 1}
Halve == x' = x \div 2 /\ y' = 1 - y
Next == \/ \E n \in 1 .. 2 : Up(n) \cdot Halve
        \/ Up(1)
""")


@pytest.mark.parametrize(
    ("text", "expected"),
    [(IMPLIED, (3, 6, 3)), (APPLIED, (4, 5, 4)), (SUBSETS, (7, 21, 2)), (COMPOSED, (10, 61, 5))],
    ids=["implied", "applied", "subsets", "composed"],
)
def test_an_action_branches_as_for_tlc(text: str, expected: tuple[int, int, int]) -> None:
    assert counts(explored(text, ASKED)) == expected


def test_a_composed_action_must_assign_every_variable() -> None:
    with pytest.raises(TlaError, match="leaves a variable without a value"):
        explored(COMPOSED.replace(" /\\ y' = 1 - y", ""), ASKED)


def test_an_action_with_endless_recursion_is_refused() -> None:
    text = module("RECURSIVE Again(_)\nAgain(n) == Again(n + 1)\nInit == x = 0 /\\ y = 0\nNext == Again(x)")
    with pytest.raises(TlaError, match="Again calls itself more than 2500 deep"):
        explored(text, ASKED)


LEVELS = module(r"""
Init == x = 0 /\ y = 0
Next == x' = x + 1 /\ y' = TLCGet("level")
Few == x < 4
Same == TLCGet("level") = x + 1
Last == TLCGet("distinct") = 4 /\ TLCGet("stats").diameter = 4 /\ TLCGet("stats").generated = 5
Wrong == TLCGet("stats").diameter = 3
Odd == 7
""")


def test_the_level_is_that_of_the_evaluated_state() -> None:
    found = explored(LEVELS, f"{ASKED} INVARIANT Same CONSTRAINT Few ACTION_CONSTRAINT Same")
    assert found.result.verdict is Verdict.HOLDS
    assert counts(found) == (4, 5, 4)


def test_a_postcondition_is_evaluated_after_the_exploration() -> None:
    asked = f"{ASKED} CONSTRAINT Few POSTCONDITION"
    assert explored(LEVELS, f"{asked} Last").result.verdict is Verdict.HOLDS
    wrong = explored(LEVELS, f"{asked} Wrong")
    assert wrong.result.verdict is Verdict.VIOLATED
    assert broken(wrong) == ["Wrong"]
    with pytest.raises(TlaError, match="7 is neither TRUE nor FALSE"):
        explored(LEVELS, f"{asked} Odd")
    with pytest.raises(TlaError, match="M does not define Nothing"):
        model(LEVELS, f"{asked} Nothing")


def session(*extended: str) -> Session:
    return Session({}, None) if not extended else _extending(extended)


def _extending(extended: tuple[str, ...]) -> Session:
    from schedcheck.checker.language.syntax.parser import parsed

    text = f"---- MODULE Outside ----\nEXTENDS {', '.join(extended)}\n===="
    return Session({"Outside": parsed(text, "Outside")}, "Outside")


def test_json_is_read_but_never_written(tmp_path: Path) -> None:
    made, file = session("Json", "IOUtils"), tmp_path / "log.ndjson"
    file.write_text(json.dumps({"a": [1, True]}) + "\n" + json.dumps("b") + "\n", encoding="utf-8")
    assert made.answer(f'ndJsonDeserialize("{file}")') == '<<[a |-> <<1, TRUE>>], "b">>'
    file.write_text('{"a": 1.5}', encoding="utf-8")
    with pytest.raises(TlaError, match=r"1\.5 is no value of TLA\+"):
        made.answer(f'JsonDeserialize("{file}")')
    file.write_text("{", encoding="utf-8")
    with pytest.raises(TlaError, match="no JSON"):
        made.answer(f'JsonDeserialize("{file}")')
    with pytest.raises(TlaError, match="JsonSerialize writes a file, which is not supported"):
        made.answer(f'JsonSerialize("{tmp_path}/new.json", 1)')
    with pytest.raises(TlaError, match="IOExec runs a command, which is not supported"):
        made.answer('IOExec(<<"true">>)')
    assert sorted(tmp_path.iterdir()) == [file]


def test_environment_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCHEDCHECK_NODES", "12")
    made = session("IOUtils")
    assert made.answer('"SCHEDCHECK_NODES" \\in DOMAIN IOEnv /\\ atoi(IOEnv.SCHEDCHECK_NODES) = 12') == "TRUE"
    with pytest.raises(TlaError, match="is no integer in a string"):
        made.answer('atoi("twelve")')


def test_long_numbers_are_printed() -> None:
    assert session().answer("10 ^ 5000") == "1" + "0" * 5000


@pytest.mark.parametrize(
    ("initial", "generated"),
    [
        ("x = 0 /\\ (TRUE \\/ TRUE) /\\ y = 0", 2),
        ("(x = 0 \\/ x = 0) /\\ y \\in {0, 1}", 4),
        ("\\E i \\in {0, 1, 2} : x = i % 2 /\\ y = 0", 3),
        ("x = 0 /\\ y = 0 /\\ (x = 0 \\/ y = 0)", 1),
        ("x = 0 /\\ y = 0 /\\ \\E i \\in {1, 2, 3} : i + x > 1", 1),
        ("x = 0 /\\ y = 0 /\\ Several(3)", 1),
        ("x = 0 /\\ y = 0 /\\ (x = 0 => (y = 0 \\/ x = 0))", 1),
        ("x = 0 /\\ y = 0 /\\ LET a == y = 0 \\/ x = 0 IN a", 1),
        ("x = 0 /\\ y = 0 /\\ \\A i \\in {1, 2} : (x = 0 \\/ y = 0)", 1),
        ("x = 0 /\\ \\A i \\in {1, 2} : (y = 0 \\/ y = i - 1)", 2),
    ],
)
def test_an_initial_predicate_branches_until_every_variable_has_a_value(initial: str, generated: int) -> None:
    text = module(f"Several(n) == \\E i \\in 1..n : i > x\nNext == UNCHANGED <<x, y>>\nInit == {initial}")
    assert len(model(text, ASKED).system.initial()) == generated

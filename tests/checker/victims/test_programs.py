"""Integer programs that state a better set of victims: what they leave out, and what is proved by them."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.victims import branching, program
from schedcheck.checker.victims import casualty as criteria
from schedcheck.checker.victims import least as search
from schedcheck.checker.victims.branching import Programs, Relaxations
from schedcheck.checker.victims.elastic import Elastic
from schedcheck.checker.victims.least import least
from schedcheck.checker.victims.problem import Question, question
from schedcheck.checker.victims.program import Branch, Leaf, Numbers, Program, Row, Tree, programs, refuted, sides
from schedcheck.checker.victims.proof import BY_PROGRAMS, BY_SOLVER, Proof
from schedcheck.checker.victims.sums import Demand
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.importance import OFFSET
from tests.checker.crowded import Crowded, crowded
from tests.checker.victims.test_least import JUDGES, brute_force
from tests.checker.victims.test_sums import asked, every_judge
from tests.support.building import node, pod, snapshot


def values(made: Question, stated: Program, victims: VictimSet) -> Numbers:
    """The victims as values of the variables: each budget is exceeded by as few as possible."""
    counts = made.counts(victims)
    exceeding = [row for row in stated.rows if len(row.weights) > stated.classes and 1 in row.weights[stated.classes :]]
    rows = {
        row.weights.index(1, stated.classes): row
        for row in exceeding
        if min(row.weights[: stated.classes], default=0) >= -1
    }
    short = (
        max(0, rows[place].least - sum(map(int.__mul__, rows[place].weights, counts)))
        for place in range(stated.classes, len(stated.upper))
    )
    return (*counts, *short)


def left_out(name: str) -> int:
    """The number of better sets, of a third of all pairs, that solve no program."""
    return sum(
        not any(stated.solved(values(made, stated, better)) for stated in programs(made, victims))
        for made, fitting in asked(name)
        for number, (victims, damage) in enumerate(fitting.items())
        for better, less in list(fitting.items())[number % 3 :: 3]
        if less < damage
    )


@every_judge
def test_every_better_set_solves_a_program(name: str) -> None:
    assert left_out(name) == 0


def fewer_cases(pods: tuple[Any, ...], victims: VictimSet, better: bool) -> tuple[tuple[Demand, ...], ...]:
    """The twin forgets that fewer victims of higher priorities may be worse, and more may be better."""
    return criteria._demand_shifted(pods, victims, better)[:2]


def test_forgetting_more_victims_of_lower_priorities_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """One victim of a priority near 2^31 is worse than two of a priority far below 0."""
    low = [pod(f"low-{number}", 1, "n", priority=-OFFSET + 1) for number in range(2)]
    there = [*low, pod("high", 2, "n", priority=0)]
    new, where = pod("new", 2, priority=9), node("n", 4)
    judge = JUDGES["kubernetes"]
    # Without the criterion of the highest priority, which would decide first.
    judge = replace(judge, criteria=tuple(each for each in judge.criteria if "2^31" in each.words))
    made = question(new, where, snapshot(new, where, *there), judge)
    worse, better = frozenset(there[2:]), frozenset(low)
    assert any(stated.solved(values(made, stated, better)) for stated in programs(made, worse))
    twins = tuple(replace(each, parts=fewer_cases) for each in judge.criteria)
    made = question(new, where, snapshot(new, where, *there), replace(judge, criteria=twins))
    assert not any(stated.solved(values(made, stated, better)) for stated in programs(made, worse))


def drawn(seed: int) -> Program:
    """A program of two to four small variables."""
    chance = random.Random(seed)
    count = chance.randint(2, 4)
    rows = tuple(
        Row(tuple(chance.randint(-4, 4) for _ in range(count)), chance.randint(-5, 9))
        for _ in range(chance.randint(1, 4))
    )
    if chance.random() < 0.4:
        # An even sum is never odd, which a relaxation does not know.
        even, odd = tuple(2 * chance.randint(0, 2) for _ in range(count)), 2 * chance.randint(1, 4) + 1
        rows = (*rows, Row(even, odd - chance.choice((0, 0, 1))), Row(tuple(-each for each in even), -odd))
    sums = (tuple(chance.randint(0, 1) for _ in range(count)),)
    return Program(count, tuple(chance.randint(0, 3) for _ in range(count)), rows, sums)


def solvable(stated: Program) -> bool:
    """Whether some values solve the program, by trying all."""
    return any(stated.solved(each) for each in product(*(range(most + 1) for most in stated.upper)))


def leaves(tree: Tree) -> Iterator[Leaf]:
    if isinstance(tree, Leaf):
        yield tree
    else:
        yield from leaves(tree.below)
        yield from leaves(tree.above)


def test_a_program_is_refuted_exactly_if_no_values_solve_it() -> None:
    seen: Counter[tuple[bool, bool]] = Counter()
    for seed in range(250):
        stated = drawn(seed)
        tree = Relaxations(stated, Spent()).tree()
        assert (tree is None) == solvable(stated), seed
        assert tree is None or refuted(stated, tree)
        seen[tree is None, tree is not None and len(list(leaves(tree))) > 1] += 1
    assert seen[True, False] > 50 and seen[False, False] > 50 and seen[False, True] > 10


def wrong(seeds: range) -> int:
    """The number of programs with a solution that random trees are said to refute."""
    found = 0
    for seed in seeds:
        stated, chance = drawn(seed), random.Random(seed)
        if solvable(stated):
            tree: Tree = leaf(stated, chance, 0)
            if chance.random() < 0.5:
                weights = stated.sums[0]
                tree = Branch(weights, chance.randint(0, 4), leaf(stated, chance, 1), leaf(stated, chance, 1))
            found += refuted(stated, tree)
    return found


def leaf(stated: Program, chance: random.Random, more: int) -> Leaf:
    return Leaf(tuple(chance.choice((-1, 0, 1, 1, 2)) for _ in range(len(stated.rows) + more)))


def test_no_tree_refutes_a_program_with_a_solution() -> None:
    assert wrong(range(1500)) == 0


def reaching(rows: Any, upper: Numbers, multipliers: Numbers) -> bool:
    """The twin takes negative multipliers, as if a row could be turned round."""
    return program_contradictory(rows, upper, tuple(map(abs, multipliers))) or (
        min(multipliers) < 0 and sum(n * row.least for n, row in zip(multipliers, rows, strict=True)) > 0
    )


program_contradictory = program.contradictory


def gapped(weights: Numbers, most: int) -> tuple[Row, Row]:
    """The twin leaves out an integer between the two sides."""
    less, more = sides(weights, most)
    return less, replace(more, least=more.least + 1)


def at_the_bound(rows: Any, upper: Numbers, multipliers: Numbers) -> bool:
    """The twin takes a sum for out of reach that is just reached."""
    return program_contradictory([replace(row, least=row.least + 1) for row in rows], upper, multipliers)


@pytest.mark.parametrize("twin", [reaching, at_the_bound])
def test_a_broken_check_refutes_programs_with_solutions(twin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "contradictory", twin)
    assert wrong(range(1500))


def test_sides_that_leave_out_an_integer_refute_programs_with_solutions(monkeypatch: pytest.MonkeyPatch) -> None:
    def believed() -> list[int]:
        trees = ((seed, Relaxations(drawn(seed), Spent()).tree()) for seed in range(250) if solvable(drawn(seed)))
        return [seed for seed, tree in trees if tree is not None and refuted(drawn(seed), tree)]

    assert believed() == []
    for module in (program, branching):
        monkeypatch.setattr(module, "sides", gapped)
    assert believed()


def crammed(seed: int, count: int) -> Crowded:
    """A node with `count` pods of many sizes of two resources, budgets, and priorities."""
    from benchmarks.victims import crowded as crowd

    return Crowded(*crowd(random.Random(seed), count, alike=False))


def test_programs_and_the_solver_agree_on_nodes_of_many_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = JUDGES["kubernetes"]
    made = [question(*crammed(seed, 25), judge) for seed in range(6)]
    found = [least(each) for each in made]
    assert Counter(each.proof.by for each in found)[BY_PROGRAMS] >= 4 and all(each.proved for each in found)
    monkeypatch.setattr(search, "_lightened", lambda stated, best: best)
    monkeypatch.setattr(search, "_by_programs", lambda stated, victims: None)
    again = [least(question(*crammed(seed, 25), judge)) for seed in range(6)]
    assert [each.casualty for each in again] == [each.casualty for each in found]
    assert Counter(each.proof.by for each in again)[BY_SOLVER] >= 4


def test_wrong_duals_and_wrong_solutions_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floating point only proposes: with noise instead, the solver finds and proves the same."""
    judge = JUDGES["kubernetes"]
    chance = random.Random(7)
    solved = Elastic.solved

    def noisy(*given: Any) -> Any:
        found, multipliers = solved(*given)
        return found, tuple(each + chance.choice((0, 1, 2**41)) for each in multipliers)

    monkeypatch.setattr(Elastic, "solved", noisy)
    monkeypatch.setattr(
        branching, "solution", lambda stated, seconds: tuple(chance.randint(0, most) for most in stated.upper)
    )
    for seed in range(25):
        given = crowded(seed)
        found = least(question(*given, judge))
        assert found.proved and found.casualty == brute_force(given, judge)[0]


def test_a_false_refutation_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = JUDGES["kubernetes"]
    given = crammed(2, 20)
    right = least(question(*given, judge))
    made = question(*given, judge)
    trees = tuple(Leaf((0,) * len(each.rows)) for each in programs(made, frozenset(made.jeopardy)))
    assert not Proof((), frozenset(made.jeopardy), BY_PROGRAMS, trees).without_solution(made)
    monkeypatch.setattr(Programs, "refutations", lambda self, victims: trees)
    found = least(made)
    assert (found.proof.by, found.casualty, found.proved) == (BY_SOLVER, right.casualty, True)


def test_a_proof_lacks_no_program() -> None:
    judge = JUDGES["kubernetes"]
    made = question(*crammed(2, 20), judge)
    proof = least(made).proof
    assert proof.by == BY_PROGRAMS and proof.without_solution(made)
    assert not replace(proof, trees=proof.trees[1:]).without_solution(made)
    assert not replace(proof, victims=made.jeopardy).without_solution(made)


def test_beyond_a_bound_programs_prove_nothing() -> None:
    made = question(*crammed(2, 20), JUDGES["kubernetes"])
    assert not least(made, Spent(Effort(seconds=0))).proved
    found = least(made, Spent(Effort(rounds=0)))
    assert not found.proved and "rounds" in found.stopped

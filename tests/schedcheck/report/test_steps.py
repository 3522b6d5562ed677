"""The steps of a behaviour: rows of created pods folded, steps of other pods counted, the first eviction named"""

import io

from schedcheck.report.text.steps import MOST_LINES, first_evicted, show_steps
from schedcheck.report.text.terminal import Terminal


def shown(actions: list[str], asked: set[str]) -> list[str]:
    written = io.StringIO()
    show_steps(actions, asked, Terminal(file=written, width=100))
    return written.getvalue().splitlines()


def created(number: int) -> list[str]:
    return [f"Create(web-{each})" for each in range(number)]


PODS = {f"web-{each}" for each in range(200)}


def test_a_long_row_of_created_pods_is_folded() -> None:
    found = shown([*created(8), "Bind(web-0, n1)", "Create(web-9)"], PODS)
    assert found == [
        " 1  Create(web-0)",
        "    … Create of 6 more pods",
        " 8  Create(web-7)",
        " 9  Bind(web-0, n1)",
        "10  Create(web-9)",
    ]


def test_a_short_row_is_shown() -> None:
    assert shown(created(5), PODS) == [f"{each + 1}  Create(web-{each})" for each in range(5)]


def test_steps_of_other_pods_are_counted() -> None:
    found = shown(["Create(db)", "Recount(web)", "Create(web-0)"], PODS)
    assert found == [
        "3  Create(web-0)",
        "2 steps of other pods and of budgets left out; --format json has them",
    ]


def test_an_evicted_pod_is_told_as_those_that_are_asked_about() -> None:
    actions = ["Nominate(web-0, n1, {a, db})", "EvictVictim(db)", "Create(db)"]
    assert [line.partition("  ")[2] for line in shown(actions, PODS)] == actions


def test_the_middle_of_many_lines_is_counted_by_steps() -> None:
    # 100 binds, with a row of 10 creations in the middle, which is three lines.
    binds = [f"Bind(web-{each}, n1)" for each in range(100)]
    found = shown([*binds[:50], *created(10), *binds[50:]], PODS)
    assert len(found) == MOST_LINES + 1
    assert found[30].strip() == "… 50 more steps; --format json has them all"
    assert (found[29].split()[0], found[31].split()[0]) == ("30", "81")


def test_the_first_victim_is_named_with_the_pod_that_was_nominated_for_it() -> None:
    actions = ["Nominate(a/x-1, n1, {a/v, a/w})", "Nominate(a/x-2, n1, {a/w})", "EvictVictim(a/w)", "EvictVictim(a/v)"]
    assert first_evicted(actions) == ("a/w", "a/x-1")
    assert first_evicted(["Bind(a/x-1, n1)"]) is None

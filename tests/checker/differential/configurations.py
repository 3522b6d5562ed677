"""Compare the production scheduler with the specification under random configurations

    python -m tests.checker.differential.configurations [--size 3000] [--seed 0]

Every configuration is read from its file, and a pod of a random cluster is scheduled by one of its profiles. The script
prints how many agreed and their outcomes, and fails at the first difference with the smallest configuration and
cluster.
"""

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.testing.drawn_configurations import Json, profiles_of, random_configuration

LARGEST_SEED = 2**32 - 1
PREPARED_POINTS = (("preFilter", "filter"), ("preScore", "score"))
"""Pairs of points of which the second needs the state of the first."""

Question = tuple[tuple[Pod, Snapshot, Plugins], int]


def questions() -> st.SearchStrategy[Question]:
    """A pod and a cluster, and the seed of a configuration."""
    clusters = st.one_of(*(FAMILIES[kind] for kind in sorted(FAMILIES)))
    return st.tuples(clusters, st.integers(0, LARGEST_SEED))


def halves(plugins: Plugins) -> list[str]:
    """The plugins that filter or score without their state, as their preFilter or preScore is disabled."""
    return [
        name
        for before, after in PREPARED_POINTS
        for name in plugins.at(after)
        if name in DEFAULT_PLUGINS.at(before) and name not in plugins.at(before)
    ]


def outcome(made: Conclusion) -> str:
    """The kind of outcome of a cycle."""
    if made.hosts:
        return "bind"
    if made.nominated:
        return "nominate"
    return "refuse" if made.statuses is not None else "end in an error"


def agree(question: Question, counted: Counter[str]) -> None:
    """Fail if the configured scheduler decides differently than the specification allows."""
    (pod, snapshot, _), start = question
    chance = Random(start)
    document: Json = random_configuration(chance)
    profiles = profiles_of(document)
    asked = replace(pod, scheduler_name=chance.choice(profiles).scheduler_name)
    plugins = by_scheduler_name(asked, profiles)
    made = concluded(asked, snapshot, *profiles)
    found = difference(made, snapshot, plugins)
    assert found is None, f"{document}\n{found}"
    counted[outcome(made)] += 1
    counted["with a plugin half disabled"] += halves(plugins) != []
    counted["with several profiles"] += len(profiles) > 1


def compared(size: int, start: int, judge: Callable[[Question, Counter[str]], None] = agree) -> Counter[str]:
    """The outcomes of this number of cycles, each under a configuration of its own.

    Raises: AssertionError at a difference.
    """
    counted: Counter[str] = Counter()

    def one(question: Question) -> None:
        counted["configurations"] += 1
        judge(question, counted)

    phases = [Phase.generate, Phase.shrink]
    often = settings(
        max_examples=size, suppress_health_check=list(HealthCheck), deadline=None, database=None, phases=phases
    )
    seed(start)(often(given(questions())(one)))()
    return counted


def line(counted: Counter[str]) -> str:
    """The counts in one line."""
    parts = [f"{what} {number:,}" for what, number in sorted(counted.items()) if what != "configurations"]
    return f"{counted['configurations']:,} configurations without a difference: {', '.join(parts)}"


def main(given_arguments: list[str] | None = None) -> None:
    """Compare until everything is compared or a difference is found."""
    parser = argparse.ArgumentParser(
        description="Hold the production scheduler to the specification under random configurations."
    )
    parser.add_argument("--size", type=int, default=3000, help="how many configurations")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(given_arguments)
    print(line(compared(arguments.size, arguments.seed)), flush=True)


if __name__ == "__main__":
    main()

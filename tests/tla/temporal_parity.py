"""Compare TLC's verdicts on temporal properties under fairness with ours, on random graphs and on the examples

    python -m tests.tla.temporal_parity --jar path/to/tla2tools.jar [--graphs 40] [--formulas 40] [--first 0]
        [--part graphs|formulas|examples|groups|claims|autoscalers ...] [--seconds S]

A graph is a module of its own, with an action for each letter, and WF or SF of each according to its kind. For an
example, a gang, a PodGroup, resource claims or an autoscaler it is the module that is exported. A formula joins random properties of behaviours; `tla check` judges its
module. A formula whose form is refused is counted, and not judged by TLC.
"""

import argparse
import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from schedcheck.checker.check import check
from schedcheck.checker.language.checking.breaking import NotSupported
from schedcheck.checker.language.checking.checking import check as check_module
from schedcheck.checker.liveness.temporal import counterexample
from schedcheck.checker.properties.behaviours import OF_A_POD
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, InfinitelyOften, LeadsTo, Temporal
from schedcheck.tla_export.export import module_name
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.properties import properties_in_tla
from tests.checker.language.modelling import model as modelled
from tests.checker.liveness.labelled import ACTIONS, STATES, STRONG, WEAK, Event, Labelled, Strong, Weak
from tests.examples.test_examples import example
from tests.tla.claim_scenes import SCENES as CLAIMS
from tests.tla.group_scenes import SCENES
from tests.tla.run_tlc import TLCError, run
from tests.tla.scaled_scenes import SCENES as SCALED
from tests.tla.scaled_scenes import SINGLE

VIOLATED = re.compile(r"Error: Temporal propert(y \w+ was|ies were) violated")
EXAMPLES = (
    "head-of-line",
    "multi-step",
    "affinity-deadlock",
    "node-failure",
    "faults/overlapping-case",
    "evicted-twice",
)
"""Small examples. In faults/overlapping-case the scheduler may preempt no pod."""
GROUPS = ("pair", "gangs 4", "gangs 8", "group", "groups 6", "a member that is bound", "the priority of the group")
"""Small scenarios of SCENES."""


def holds(jar: Path, name: str, modules: dict[str, str]) -> bool:
    """Whether TLC finds that the property of a module holds. Raises TLCError for any other result."""
    try:
        run(jar, name, modules)
    except TLCError as error:
        if VIOLATED.search(str(error)):
            return False
        raise
    return True


def numbers(states: frozenset[int]) -> str:
    return "{" + ", ".join(map(str, sorted(states))) + "}"


def any_machine(chance: random.Random) -> Labelled:
    """Up to twelve edges, as many fair letters as others; about one in four edges changes nothing."""
    return any_edges(chance, 12, 1 / 4)


def any_edges(chance: random.Random, most: int, stuttering: float) -> Labelled:
    """Three edges or more, with at most one letter between two states.

    In TLA+ a letter is an action defined by the pairs of states that it relates. With two letters between the same
    states each step would take both actions, unlike in the graph (docs/decisions/fairness.md).
    """
    edges = {}
    for _ in range(chance.randint(3, most)):
        start = chance.randrange(STATES)
        end = start if chance.random() < stuttering else chance.randrange(STATES)
        letter = chance.choice("wvsteo")
        edges[start, end, letter if start == end else ""] = (start, letter, end)
    return Labelled(tuple(edges.values()))


def any_question(chance: random.Random) -> tuple[Temporal, str]:
    """A property, and the same in TLA+."""
    when, good = (frozenset(chance.sample(range(STATES), chance.randint(1, 3))) for _ in range(2))
    rests = chance.random() < 0.5
    meanwhile = (Event,) if rests else ()
    fair = Fairness((Weak,), (Strong,))
    premise = '<>[][~Do("e")]_s => ' if rests else ""
    kind = chance.randrange(4)
    if kind == 0:
        return Eventually("q", "", good.__contains__, fair, meanwhile), f"{premise}<>(s \\in {numbers(good)})"
    if kind == 1:
        said = f"{premise}((s \\in {numbers(when)}) ~> (s \\in {numbers(good)}))"
        return LeadsTo("q", "", when.__contains__, good.__contains__, fair, meanwhile), said
    if kind == 2:
        said = f"{premise}([]<>(s \\in {numbers(when)}) => []<>(s \\in {numbers(good)}))"
        return InfinitelyOften("q", "", good.__contains__, when.__contains__, fair, meanwhile), said
    letters = chance.choice(("o", "wv", "s"))
    kinds = tuple({type(ACTIONS[letter]): None for letter in letters})
    letters = "".join(letter for letter, action in ACTIONS.items() if type(action) in kinds)
    taken = " \\/ ".join(f'Do("{letter}")' for letter in letters)
    return Ceases("q", "", kinds, fair, meanwhile), f"{premise}<>[][~({taken})]_s"


def module(machine: Labelled, said: str) -> dict[str, str]:
    """The graph as a module, and its configuration."""
    edges = ", ".join(f'<<{start}, "{letter}", {end}>>' for start, letter, end in machine.edges)
    fair = [f'WF_s(Do("{letter}"))' for letter in sorted(WEAK)] + [f'SF_s(Do("{letter}"))' for letter in sorted(STRONG)]
    fairly = " /\\ ".join(fair)
    text = f"""---- MODULE Labelled ----
EXTENDS Naturals
VARIABLE s
Edges == {{{edges}}}
Do(Letter) == \\E Edge \\in Edges : Edge[1] = s /\\ Edge[2] = Letter /\\ s' = Edge[3]
Init == s \\in {numbers(frozenset(machine.initial))}
Next == \\E Letter \\in {{"e", "o", "s", "t", "v", "w"}} : Do(Letter)
Spec == Init /\\ [][Next]_s /\\ {fairly}
Asked == {said}
====
"""
    return {"Labelled.tla": text, "Labelled.cfg": "SPECIFICATION Spec\nPROPERTY Asked\nCHECK_DEADLOCK FALSE\n"}


def unlike_graphs(jar: Path, seeds: Iterable[int]) -> int:
    """The number of random graphs on which the verdicts differ."""
    unlike, number, kept = 0, 0, 0
    for seed in seeds:
        number += 1
        chance = random.Random(seed)
        machine = any_machine(chance)
        question, said = any_question(chance)
        found = counterexample(
            machine.graph(STATES), question, lambda holds: np.array([holds(state) for state in range(STATES)])
        )
        answer = holds(jar, "Labelled", module(machine, said))
        kept += answer
        if answer != (found is None):
            unlike += 1
            print(f"seed {seed}: TLC says {'holds' if answer else 'violated'}: {machine} {said}")
    print(f"{number} graphs, of which {kept} keep their property; {unlike} verdicts differ", flush=True)
    return unlike


def any_action(chance: random.Random) -> str:
    return f'Do("{chance.choice("wvsteo")}")'


def any_formula(chance: random.Random, depth: int = 2) -> str:
    """A formula of behaviours of the module, with up to four parts."""
    if depth and chance.random() < 0.7:
        joined = chance.choice(("/\\", "\\/", "=>"))
        return f"({any_formula(chance, depth - 1)} {joined} {any_formula(chance, depth - 1)})"
    p, q = (f"(s \\in {numbers(frozenset(chance.sample(range(STATES), chance.randint(1, 3))))})" for _ in range(2))
    return chance.choice(
        (
            f"<>{p}",
            f"[]<>{p}",
            f"<>[]{p}",
            f"({p} ~> {q})",
            f"[]({p} => <>{q})",
            f"[]<><<{any_action(chance)}>>_s",
            f"<>[][{any_action(chance)}]_s",
            f"WF_s({any_action(chance)})",
            f"SF_s({any_action(chance)})",
        )
    )


def unlike_formulas(jar: Path, seeds: Iterable[int]) -> int:
    """The number of random formulas on which the verdicts of `tla check` and TLC differ."""
    unlike, number, kept, refused = 0, 0, 0, 0
    for seed in seeds:
        number += 1
        chance = random.Random(f"formula {seed}")
        texts = module(any_machine(chance), any_formula(chance))
        found = explored(texts["Labelled.tla"], texts["Labelled.cfg"])
        if found is None:
            refused += 1
            continue
        answer = holds(jar, "Labelled", texts)
        kept += answer
        if answer != (found is Verdict.HOLDS):
            unlike += 1
            print(f"formula {seed}: TLC says {'holds' if answer else 'violated'}, not {found}: {texts['Labelled.tla']}")
    print(f"{number} formulas, of which {kept} hold and {refused} are refused; {unlike} verdicts differ", flush=True)
    return unlike


def explored(text: str, configuration: str) -> Verdict | None:
    """The verdict of `tla check` on a module; None if it refuses the form of the property."""
    try:
        return check_module(modelled(text, configuration), Bounds()).result.verdict
    except NotSupported:
        return None


def asked(scene: Scenario, *questions: str) -> Iterator[Scenario]:
    """Yield the scenario with each question and each fairness."""
    for fairness, question in product(("none", "weak", "strong"), questions):
        yield replace(scene, properties=(question,), fairness=fairness, constraints=())


def of_examples() -> Iterator[Scenario]:
    """Yield all questions about examples."""
    for name in EXAMPLES:
        of_pods = [f"{question}({pod.name})" for question, pod in product(OF_A_POD, example(name).pods)]
        yield from asked(example(name), *of_pods, "comes_to_rest")


def of_groups() -> Iterator[Scenario]:
    """Yield questions about gangs and PodGroups; those that are left out, for their many instances, are not asked."""
    for name in GROUPS:
        of_pods = [f"{question}({pod.name})" for question, pod in product(OF_A_POD, SCENES[name].pods[:1])]
        scenes = asked(replace(SCENES[name], name=name), *of_pods, "comes_to_rest", "all_pods_eventually_bound")
        yield from (each for each in scenes if not properties_in_tla(each).left_out)


def of_claims() -> Iterator[Scenario]:
    """Yield questions about pods with resource claims; those that are left out, for their many instances, are not asked."""
    for name, scene in CLAIMS.items():
        of_pods = [f"{question}({pod.name})" for question, pod in product(OF_A_POD, scene.pods)]
        scenes = asked(replace(scene, name=name), *of_pods, "comes_to_rest", "all_pods_eventually_bound")
        yield from (each for each in scenes if not properties_in_tla(each).left_out)


def of_autoscalers() -> Iterator[Scenario]:
    """Yield questions about autoscalers of pods; those that are left out, for their many instances, are not asked."""
    by_hand_first = sorted({**SINGLE, **SCALED}.items(), key=lambda named: named[0].startswith(("seed", "single")))
    for name, scene in by_hand_first:
        of_pods = [f"{question}({pod.name})" for question, pod in product(OF_A_POD, scene.pods)]
        reached = [f"replicas_reached(app={each.name}, 2)" for each in scene.rollouts]
        scenes = asked(replace(scene, name=name), *of_pods, *reached, "comes_to_rest", "all_pods_eventually_bound")
        yield from (each for each in scenes if not properties_in_tla(each).left_out)


def unlike_scenarios(jar: Path, what: str, scenarios: Iterable[Scenario]) -> int:
    """The number of questions about exported scenarios on which the verdicts differ."""
    unlike, number, kept = 0, 0, 0
    for scenario in scenarios:
        result = check(scenario).result
        own = module_name(scenario)
        text, configuration = model_module(scenario, own)
        assert "PROPERTY" in configuration, (scenario.name, scenario.properties)
        answer = holds(jar, own, {f"{own}.tla": text, f"{own}.cfg": configuration})
        number, kept = number + 1, kept + answer
        # A property that holds vacuously also holds in TLA+, which does not check whether a premise was ever met.
        if answer != (result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)):
            unlike += 1
            asked_of = f"{scenario.name}, {scenario.properties[0]}, {scenario.fairness}"
            print(f"{asked_of}: TLC says {'holds' if answer else 'violated'}, not {result.verdict}")
    print(f"{number} questions about {what}, {kept} of which hold; {unlike} verdicts differ", flush=True)
    return unlike


PARTS: dict[str, Callable[[Path, Callable[[Iterable[Any]], Iterator[Any]], argparse.Namespace], int]] = {
    "graphs": lambda jar, some, given: unlike_graphs(jar, some(range(given.first, given.first + given.graphs))),
    "formulas": lambda jar, some, given: unlike_formulas(jar, some(range(given.first, given.first + given.formulas))),
    "examples": lambda jar, some, _: unlike_scenarios(jar, "examples", some(of_examples())),
    "groups": lambda jar, some, _: unlike_scenarios(jar, "gangs and PodGroups", some(of_groups())),
    "claims": lambda jar, some, _: unlike_scenarios(jar, "resource claims", some(of_claims())),
    "autoscalers": lambda jar, some, _: unlike_scenarios(jar, "autoscalers of pods", some(of_autoscalers())),
}
"""What is compared, each of what there is time for."""


def in_time(seconds: float) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """What yields those of some questions for which there is time."""
    end = time.monotonic() + seconds
    return lambda some: takewhile(lambda _: time.monotonic() < end, some)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare verdicts on temporal properties with TLC's.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar")
    parser.add_argument("--graphs", type=int, default=40, help="how many random graphs")
    parser.add_argument("--formulas", type=int, default=40, help="how many random formulas")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=math.inf, help="how long each part may ask")
    parser.add_argument("--part", action="append", choices=PARTS, help="compare this part; all without the option")
    given = parser.parse_args()
    unlike = [PARTS[part](given.jar, in_time(given.seconds), given) for part in given.part or PARTS]
    return int(any(unlike))


if __name__ == "__main__":
    sys.exit(main())

"""The states of a scenario with the instance of the step that led to each: counted by its machine, and by its module

In the module each state also comes without an instance, since any step may be taken without saying as which.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from schedcheck.checker.language.checking.checking import check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.liveness.graph import instance
from schedcheck.checker.properties.behaviours import ENVIRONMENT
from schedcheck.checker.result import Bounds
from schedcheck.model.controllers import Autoscale, Recommend
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.export import module_name
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR
from tests.tla.exported import Broken, written

LABELLED = """---- MODULE Labelled ----
EXTENDS {module}
VARIABLE Last
NoInstance == <<"", <<"", "">>, "", {{}}>>
First == {init} /\\ Last = NoInstance
Then ==
  \\/ {next} /\\ {prefix}Variables' # {prefix}Variables /\\ Last' = NoInstance
  \\/ \\E Instance \\in {prefix}Instances : {prefix}Taken(Instance) /\\ {prefix}Variables' # {prefix}Variables /\\ Last' = Instance
====
"""


def unread(action: Any) -> tuple[type, str]:
    """The instance of an action. What an autoscaler has read says why it acts, and is no part of an instance in tla/."""
    if isinstance(action, Autoscale):
        return instance(replace(action, read="", earlier=False))
    return instance(replace(action, read="") if isinstance(action, Recommend) else action)


def by_machine(scenario: Scenario) -> int:
    """The number of states, and of pairs of a state and an instance that leads to it from another."""
    machine = Reference(scenario, profile_of(scenario))
    new = list(machine.initial_states())
    states, pairs = set(new), set()
    while new:
        state = new.pop()
        for action, after in machine.steps(state):
            if after == state:
                continue
            if type(action) not in ENVIRONMENT:
                pairs.add((after, unread(action)))
            if after not in states:
                states.add(after)
                new.append(after)
    return len(states) + len(pairs)


def by_module(scenario: Scenario, folder: Path, broken: Broken | None = None) -> int:
    """The same of the exported module, of which a text in one module is replaced."""
    written(scenario, folder, broken)
    own, specification = module_name(scenario), system_of(scenario).specification
    prefix = FAIR[system_of(scenario).module].prefix
    init, step = (specification.replace("Spec", each) for each in ("Init", "Next"))
    (folder / "Labelled.tla").write_text(
        LABELLED.format(module=own, init=init, next=step, prefix=prefix), encoding="utf-8"
    )
    lines = (folder / f"{own}.cfg").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("SPECIFICATION", "INVARIANT", "PROPERTY"))]
    (folder / "Labelled.cfg").write_text("\n".join(["INIT First", "NEXT Then", *kept, ""]), encoding="utf-8")
    read = loaded(folder / "Labelled.tla", (folder,), MODULES)
    model = Model(read.modules, read.root.name, configuration(folder / "Labelled.cfg"))
    return check(model, Bounds(seconds=300)).result.distinct

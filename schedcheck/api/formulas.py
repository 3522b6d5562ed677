"""Named properties and formulas of TLA+, told apart: `in_tla`, `of_scenario`; guards in TLA+: `with_guards`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from schedcheck.tla_export.property_names import called

if TYPE_CHECKING:
    from schedcheck.manifests import Cluster
    from schedcheck.manifests.fields import Field
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.properties.kinds import Property
    from schedcheck.tla_export.formulas import Asked


def in_tla(
    texts: Sequence[str], scenario: "Scenario", places: "Sequence[Asked]" = ()
) -> "tuple[tuple[str, ...], tuple[Property, ...]]":
    """Return the texts that name properties, and the properties that the others state; `places` say where each is asked.

    A text in the form of a name is a name, unless only the vocabulary of tla/ has it. Raises: InputError.
    """
    from schedcheck.checker.properties.by_name import NAMES

    doubtful = {text: name for text in texts if (name := called(text))}
    if all(text in doubtful and doubtful[text] in NAMES for text in texts):
        return tuple(texts), ()
    from schedcheck.errors import InputError
    from schedcheck.tla_export.formulas import AS_AN_ARGUMENT, Vocabulary

    where = dict(zip(texts, places, strict=True)) if places else dict.fromkeys(texts, AS_AN_ARGUMENT)
    try:
        words = Vocabulary(scenario, next(where[text] for text in texts if doubtful.get(text) not in NAMES))
    except InputError:
        if len(doubtful) < len(texts):
            raise
        return tuple(texts), ()
    named = [text for text in doubtful if doubtful[text] in NAMES or not words.defines(doubtful[text])]
    return tuple(text for text in texts if text in named), tuple(
        words.property_of(text, where[text]) for text in texts if text not in named
    )


def of_scenario(scenario: "Scenario", cluster: "Cluster") -> "tuple[tuple[str, ...], tuple[Property, ...]]":
    """Return the named properties of the scenario, and those that its formulas state. Raises: InputError."""
    from schedcheck.checker.properties.by_name import NAMES

    if cluster.scenario is None or all(called(text) in NAMES for text in scenario.properties):
        return scenario.properties, ()
    return in_tla(
        scenario.properties, scenario, [_place(each) for each in cluster.scenario["spec"]["properties"].items()]
    )


def with_guards(scenario: "Scenario", cluster: "Cluster") -> "Scenario":
    """Return the scenario with the meaning of the guards that are formulas of TLA+. Raises: InputError."""
    if cluster.scenario is None or all(guard.name for rule in scenario.rules for guard in rule.guards):
        return scenario
    from schedcheck.tla_export.guards import read

    fields = cluster.scenario["spec"]["events"].items()
    rules = []
    for field, rule in zip(fields, scenario.rules, strict=True):
        given = field["when"] if rule.guards else field
        places = [_place(each) for each in (given.items() if isinstance(given.value, list) else [given])]
        guards = (
            guard if guard.name else read(guard, scenario, place)
            for guard, place in zip(rule.guards, places, strict=bool(rule.guards))
        )
        rules.append(replace(rule, guards=tuple(guards)))
    return replace(scenario, rules=tuple(rules))


def _place(field: "Field") -> "Asked":
    """Return the place of a field of a scenario."""
    from schedcheck.manifests.documents import STANDARD_INPUT
    from schedcheck.tla_export.formulas import Asked

    place = field.place()
    folder = Path() if place["file"] == STANDARD_INPUT else Path(place["file"]).parent
    return Asked(place["path"], place["file"], place["document"], folder)

"""Decisions with extenders whose answers are wrong, or right in an unusual form: `odd_answer`

An ignorable extender that answers something else than the protocol allows is left out, as if it could not be reached. One that
writes field names in other letters, leaves out what is empty, or rates a node in two parts is understood.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.spec.objects import Snapshot
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small
from tests.checker.differential.search.aftermath import agree
from tests.checker.differential.search.singles import extender
from tests.checker.extenders.test_as_values import listed
from tests.support.extending import Ruled, over_http

Answer = Callable[[str, Any], Any]
"""How the answer to a verb is changed."""
WRONG: dict[str, tuple[Any, ...]] = {
    "filter": (
        [], 5, {"Error": "no"}, {"error": "no"}, {"Error": 1}, {"NodeNames": "n1", "Nodes": "n1"},
        {"NodeNames": ["elsewhere"], "Nodes": {"items": "n1"}}, {"NodeNames": [1], "Nodes": {"items": [1]}},
        {"NodeNames": [], "Nodes": {"items": []}, "FailedNodes": []}, {"NodeNames": [], "FailedNodes": {"n1": 1}},
        {"NodeNames": [], "FailedAndUnresolvableNodes": {"n1": False}},
    ),
    "prioritize": ({}, 5, "n1", [5], [{"Host": 1}], [{"Host": "n1", "Score": "1"}], [{"Host": "n1", "Score": True}]),
    "preempt": (
        [], 5, {"NodeNameToMetaVictims": []}, {"NodeNameToMetaVictims": {"n1": []}},
        {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "nobody"}]}}}, {"NodeNameToMetaVictims": {"n1": {"Pods": {}}}},
        {"NodeNameToMetaVictims": {"n1": {"Pods": [], "NumPDBViolations": "0"}}},
    ),
    "bind": ([], {"Error": "no"}, {"error": "no"}, {"ERROR": "no"}),
}  # fmt: skip
"""Answers that are errors, by verb."""


def lowered(thing: Any, *, keys: bool = True) -> Any:
    """Return an answer with other letters in its field names; names of nodes stay as they are."""
    if isinstance(thing, list):
        return [lowered(each) for each in thing]
    if not isinstance(thing, dict):
        return thing
    by_name = ("FailedNodes", "FailedAndUnresolvableNodes", "NodeNameToMetaVictims")
    made = {(key.lower() if keys else key): lowered(value, keys=key not in by_name) for key, value in thing.items()}
    return {key: value for key, value in made.items() if value or not keys}


def halved(answer: Any) -> Any:
    """Return the scores of prioritize in two parts each; any other answer as it is."""
    if not isinstance(answer, list):
        return answer
    return [part for each in answer for part in (each | {"Score": each["Score"] - 1}, each | {"Score": 1})]


def answering(rules: Ruled, there: Snapshot, odd: Answer, *, by_names: bool) -> HttpExtender:
    """Return the extender over HTTP, with answers that are changed."""
    made = over_http(rules, there, by_names=by_names)
    send = made._send

    def changed(url: str, message: Any) -> Any:
        return odd(url.rpartition("/")[2], send(url, message))

    made._send = changed
    return made


def odd_answer(start: str) -> None:
    """Judge a small cluster with an extender that answers oddly."""
    chance = Chance(f"odd {start}")
    names = ("preemption", *chance.some(("budgets", "taints", "images", "resources"), 0, 1))
    pod, there, plugins = small.question(chance, tuple(NAMED[each] for each in names))
    rules = replace(extender(chance, there), ignorable=True, down=False)
    wrong = chance.often(0.6)
    said = {verb: chance.choice(answers) for verb, answers in WRONG.items()}
    odd: Answer = (lambda verb, answer: said[verb]) if wrong else (lambda verb, answer: lowered(halved(answer)))
    over = answering(rules, listed(pod, there), odd, by_names=chance.often(0.5))
    agree((pod, there, plugins), [replace(rules, down=wrong)], [over])

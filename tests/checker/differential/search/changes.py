"""Random additions and removals of pods in a trial, compared with a new count: `changed`"""

from collections import Counter

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.questions import question
from tests.model.production.plugins.test_added_and_removed import agree


def changed(start: str) -> None:
    """Judge what each plugin says after some additions and removals."""
    chance = Chance.of(start)
    chance.features |= {chance.one("affinity", "anti-affinity", "spread", "volumes"), "namespaces"}
    agree((question(chance), chance.randrange(2**32)), Counter())

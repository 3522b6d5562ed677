"""Random choices that know which features are drawn: `Chance`, `FEATURES`.

A feature can hide the defect of another: of twenty pods with ports and taints hardly one reaches the score of a third
feature. So each cluster has a random subset of the features (Groce, Zhang, Eide, Chen and Regehr, "Swarm testing",
ISSTA 2012). Drawing takes a tenth of the time that Hypothesis takes; `smaller` shrinks instead.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, TypeVar

Thing = TypeVar("Thing")

FEATURES: Final = (
    "cpu", "memory", "gpu", "fractions", "pod-resources", "resize", "taints", "cordons", "selectors", "node-affinity",
    "affinity", "anti-affinity", "preferred-terms", "namespaces", "spread", "soft-spread", "policies", "defaults", "ports",
    "images", "image-sizes", "priorities", "nominations", "terminating", "budgets", "volumes", "disks", "provisioning", "attachments",
    "declared", "arguments", "versions", "configurations", "alike", "devices",
)  # fmt: skip
"""The features of a cluster and of its scheduler."""


THEMES: Final = (
    ("cpu", "memory", "gpu", "fractions", "pod-resources", "resize", "alike", "arguments"),
    ("taints", "cordons", "selectors", "node-affinity", "declared", "preferred-terms", "arguments", "alike"),
    ("affinity", "anti-affinity", "preferred-terms", "namespaces", "arguments"),
    ("spread", "soft-spread", "policies", "taints", "cordons", "selectors", "node-affinity", "terminating"),
    ("soft-spread", "defaults", "alike", "arguments", "policies"),
    ("images", "image-sizes", "alike", "preferred-terms", "cpu"),
    ("cpu", "priorities", "budgets", "terminating", "nominations", "alike"),
    ("cpu", "priorities", "nominations", "anti-affinity", "spread", "ports", "volumes", "disks", "gpu", "namespaces"),
    ("volumes", "provisioning", "attachments", "disks", "versions", "arguments", "namespaces"),
    ("ports", "priorities", "nominations", "pod-resources"),
)
"""Features that meet in one definition, so that a defect is likely to need several of them."""


class Chance(Random):
    """A generator of random numbers with the features that it draws."""

    features: frozenset[str] = frozenset(FEATURES)

    @classmethod
    def of(cls, start: int | str, offered: Sequence[str] = FEATURES) -> "Chance":
        """Return a generator with this seed: with some features of one or two themes and a few others, or any of all."""
        made = cls(start)
        offered = sorted(offered)
        if made.often(0.15):
            chosen = {each for each in offered if made.often(0.5)}
        else:
            themes = made.sample(THEMES, made.choice((1, 1, 2)))
            chosen = {each for theme in themes for each in theme if made.often(0.6)}
            own = [each for each in offered if each not in FEATURES]
            chosen |= {each for each in own if made.often(0.5)} | {*made.sample(offered, made.randint(0, 2))}
        made.features = frozenset(chosen & {*offered})
        return made

    def has(self, feature: str, often: float = 0.6) -> bool:
        """Whether the feature is drawn here: never without it, else with this probability."""
        return feature in self.features and self.random() < often

    def often(self, probability: float) -> bool:
        """Whether an event of this probability happens."""
        return self.random() < probability

    def one(self, *values: Thing) -> Thing:
        """Return one of the values."""
        return self.choice(values)

    def some(self, values: Sequence[Thing], least: int = 0, most: int = 2) -> tuple[Thing, ...]:
        """Return a few different ones of the values, in random order."""
        return tuple(self.sample(values, min(len(values), self.randint(least, most))))

    def list(self, make: Any, least: int = 0, most: int = 2) -> tuple[Any, ...]:
        """Return a few results of `make`."""
        return tuple(make() for _ in range(self.randint(least, most)))

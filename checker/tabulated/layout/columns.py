"""The table keys of a question, summed from the values of pods and nodes: `Key`, `Columns`, `MOST_WORDS`, `TooWide`.

Each value of a pod that points at a node adds to the *column* of that node. It also adds to the *wide* words, a single
row shared by all nodes. Several sights share the fields of these words; a mask selects the fields that a sight sees.
"""

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.layout.sight import OfNode, OfPod, Sight
from schedcheck.spec.objects import Node, Pod

MOST_WORDS = 4
"""The largest number of words for a column, and for the wide words."""

Block = tuple[int, ...]
"""The numbers of the values in one class."""


class TooWide(Exception):
    """A scenario that does not fit into tables; the text names the part that is too wide, and the reason."""


class PodValue(NamedTuple):
    """The slot of a pod, one of its values, and the slot of the node it points at (-1 for none)."""

    slot: int
    pod: Pod | None
    place: int


class NodeValue(NamedTuple):
    """The slot of a node and one of its values."""

    slot: int
    node: Node | None


class Key:
    """The bit fields of a key, packed into as few words as possible in the order in which they are added."""

    def __init__(self) -> None:
        self.used: list[int] = []

    def field(self, most: int) -> tuple[int, int]:
        """Add a field for numbers up to `most`; return its word and its shift."""
        width = most.bit_length()
        word = next((number for number, bits in enumerate(self.used) if bits + width <= 64), len(self.used))
        if word == len(self.used):
            self.used.append(0)
        self.used[word] += width
        return word, self.used[word] - width


class Fields:
    """The fields to which values add; a field that several sights share is made once."""

    def __init__(self) -> None:
        self.key = Key()
        self._masks: dict[Hashable, tuple[int, int]] = {}
        self._adds: dict[str, list[tuple[int, int, int]]] = {"pod": [], "node": []}

    def add(self, of: str, name: Hashable, adds: dict[int, int], most: int) -> tuple[int, int]:
        """Return the word and mask of the named field; add the field if it is new.

        `adds` is what each value (by number) adds to it, `most` the largest possible sum.
        """
        if most == 0:
            return 0, 0
        if (of, name) not in self._masks:
            word, shift = self.key.field(most)
            self._masks[of, name] = word, ((1 << most.bit_length()) - 1) << shift
            self._adds[of] += [(number, word, amount << shift) for number, amount in adds.items()]
        return self._masks[of, name]

    def rows(self, of: str, count: int) -> Words:
        """Return what each of `count` values adds to each word."""
        found = np.zeros((count, self.words), np.uint64)
        for number, word, amount in self._adds[of]:
            found[number, word] += np.uint64(amount)
        return found

    @property
    def words(self) -> int:
        """The number of words; at least one."""
        return max(1, len(self.key.used))


class Columns:
    """The columns and wide words of the values, for these sights; `budgets` is the most each budget may ever allow.

    Raises TooWide.
    """

    def __init__(
        self,
        sights: Sequence[Sight],
        pods: Sequence[PodValue],
        nodes: Sequence[NodeValue],
        budgets: Sequence[int],
    ) -> None:
        self.pods = pods
        self.nodes = nodes
        self.near, self.far = Fields(), Fields()
        groups = [list(self._groups(sight.near)) for sight in sights]
        whole = self._told_by_rank(group for each in groups for group in each)
        self._masks = []
        self.budgets = [self.far.key.field(most) for most in budgets] if any(each.budgets for each in sights) else []
        of_budgets = [
            (word, ((1 << most.bit_length()) - 1) << shift)
            for (word, shift), most in zip(self.budgets, budgets, strict=False)
        ]
        for sight, own in zip(sights, groups, strict=True):
            seen = [self._near_field(blocks) for group in own for blocks in self._split(group, whole)]
            seen.append(self._ranks(self.near, sight.node, range(len(nodes))))
            afar = [self._far_field(block) for block in self._blocks_by_place(sight.far)]
            afar += [self._ranks(self.far, sight.nodes, each) for each in self._by_slot]
            afar += of_budgets if sight.budgets else []
            afar += self._each_pod() if sight.everyone else []
            self._masks.append((seen, afar))
        if self.near.words > MOST_WORDS:
            raise TooWide(f"{self.near.words} words describe the pods on a node, more than {MOST_WORDS}")
        if self.far.words > MOST_WORDS:
            raise TooWide(f"pods depend on each other across nodes, and {self.far.words} words describe what they see")

    def _each_pod(self) -> Iterable[tuple[int, int]]:
        """Yield one field for each pod, which tells all its values apart."""
        of_slot: dict[int, list[int]] = {}
        for number, (slot, _, _) in enumerate(self.pods):
            of_slot.setdefault(slot, []).append(number)
        for slot, numbers in of_slot.items():
            adds = {number: rank for rank, number in enumerate(numbers)}
            yield self.far.add("pod", slot, adds, len(numbers) - 1)

    @cached_property
    def column(self) -> tuple[Words, Words]:
        """The amounts that each value of a pod, and of a node, adds to the column of its node."""
        return self.near.rows("pod", len(self.pods)), self.near.rows("node", len(self.nodes))

    @cached_property
    def wide(self) -> tuple[Words, Words]:
        """The amounts that each value of a pod, and of a node, adds to the wide words."""
        words = len(self.far.key.used)
        return self.far.rows("pod", len(self.pods))[:, :words], self.far.rows("node", len(self.nodes))[:, :words]

    def mask(self, sight: int) -> Words:
        """Return the bits that this sight sees: first those of a column, then those of the wide words."""
        near, far = self._masks[sight]
        words = self.near.words
        found = np.zeros(words + len(self.far.key.used), np.uint64)
        for word, mask in near:
            found[word] |= np.uint64(mask)
        for word, mask in far:
            if mask:
                found[words + word] |= np.uint64(mask)
        return found

    @cached_property
    def _by_slot(self) -> list[list[int]]:
        slots = sorted({each.slot for each in self.nodes})
        return [[number for number, each in enumerate(self.nodes) if each.slot == slot] for slot in slots]

    def _groups(self, label: OfPod) -> Iterable[tuple[Block, ...]]:
        """Yield the classes of the pod values that point at a node; the classes of a single pod form one group."""
        classes: dict[Hashable, list[int]] = {}
        for number, (_, pod, place) in enumerate(self.pods):
            if pod is not None and place >= 0 and (name := label(pod)) is not None:
                classes.setdefault(name, []).append(number)
        alone: dict[int, list[Block]] = {}
        for block in map(tuple, classes.values()):
            slots = {self.pods[number].slot for number in block}
            if len(slots) > 1:
                yield (block,)
            else:
                alone.setdefault(slots.pop(), []).append(block)
        yield from (tuple(sorted(blocks)) for blocks in alone.values())

    def _told_by_rank(self, groups: Iterable[tuple[Block, ...]]) -> frozenset[tuple[Block, ...]]:
        """Return the groups of single pods that are cheaper as one number than as one bit for each class.

        The bits are compared for all groups of a pod together.
        """
        of_slot: dict[int, set[tuple[Block, ...]]] = {}
        for group in groups:
            if len({self.pods[number].slot for block in group for number in block}) == 1:
                of_slot.setdefault(self.pods[group[0][0]].slot, set()).add(group)
        return frozenset(
            group
            for some in of_slot.values()
            if sum(len(group).bit_length() for group in some) < len({block for group in some for block in group})
            for group in some
        )

    def _split(self, group: tuple[Block, ...], whole: frozenset[tuple[Block, ...]]) -> list[tuple[Block, ...]]:
        return [group] if group in whole else [(block,) for block in group]

    def _near_field(self, blocks: tuple[Block, ...]) -> tuple[int, int]:
        adds = {number: rank for rank, block in enumerate(blocks, 1) for number in block}
        slots = len({self.pods[number].slot for number in adds})
        return self.near.add("pod", blocks, adds, max(slots, len(blocks)))

    def _far_field(self, block: Block) -> tuple[int, int]:
        slots = len({self.pods[number].slot for number in block})
        return self.far.add("pod", block, dict.fromkeys(block, 1), slots)

    def _blocks_by_place(self, label: OfPod) -> Iterable[Block]:
        classes: dict[Hashable, list[int]] = {}
        for number, (_, pod, place) in enumerate(self.pods):
            if pod is not None and place >= 0 and (name := label(pod)) is not None:
                classes.setdefault((name, place), []).append(number)
        return map(tuple, classes.values())

    def _ranks(self, fields: Fields, label: OfNode, numbers: Iterable[int]) -> tuple[int, int]:
        """Return the field that tells apart those node values which the sight can distinguish."""
        ranks: dict[Hashable, int] = {}
        adds = {number: ranks.setdefault(label(self.nodes[number].node), len(ranks)) for number in numbers}
        return fields.add("node", tuple(adds.items()), adds, len(ranks) - 1)

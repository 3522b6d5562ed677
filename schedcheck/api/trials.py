"""Questions to a scheduler that is a program, what is wrong with its answers, and how it is made small: `Trials`."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from schedcheck.api.asking import Foreign
from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.checker.foreign.ending import ending
from schedcheck.checker.foreign.objects import Object, objects_of, with_objects
from schedcheck.checker.foreign.program import Program
from schedcheck.checker.foreign.tallies import Tallies
from schedcheck.checker.foreign.trying import fewest, first_wrong
from schedcheck.checker.foreign.variants import variants
from schedcheck.spec.objects import Pod, Snapshot

Question = tuple[Pod, Snapshot]
Key = tuple[str, str]

REMEMBERED = 2000
"""The most questions of which it is found which ones an answer depends on."""

MOST_SETS, AFRESH = 8, 4
"""The most objects of which every set is tried; fewer where each takes a process of its own."""

HANGS: Key = ("fails", "hangs")
REMEMBERS = "remembers"


class Wrong(BaseException):
    """Something is wrong that Hypothesis cannot make smaller."""

    def __init__(self, question: Question, key: Key) -> None:
        super().__init__()
        self.question = question
        self.key = key


class Remembers(Wrong):
    """An answer is refused, and a process that was asked nothing before answers otherwise."""


class Hangs(Wrong):
    """A question is not answered in time; smaller ones would take as long each."""


class Trials:
    """The questions that a program is asked, counted, with the smallest form of everything wrong.

    `aside` are the seconds for questions that are not counted: those that make others smaller. `pending` is a wrong
    answer that is not among the complaints yet.
    """

    def __init__(self, foreign: Foreign, fresh: Callable[[], Program], ends: int) -> None:
        self.foreign = foreign
        self.fresh = fresh
        self.ends = ends
        self.tallies = Tallies()
        self.complaints: list[Complaint] = []
        self.aside = 0.0
        self.clusters = 0
        self.pending: Answered | None = None
        self._times: Counter[Key] = Counter()
        self._known: set[Key] = set()
        self._remembers = False
        self._history: list[Question] = []
        self._starts = 0

    def drawn(self, kinds: Collection[str], count: int, seed: int) -> None:
        """Ask about this number of random clusters with features of these kinds."""
        from schedcheck.checker.drawing.kinds import questions_of

        strategy = questions_of(frozenset(kinds))
        start = seed

        def look(drawn: Question, smaller: bool) -> Key | None:
            if not smaller:
                self.clusters += 1
                if self.tallies.ends.total() < self.ends:
                    self._end(drawn[1])
            wanted = self.pending.complaint if smaller and self.pending is not None else None
            looked = (self._look(each, smaller) for each in variants(drawn, kinds))
            return next((key for key in looked if key is not None and wanted in (None, key)), None)

        while (left := count - self.clusters) > 0:
            before = self.clusters
            try:
                found = first_wrong(strategy, left, start, look)
            except Wrong as end:
                self._aside(partial(self._ended, end))
            else:
                if found is not None:
                    self._aside(partial(self._first_of, variants(found[0], kinds), found[1]))
                elif self.clusters == before:
                    break
            # Each round draws other clusters.
            start += 1_000_003
        self._counted()

    def each(self, questions: Iterable[Question]) -> None:
        """Ask these questions."""
        for question in questions:
            try:
                key = self._look(question, False)
            except Wrong as end:
                self._aside(partial(self._ended, end))
                continue
            if key is not None:
                self._aside(partial(self._complain, question, key))
        self._counted()

    def give_up(self) -> None:
        """Keep the wrong answer that was being made smaller as it is."""
        if self.pending is not None and self.pending.complaint is not None:
            self._known.add(self.pending.complaint)
            self.complaints.append(Complaint(*self.pending.complaint, self.pending, (), 0, confirmed=False))
            self.pending = None
        self._counted()

    def first(self, questions: Iterable[Question]) -> None:
        """Ask these questions before all others, without counting them."""
        for question in questions:
            self._ask(question)

    def _look(self, question: Question, smaller: bool) -> Key | None:
        """Return what is new and wrong with a question; of a smaller one, what is wrong with it."""
        begun = time.monotonic()
        answered = self._ask(question)
        key = answered.complaint
        if smaller:
            self.aside += time.monotonic() - begun
            if self.pending is not None and key == self.pending.complaint:
                self.pending = answered
            return key
        self.tallies.add(answered)
        if key is None:
            return None
        self._times[key] += 1
        if key in self._known or self._remembers:
            return None
        if key[0] == "refused" and self._asked_before() and not self._wrong_afresh((), question, key):
            self.pending = answered
            raise Remembers(question, key)
        self.pending = answered
        if key == HANGS:
            raise Hangs(question, key)
        return key

    def _ended(self, end: Wrong) -> None:
        """Keep a complaint about a question that ended a round."""
        if isinstance(end, Remembers):
            self._remembered(end.question, end.key)
        else:
            self._complain(end.question, end.key)

    def _asked_before(self) -> bool:
        """Whether the process was asked something before, on which its answer may depend."""
        return len(self._history) > 1

    def _ask(self, question: Question) -> Answered:
        """Ask the running program, and keep what its process was asked."""
        answered = self.foreign.ask(*question)
        if self.foreign.program.starts != self._starts:
            self._starts, self._history = self.foreign.program.starts, []
        self._history.append(question)
        return answered

    def _end(self, snapshot: Snapshot) -> None:
        begun = time.monotonic()
        judging = self.foreign.judging
        self.tallies.ends[ending(snapshot, judging.profile, lambda *question: self._ask(question))] += 1
        self.aside += time.monotonic() - begun

    def _aside(self, work: Callable[[], None]) -> None:
        """Do what is not counted as time for questions."""
        begun, aside = time.monotonic(), self.aside
        work()
        self.aside = aside + time.monotonic() - begun

    def _wrong_afresh(self, before: Sequence[Question], question: Question, key: Key) -> bool:
        """Whether the same is wrong in a process that was asked only these questions."""
        return self._afresh(before, question)[-1].complaint == key

    def _afresh(self, before: Sequence[Question], question: Question) -> list[Answered]:
        with self.fresh() as program:
            foreign = Foreign(program, self.foreign.judging, self.foreign.read)
            return [foreign.ask(*each) for each in (*before, question)]

    def _first_of(self, questions: Iterable[Question], key: Hashable) -> None:
        """Keep a complaint about the first of these questions that has it."""
        for each in questions:
            if self._ask(each).complaint == key:
                self._complain(each, key)
                return
        self.give_up()

    def _complain(self, question: Question, key: Hashable) -> None:
        """Keep a complaint that does not depend on questions before, with as few objects as possible."""
        assert isinstance(key, tuple)
        kind, clause = key
        self._known.add((kind, clause))
        if key != HANGS:
            question = self._fewest(question, lambda one: self._ask(one).complaint == key)
        last = self._afresh((), question)[-1]
        confirmed = last.complaint == key
        self.complaints.append(Complaint(kind, clause, last, (), 0, confirmed))
        self.pending = None

    def _remembered(self, question: Question, key: Key) -> None:
        """Keep a complaint that depends on questions before: the fewest of them, with the fewest objects."""
        self._remembers = True
        before: Sequence[Question] = self._history[:-1][-REMEMBERED:]

        def wrong(some: Sequence[Question], last: Question) -> bool:
            answered = self._afresh(some, last)[-1]
            return answered.complaint == key

        if wrong(before, question):
            before = fewest(before, lambda some: wrong(some, question), AFRESH)
            for place, each in enumerate(before):
                start, end = before[:place], before[place + 1 :]
                before = (*start, self._fewest(each, partial(self._still, wrong, start, end, question), AFRESH), *end)
            question = self._fewest(question, partial(wrong, before), AFRESH)
        *first, last = self._afresh(before, question)
        confirmed = last.complaint == key and self._afresh((), question)[-1].complaint != key
        self.complaints.append(Complaint(REMEMBERS, key[1], last, tuple(first), 0, confirmed))
        self.pending = None

    @staticmethod
    def _still(
        wrong: Callable[[Sequence[Question], Question], bool],
        start: Sequence[Question],
        end: Sequence[Question],
        question: Question,
        one: Question,
    ) -> bool:
        """Whether the same is wrong with this question between the others before it."""
        return wrong((*start, one, *end), question)

    def _fewest(self, question: Question, wrong: Callable[[Question], bool], most: int = MOST_SETS) -> Question:
        """Return the question with as few objects as possible with which the same is wrong."""
        pod, snapshot = question

        def enough(objects: Sequence[Object]) -> bool:
            return wrong((pod, with_objects(snapshot, pod, objects)))

        return pod, with_objects(snapshot, pod, fewest(objects_of(snapshot, pod), enough, most))

    def _counted(self) -> None:
        """Tell each complaint how many questions had it."""
        total = sum(number for (kind, _), number in self._times.items() if kind == "refused")
        self.complaints = [
            replace(each, questions=total if each.kind == REMEMBERS else self._times[each.kind, each.clause])
            for each in self.complaints
        ]

"""The parts of an exploration as actors of Ray: `Team`.

Ray chooses the machine of each actor, moves the successors between them through its object store, and notices when an
actor or its machine is lost.
"""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.machines.cluster import connected, number_of, reached
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.tabulated.distributed.part import Given, Kept, Level, Part, Told, Turn
from schedcheck.checker.tabulated.distributed.storage import Storage
from schedcheck.checker.tabulated.layout.layout import Words

MOST_IN_A_ROW = 5
"""The number of losses, without a level's end between two of them, after which an exploration ends."""


class Lost(Exception):
    """Parts whose worker was lost, by their numbers."""

    def __init__(self, parts: Sequence[int]) -> None:
        super().__init__(parts)
        self.parts = tuple(parts)


class Team:
    """The parts of an exploration; each call goes to all of them at once. Raises Lost if a worker is lost."""

    def __init__(self, machines: Machines, tell: Callable[[str], None] = lambda line: None) -> None:
        """`tell` receives a line if something is left in the storage.

        Raises: ClusterFailed; Unusable for a storage that cannot be used.
        """
        reached(machines)
        self.machines = machines
        self._tell_user = tell
        self.storage = Storage(machines.shared, f"run-{uuid4().hex}") if machines.shared else None
        if self.storage is not None:
            self.storage.open()
        try:
            self._own = connected(machines)
        except BaseException:
            self._clear()
            raise
        self.parts = number_of(machines)
        self._in_a_row = 0
        self._attempts = [0] * self.parts
        self._kept_by: list[tuple[int, ...]] = []
        self._actors: list[Any] = []
        self._inserting: dict[int, Any] = {}
        self.found: list[tuple[int, float]] = [(0, 0.0)] * self.parts
        """For each part the states found of the next level, and its memory in GiB, as last told."""
        self._told: Any = None

    def start(self, given: Given) -> None:
        """Start a worker for each part. Raises Unusable."""
        import ray

        self._given = ray.put(given)
        # The parts take turns with the driver's own work, and a lost one must find room on the machines that are left.
        self._made = ray.remote(num_cpus=0, max_restarts=0, scheduling_strategy="SPREAD")(Part)
        self._actors = [self._made.remote(self._given, number) for number in range(self.parts)]
        try:
            self._all(lambda actor: actor.restart.remote([]))
        except Lost as lost:
            self.mend(lost, [])

    def learn(self, told: Told) -> None:
        """Give all parts these tables."""
        import ray

        self._told = ray.put(told)
        self._tell()

    def expand(self, left: Sequence[bool]) -> list[Turn]:
        """Let the parts that have states left expand some, and hand each successor to the part that owns it.

        This does not wait until the successors are known: each part looks them up before its next turn.
        """
        busy = [number for number in range(self.parts) if left[number]]
        answers = {number: self._actors[number].expand.options(num_returns=1 + self.parts).remote() for number in busy}
        turns: list[Turn] = self._gathered([answers[number][0] for number in busy], busy)
        self._inserted()
        for number, actor in enumerate(self._actors):
            batches = [answers[other][1 + number] for other in busy if other != number]
            if batches:
                self._inserting[number] = actor.insert.remote(*batches)
        return turns

    def insert(self, part: int, states: Words) -> None:
        """Add states to the part that owns them."""
        self._inserting[part] = self._actors[part].insert.remote(states)

    def take(self) -> list[Level]:
        """End the level in all parts."""
        self._inserted()
        levels: list[Level] = self._all(lambda actor: actor.take.remote())
        self.found = [(0, memory) for _, memory in self.found]
        self._in_a_row = 0
        self._kept_by.append(tuple(self._attempts))
        return levels

    def level(self, number: int) -> list[Words]:
        """Return the states of a level, those of each part sorted."""
        return self._all(lambda actor: actor.level.remote(number))

    def mend(self, lost: Lost, sizes: Sequence[Sequence[int]]) -> None:
        """Start the lost parts again from the storage, and let all parts forget what came after these levels.

        `sizes` has the number of states of each level of each part. Raises Unusable if there is no storage to read
        them from.
        """
        import ray

        self._inserting = {}
        self.found = [(0, memory) for _, memory in self.found]
        del self._kept_by[len(sizes) :]
        of_levels = [list(map(Kept, *level)) for level in zip(sizes, self._kept_by, strict=True)]
        kept = [[level[number] for level in of_levels] for number in range(self.parts)]
        while True:
            if self.storage is None and sizes:
                raise Unusable(f"a worker was lost at level {len(sizes)}; with a shared folder the run would go on")
            self._in_a_row += 1
            if self._in_a_row > MOST_IN_A_ROW and not sizes:
                raise Unusable("no worker can be started: are the same version and the same modules on all machines?")
            if self._in_a_row > MOST_IN_A_ROW:
                raise Unusable(f"workers were lost {MOST_IN_A_ROW} times at level {len(sizes)}")
            for number in lost.parts:
                # One that only did not answer in time would go on with what it was told before.
                ray.kill(self._actors[number])
                self._attempts[number] += 1
                self._actors[number] = self._made.remote(self._given, number, self._attempts[number])
            try:
                self._gathered([self._actors[number].restart.remote(each) for number, each in enumerate(kept)])
                if self._told is not None:
                    self._tell()
                return
            except Lost as more:
                lost = more

    def close(self) -> None:
        """End the workers, and the cluster if it was started for them."""
        import ray

        for actor in self._actors:
            ray.kill(actor)
        self._clear()
        if self._own:
            ray.shutdown()

    def _clear(self) -> None:
        """Remove what is in the storage."""
        left = "" if self.storage is None else self.storage.close()
        if left:
            self._tell_user(left)

    def _inserted(self) -> None:
        """Wait until the successors handed over are known. Raises Lost also if some were lost on their way."""
        inserting, self._inserting = self._inserting, {}
        for number, found in zip(inserting, self._gathered(list(inserting.values()), list(inserting)), strict=True):
            self.found[number] = found

    def _tell(self) -> None:
        """Give all parts the tables; nobody waits for that, as each part uses them before its next turn."""
        for actor in self._actors:
            actor.learn.remote(self._told)

    def _all(self, ask: Callable[[Any], Any]) -> list[Any]:
        return self._gathered([ask(actor) for actor in self._actors])

    def _gathered(self, answers: Sequence[Any], parts: Sequence[int] | None = None) -> list[Any]:
        """Return the answers of these parts, or of all. Raises Lost and Unusable."""
        import ray

        found, lost = [], []
        for number, answer in zip(range(self.parts) if parts is None else parts, answers, strict=True):
            try:
                found.append(ray.get(answer))
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, Unusable | MemoryError):
                    raise Unusable(str(error.cause) or "a worker has no memory left") from None
                if not isinstance(error.cause, ray.exceptions.RayError):
                    raise
                lost.append(number)
            except ray.exceptions.RayError:
                lost.append(number)
        if lost:
            raise Lost(self._dead() or lost)
        return found

    def _dead(self) -> list[int]:
        """Return the numbers of the parts whose worker does not answer."""
        import ray

        dead = []
        for number, actor in enumerate(self._actors):
            try:
                ray.get(actor.found.remote())
            except ray.exceptions.RayActorError:
                dead.append(number)
            except ray.exceptions.RayError:
                pass
        return dead

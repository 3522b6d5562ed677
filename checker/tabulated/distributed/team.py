"""The parts of an exploration as actors of Ray: `Team`.

Ray chooses the machine of each actor, moves the successors between them through its object store, and notices when an
actor or its machine is lost.
"""

import logging
import os
import socket
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.tabulated.distributed.machines import Machines
from schedcheck.checker.tabulated.distributed.part import Given, Level, Part, Told, Turn
from schedcheck.checker.tabulated.distributed.storage import Storage
from schedcheck.checker.tabulated.layout.layout import Words

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
}
"""Ray's settings: no statistics are sent, and processors other than the main one are left alone."""

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Ray's setting for a single machine: its servers listen on the loopback interface only."""

WAIT = 10.0
"""The seconds in which the cluster must accept a connection."""

MOST_IN_A_ROW = 5
"""The number of losses, without a level's end between two of them, after which an exploration ends."""


class Lost(Exception):
    """Parts whose worker was lost, by their numbers."""

    def __init__(self, parts: Sequence[int]) -> None:
        super().__init__(parts)
        self.parts = tuple(parts)


class Team:
    """The parts of an exploration; each call goes to all of them at once. Raises Lost if a worker is lost."""

    def __init__(self, machines: Machines) -> None:
        """Raises Unusable if Ray or its cluster cannot be used."""
        if find_spec("ray") is None or find_spec("fsspec") is None:
            raise Unusable("ray is not installed; it comes with schedcheck[ray]")
        if ":" in machines.address:
            _answering(machines.address)
        self.machines = machines
        self._own = _connected(machines)
        import ray

        self.parts = machines.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.storage = Storage(machines.shared, f"run-{uuid4().hex}") if machines.shared else None
        if self.storage is not None:
            self.storage.open()
        self._in_a_row = 0
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
            self._gathered([actor.found.remote() for actor in self._actors])
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
        return levels

    def level(self, number: int) -> list[Words]:
        """Return the states of a level, those of each part sorted."""
        return self._all(lambda actor: actor.level.remote(number))

    def mend(self, lost: Lost, sizes: Sequence[Sequence[int]]) -> None:
        """Start the lost parts again from the storage, and let all parts forget what came after these levels.

        `sizes` has the number of states of each level of each part. Raises Unusable if there is no storage to read
        them from.
        """
        self._inserting = {}
        self.found = [(0, memory) for _, memory in self.found]
        while True:
            if self.storage is None and sizes:
                raise Unusable(f"a worker was lost at level {len(sizes)}; with a shared folder the run would go on")
            self._in_a_row += 1
            if self._in_a_row > MOST_IN_A_ROW and not sizes:
                raise Unusable("no worker can be started: are the same version and the same modules on all machines?")
            if self._in_a_row > MOST_IN_A_ROW:
                raise Unusable(f"workers were lost {MOST_IN_A_ROW} times at level {len(sizes)}")
            for number in lost.parts:
                self._actors[number] = self._made.remote(self._given, number, [level[number] for level in sizes])
            try:
                self._all(lambda actor: actor.restart.remote(len(sizes)))
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
        if self.storage is not None:
            self.storage.close()
        if self._own:
            ray.shutdown()

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


def _answering(address: str) -> None:
    """Raises Unusable if there is no server at HOST:PORT; Ray itself would wait some minutes for one."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), WAIT).close()
    except (OSError, OverflowError) as error:
        raise Unusable(f"no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}") from None


def _connected(machines: Machines) -> bool:
    """Connect to the cluster; return whether it was started for this run. Raises Unusable."""
    settings = SETTINGS if machines.address else SETTINGS | LOOPBACK
    os.environ.update({name: value for name, value in settings.items() if name not in os.environ})
    import ray

    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if machines.address:
        options["address"] = machines.address
    else:
        # Otherwise a cluster that happens to run on this machine would be taken.
        options |= {
            "address": "local",
            "include_dashboard": False,
            "num_cpus": machines.workers or len(os.sched_getaffinity(0)),
        }
    try:
        ray.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise Unusable(
            f"no Ray cluster at {machines.address or 'this machine'}: {str(error).splitlines()[0]}"
        ) from None
    return True

"""One run of a simulation: all its parts put together, and its actions one by one: `Simulation`."""

from random import Random

from schedcheck.model.simulation.agenda import Agenda
from schedcheck.model.simulation.budgets import Budgets
from schedcheck.model.simulation.kubelet import Kubelets
from schedcheck.model.simulation.lifecycle import Lifecycle
from schedcheck.model.simulation.occurring import Occurring
from schedcheck.model.simulation.owners import Owners
from schedcheck.model.simulation.scheduling import Scheduling
from schedcheck.model.simulation.timeline import Start
from schedcheck.model.simulation.usage import Usage
from schedcheck.model.simulation.world import World


class Simulation:
    """A cluster at a moment. Everything is drawn from the seed; `seed` is called before the first step."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self._delays, self._draws = Random(0), Random(0)
        self.agenda = Agenda(start.delays, self._delays)
        self.world = World(self.agenda, start.snapshot, dict(start.traits))
        self.scheduling = Scheduling(start, self.agenda, self.world, self._draws)
        self.budgets = Budgets(self.world, self.scheduling.budgets)
        self.owners = Owners(self.world, self.budgets)
        self.kubelets = Kubelets(self.world)
        self.lifecycle = Lifecycle(self.world)
        self.occurring = Occurring(self.world, self.owners, self.budgets, self.kubelets, self.lifecycle)
        self.usage = Usage(self.world, start.until, self.scheduling.scheduler.handle.departures)

    def seed(self, seed: int, run: int) -> None:
        """Begin the run of this number: all delays and all ties among nodes follow from both numbers."""
        self._delays.seed(f"delays {seed} {run}")
        self._draws.seed(f"draws {seed} {run}")
        self.usage.begin()
        self.occurring.plan(self.start.timeline)
        self.budgets.begin()
        self.kubelets.begin()
        self.lifecycle.begin()
        self.scheduling.begin()

    def step(self) -> bool:
        """Take the next action; return False once the time is over."""
        return self.agenda.next(self.start.until)

"""The steps of a life that are those of its watches and of its scheduler: `Paces`"""

from schedcheck.checker.drawing.quick.chance import Chance
from tests.checker.differential.search.world import World


class Paces:
    """What a random life does besides changing objects."""

    chance: Chance
    world: World

    def _kind(self) -> str:
        return self.chance.one("pod", "pod", "node", "stored")

    def deliver(self) -> None:
        self.world.deliver(self._kind(), self.chance.randint(1, 3))

    def deliver_all(self) -> None:
        self.world.deliver_all()

    def miss(self) -> None:
        if not self.world.listed:
            self.world.miss(self._kind())

    def repeat(self) -> None:
        self.world.repeat(self._kind())

    def restart(self) -> None:
        if self.chance.often(0.4):
            self.world.start()
            self.world.deliver(self._kind(), self.chance.randint(0, 3))
            self.world.cycle()

    def cycle(self) -> None:
        for _ in range(self.chance.one(1, 1, 2, 3)):
            self.world.cycle()

    def advance(self) -> None:
        for _ in range(self.chance.randint(1, 3)):
            self.world.advance(self.chance.randrange(4))

    def permit(self) -> None:
        self.world.permit(self.chance.often(0.7), self.chance.randrange(4), self.chance.one("Ledger", "Gate"))

    def evicting(self) -> None:
        self.world.evicting()

    def wait(self) -> None:
        self.world.wait(self.chance.one(0.5, 1.0, 5.0, 25.0, 301.0))

    def settle(self) -> None:
        if self.chance.often(0.4):
            self.world.settle()

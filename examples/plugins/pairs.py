"""Pairs: the first pod of a pair waits on Permit for the other, at most a minute. It has a defect."""

from schedcheck import plugin


class Pairs:
    name = "Pairs"

    def __init__(self, arguments: plugin.Arguments, handle: plugin.Handle) -> None:
        self.handle = handle

    def permit(self, state: plugin.CycleState, pod: plugin.Pod, node: str) -> tuple[plugin.Status, float]:
        pair = pod.labels.get("pair")
        others = [each for each in self.handle.waiting if each.pod.labels.get("pair") == pair]
        for each in others:
            each.allow(self.name)
        return (plugin.SUCCESS, 0) if others or pair is None else (plugin.Status(plugin.Code.WAIT), 60)

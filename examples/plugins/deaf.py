"""A plugin with a defect: it wants to be told of new nodes and of their labels alone, and not of pods that leave."""

from collections.abc import Sequence

from examples.plugins import teams
from schedcheck.plugin import Action, ClusterEvent, EventOfInterest, Resource


class Teams(teams.Teams):
    def events(self) -> Sequence[EventOfInterest]:
        return (EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),)

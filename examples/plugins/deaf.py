"""A plugin with a defect: it registers events of nodes only, although the deletion of a pod may let another pod fit."""

from collections.abc import Sequence

from examples.plugins import teams
from schedcheck.plugin import Action, ClusterEvent, EventOfInterest, Resource


class Teams(teams.Teams):
    def events(self) -> Sequence[EventOfInterest]:
        return (EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),)

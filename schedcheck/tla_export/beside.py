"""Systems of tla/ that surround kube-scheduler alone: `refuse_beside`."""

from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.text import NotExportable


def refuse_beside(what: str, scenario: Scenario, symmetry: bool, but: str = "") -> None:
    """Raises: NotExportable if what a scenario has is together with what the module for it does not have.

    `but` is the controller that the module itself describes.
    """
    others = [name for name in scenario.beside if name != but]
    if others:
        raise NotExportable(f"{what} beside the controller {others[0]} has no module in tla/")
    if permitting(scenario) or grouping(scenario) or claiming(scenario):
        raise NotExportable(f"{what} beside gangs or resource claims has no module in tla/")
    if symmetry:
        raise NotExportable(f"the symmetry of scenarios with {what} has no module in tla/")

"""A place of a walk through a scenario as JSON. docs/output.md describes the structure."""

from collections.abc import Sequence

from schedcheck.checker.walking.walk import Walk
from schedcheck.report.json.amounts import all_amounts_json
from schedcheck.report.json.answers import scenario_json, snapshot_json, step_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.report.text.changes import Step
from schedcheck.spec.binding import unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.version import __version__


def place_json(
    walk: Walk,
    path: Sequence[int],
    taken: Sequence[Step],
    options: Sequence[Json],
    violated: Sequence[str],
) -> Json:
    """Return the behaviour that leads to a place, as in a violation of `check`, and the steps that are possible there."""
    claims = {each.name: each.claim for each in walk.properties}
    here = taken[-1].snapshot
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "scenario": scenario_json(walk.scenario),
        "schedulers": list(walk.schedulers),
        "path": list(path),
        "start": snapshot_json(taken[0].snapshot),
        "amounts": all_amounts_json(taken[0].snapshot),
        "trace": [step_json(step) for step in taken],
        "violated": [{"name": name, "claim": claims[name]} for name in violated],
        "waiting": [reference(pod) for pod in sorted(unbound(here, NO_FAULTS), key=lambda pod: pod.key)],
        "options": list(options),
    }

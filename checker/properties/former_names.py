"""The names that properties had in earlier versions, and the suggestion for an unknown name: `suggestion`."""

from collections.abc import Iterable
from difflib import get_close_matches

FORMER = {
    "nobody_evicted": "no_eviction",
    "no_eviction_of_nobody": "preemption_has_victims",
    "evicted_for_somebody": "evicted_for_nominated_pod",
    "everyone_bound": "all_pods_bound",
    "everyone_eventually_bound": "all_pods_eventually_bound",
    "nobody_sleeps_in_vain": "no_lost_wakeup",
    "nobody_lost": "no_pod_lost",
    "nobody_is_tried_while_he_preempts": "no_cycle_while_preempting",
    "evicts_whom_it_concluded": "evicts_concluded_victims",
    "waits_for_somebody": "permit_waits_have_a_cause",
    "what_was_bound_is_counted": "bound_pods_stay_assumed",
    "what_is_reserved_is_assumed": "reserved_volumes_are_assumed",
    "reserved_is_on_its_way": "assumed_pods_are_being_bound",
    "sets_aside_and_gives_back": "assumes_and_releases_volumes",
    "nominations_are_of_use": "no_useless_nomination",
    "does_as_concluded": "nominations_are_written",
    "binds_if_nothing_goes_wrong": "binds_unless_a_call_fails",
}
"""The present name for each former one."""


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean X?` with the present name of a former one, or else a similar one; empty without either."""
    known = list(names)
    near = [FORMER[name]] if FORMER.get(name) in known else get_close_matches(name, known, 1)
    return f"; did you mean {near[0]}?" if near else ""

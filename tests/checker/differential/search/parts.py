"""The kinds of search, each with its share of the time: `PARTS`; and how they take turns: `searched`"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from tests.checker.differential import test_gangs, test_pod_groups
from tests.checker.differential.search import singles
from tests.checker.differential.search.activations import activations
from tests.checker.differential.search.changes import changed
from tests.checker.differential.search.changing_successions import changing_succession
from tests.checker.differential.search.drivers import constrained, two_drivers
from tests.checker.differential.search.effort import Effort, Kept
from tests.checker.differential.search.evicting_groups import evicting_group
from tests.checker.differential.search.expansions import disabled_expansion
from tests.checker.differential.search.failing_lives import failing_live, paced_live, repeating_live
from tests.checker.differential.search.faltering import faltering
from tests.checker.differential.search.few_candidates import few
from tests.checker.differential.search.flips import flip
from tests.checker.differential.search.full_memories import full_memory
from tests.checker.differential.search.gangs import (
    claiming_group,
    erring_group,
    gated_gang,
    group_apart,
    intruder,
    leaving_group,
    preempting_group,
)
from tests.checker.differential.search.hinted import hinted
from tests.checker.differential.search.hurried_lives import hurried_live
from tests.checker.differential.search.in_flight import flip_in_flight
from tests.checker.differential.search.joint import joint_flip
from tests.checker.differential.search.lives import live
from tests.checker.differential.search.magnitudes import magnitude
from tests.checker.differential.search.mixed_claims import mixed_claim
from tests.checker.differential.search.mixed_lives import mixed_life
from tests.checker.differential.search.nominated_flips import nominated_flip
from tests.checker.differential.search.odd_answers import odd_answer
from tests.checker.differential.search.odd_claims import odd_claim
from tests.checker.differential.search.own_decisions import own_decision
from tests.checker.differential.search.own_rejections import own_rejection
from tests.checker.differential.search.pending_lives import pending_life
from tests.checker.differential.search.plugged_lives import plugged_live
from tests.checker.differential.search.reading_extenders import reading_extender
from tests.checker.differential.search.refused_profiles import refused_profile
from tests.checker.differential.search.renewed_lives import renewed_live
from tests.checker.differential.search.reordered import reordered
from tests.checker.differential.search.small import small, small_argued, small_extended
from tests.checker.differential.search.small_claims import policed_claim, rated_claim, small_claim
from tests.checker.differential.search.small_flips import (
    extended_flip,
    helpful_return,
    returning,
    small_flip,
    stored_flip,
    stored_return,
)
from tests.checker.differential.search.small_lives import crowded_live, late_live, small_live, stored_live
from tests.checker.differential.search.small_walks import small_walk
from tests.checker.differential.search.successions import succession
from tests.checker.differential.search.ties import at_once, guarded_tie, tie
from tests.checker.differential.search.walks import walk
from tests.checker.differential.search.wide import twice, wide, wide_flip
from tests.checker.differential.search.written_claims import written_claim
from tests.checker.differential.search.zones import small_zone
from tests.support.gangs import GANGS
from tests.support.pod_groups import GROUPED, IN_1_36


class Part(NamedTuple):
    """A kind of search: one case of it, from a seed, and its share of the time."""

    one: Callable[[str], None]
    share: float


def _numbered(run: Callable[..., object], plugins: object) -> Callable[[str], None]:
    def one(start: str) -> None:
        run(start, plugins)

    return one


PARTS: Mapping[str, Part] = {
    "small": Part(small, 8),
    "clusters": Part(singles.cluster, 4),
    "contests": Part(singles.contested, 3),
    "ties": Part(tie, 2),
    "guarded ties": Part(guarded_tie, 1),
    "lives": Part(live, 4),
    "small lives": Part(small_live, 8),
    "stored lives": Part(stored_live, 3),
    "crowded lives": Part(crowded_live, 3),
    "late lives": Part(late_live, 2),
    "calm lives": Part(lambda start: live(start, 12, calm=True), 2),
    "small calm lives": Part(lambda start: small_live(start, 12, calm=True), 3),
    "flips": Part(flip, 2),
    "small flips": Part(small_flip, 4),
    "stored flips": Part(stored_flip, 2),
    "returning": Part(returning, 2),
    "stored returns": Part(stored_return, 1),
    "helpful returns": Part(helpful_return, 1),
    "extended flips": Part(extended_flip, 1),
    "walks": Part(walk, 3),
    "small walks": Part(small_walk, 8),
    "extenders": Part(singles.extended, 1.5),
    "small extenders": Part(small_extended, 1.5),
    "configurations": Part(singles.configured, 1),
    "small arguments": Part(small_argued, 1),
    "crowds": Part(singles.crowd, 1),
    "changes": Part(changed, 1.5),
    "claims": Part(singles.claimed, 2),
    "expansions": Part(singles.expanded, 0.5),
    "disabled expansions": Part(disabled_expansion, 0.5),
    "gangs": Part(_numbered(test_gangs.run, GANGS), 0.5),
    "groups": Part(_numbered(test_pod_groups.run, GROUPED), 0.5),
    "joint flips": Part(joint_flip, 1),
    "small zones": Part(small_zone, 0.5),
    "small claims": Part(small_claim, 1),
    "plugged lives": Part(plugged_live, 2),
    "renewed lives": Part(renewed_live, 2),
    "gated gangs": Part(gated_gang, 0.5),
    "groups apart": Part(group_apart, 0.5),
    "preempting groups": Part(preempting_group, 1),
    "flips in flight": Part(flip_in_flight, 1),
    "nominated flips": Part(nominated_flip, 1),
    "few candidates": Part(few, 0.5),
    "failing lives": Part(failing_live, 2),
    "repeating lives": Part(repeating_live, 1),
    "mixed claims": Part(mixed_claim, 1),
    "twice": Part(twice, 1),
    "rated claims": Part(rated_claim, 0.5),
    "faltering": Part(faltering, 0.5),
    "successions": Part(succession, 1),
    "wide": Part(wide, 1.5),
    "wide flips": Part(wide_flip, 2),
    "own decisions": Part(own_decision, 1),
    "odd answers": Part(odd_answer, 0.5),
    "intruders": Part(intruder, 0.5),
    "claiming groups": Part(claiming_group, 0.5),
    "mixed lives": Part(mixed_life, 1),
    "odd claims": Part(odd_claim, 0.5),
    "at once": Part(at_once, 0.5),
    "older groups": Part(_numbered(test_pod_groups.run, IN_1_36), 0.5),
    "hinted": Part(hinted, 2),
    "own rejections": Part(own_rejection, 1),
    "pending lives": Part(pending_life, 1),
    "full memories": Part(full_memory, 1),
    "leaving groups": Part(leaving_group, 0.5),
    "written claims": Part(written_claim, 0.5),
    "magnitudes": Part(magnitude, 1),
    "reordered": Part(reordered, 1),
    "erring groups": Part(erring_group, 0.5),
    "refused profiles": Part(refused_profile, 0.5),
    "paced lives": Part(paced_live, 1),
    "policed claims": Part(policed_claim, 0.5),
    "changing successions": Part(changing_succession, 1.5),
    "hurried lives": Part(hurried_live, 1),
    "activations": Part(activations, 0.5),
    "evicting groups": Part(evicting_group, 0.5),
    "reading extenders": Part(reading_extender, 0.5),
    "two drivers": Part(two_drivers, 0.5),
    "constrained claims": Part(constrained, 0.5),
}
SLICES = (0.02, 0.5)
"""The least and the most seconds after which another kind of search has its turn: the more it has had, the more."""


class Found(NamedTuple):
    """A difference, or an error, with the part and the seed that show it again."""

    part: str
    start: str
    what: BaseException


def tried(part: str, start: str) -> Found | None:
    """Return what one case finds; None if nothing."""
    try:
        PARTS[part].one(start)
    except Exception as error:
        return Found(part, start, error)
    return None


def searched(
    start: str,
    seconds: float,
    parts: tuple[str, ...] = tuple(PARTS),
    clock: Callable[[], float] = time.monotonic,
    stop: Callable[[], bool] = lambda: False,
    before: Kept | None = None,
) -> tuple[dict[str, int], Found | None]:
    """Search for this time; return the number of cases of each part, and the first difference.

    Case n of a part has the seed `start n`, whatever the other parts do, so `tried` repeats it. What an earlier run has
    done is not done again, and counted. An interrupt or `stop` ends the search.
    """
    kept = Kept(Effort()) if before is None else before
    effort = kept.effort
    effort.done |= {part: effort.done.get(part, 0) for part in parts}
    found = None
    with suppress(KeyboardInterrupt):
        found = _first(start, seconds, parts, clock, stop, kept)
    if found is not None:
        effort.differed.append(f"{found.part} {found.start}")
    kept.save()
    return {part: effort.done[part] for part in parts}, found


def _first(
    start: str, seconds: float, parts: tuple[str, ...], clock: Callable[[], float], stop: Callable[[], bool], kept: Kept
) -> Found | None:
    """Return the first difference."""
    done, spent = kept.effort.done, kept.effort.spent
    spent |= {part: spent.get(part, 0.0) for part in parts}
    begun = now = clock()
    while now - begun < seconds and not stop():
        part = min(parts, key=lambda each: spent[each] / PARTS[each].share)
        since, least, most = now, *SLICES
        while now - since < min(max(least, spent[part] / 4), most) and now - begun < seconds:
            found = tried(part, f"{start} {done[part]}")
            done[part] += 1
            now = clock()
            if found is not None:
                return found
        spent[part] += now - since
        kept.now_and_then()
    return None

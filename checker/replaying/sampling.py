"""Decisions in a cluster that is too large for kube-scheduler to look at all of it: `sampled_bind`, `sampled_candidates`.

The search stops at enough feasible nodes, and preemption at enough candidates. A record does not say which were found, so a
decision is allowed if it is the best one of some that may have been found.

Kubernetes 1.34: numFeasibleNodesToFind in pkg/scheduler/schedule_one.go; GetOffsetAndNumCandidates in
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np

from schedcheck.checker.vectors.classes import Mask, Numbers
from schedcheck.checker.vectors.counting import Counting, honoured
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.scoring import RAW, Rated, Scoring
from schedcheck.checker.vectors.trials import Run
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.kubernetes.sampling import enough
from schedcheck.spec.kubernetes.scores import pod_topology_spread as spreading
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS, as_they_are, enabled

Found = Literal["allowed", "refused", "unknown"]

ROUNDS = 12
"""The samples that are tried for a node."""


def wanted_nodes(judge: CycleJudge, cycle: Counting, plugins: Plugins) -> int:
    """Return after how many feasible nodes the search stops."""
    searched = len(judge.there) if cycle.named is None else len(cycle.named)
    return enough(searched, plugins) if plugins.at("score") else 1


def sampled_bind(judge: CycleJudge, cycle: Counting, numbers: Numbers, plugins: Plugins, place: int) -> Found:
    """Return whether a feasible node may score best among feasible nodes that end a search.

    It is refused if too many feasible nodes score higher in whatever company, so that each sample has one of them.
    """
    feasible = np.flatnonzero(numbers == PASSED)
    wanted = wanted_nodes(judge, cycle, plugins)
    if wanted >= len(feasible):
        return "unknown"
    if wanted == 1:
        return "allowed"
    scoring = judge.profile(plugins)[1]
    better = feasible[_dominating(scoring, cycle, plugins, feasible, place)]
    if len(feasible) - len(better) < wanted:
        return "refused"
    others = np.setdiff1d(feasible, [*better.tolist(), place])
    for _ in range(ROUNDS):
        if len(others) < wanted - 1:
            break
        sums = _sums(scoring, cycle, np.concatenate([[place], others]))
        if sums is None:
            break
        order = np.argsort(sums[1:], kind="stable")
        sample = np.concatenate([[place], others[order[: wanted - 1]]])
        found = _sums(scoring, cycle, sample)
        if found is None:
            break
        if found[0] == found.max():
            return "allowed"
        others = np.setdiff1d(others, sample[found > found[0]])
    return "unknown"


def _sums(scoring: Scoring, cycle: Counting, places: Numbers) -> Numbers | None:
    weighted = scoring.weighted(cycle, places)
    return None if isinstance(weighted, str) else sum(weighted.values(), np.zeros(len(places), np.int64))


def _dominating(scoring: Scoring, cycle: Counting, plugins: Plugins, feasible: Numbers, place: int) -> Mask:
    """Return for each feasible node whether it scores higher than the one at `place` in every sample with both.

    Scores that depend on no other node are compared by their sum. Of the others the raw scores are compared, as
    normalization keeps their order.
    """
    made = Rated(cycle, feasible, scoring)
    fixed = np.zeros(len(scoring.there), np.int64)
    no_worse = np.ones(len(scoring.there), np.bool_)
    for plugin in enabled(plugins, "score", SCORE_PLUGINS):
        if plugin.normalised is as_they_are:
            fixed += RAW[plugin.name](scoring, plugin, made) * plugins.weights[plugin.name]
        elif plugin.name == "PodTopologySpread":
            for counts in _counts(made):
                no_worse &= counts <= counts[place]
            no_worse &= made.left_out == made.left_out[place]
        else:
            raw = RAW[plugin.name](scoring, plugin, made)
            no_worse &= raw <= raw[place] if plugin.name == "TaintToleration" else raw >= raw[place]
    found: Mask = (no_worse & (fixed > fixed[place]))[feasible]
    return found


def _counts(made: Rated) -> Iterator[Numbers]:
    """Yield for each soft constraint the number of pods in each node's domain, and whether the node lacks the key."""
    pod, there = made.cycle.spreading, made.groups.there
    for constraint in made.soft:
        labelled = there.labelled(constraint.topology_key)
        yield (labelled.numbers < 0).astype(np.int64)
        yield -(labelled.numbers < 0).astype(np.int64)
        counted = there.counted(constraint, pod)
        if constraint.topology_key == spreading.HOSTNAME:
            yield counted
            continue
        scope = honoured(constraint, pod, there) & ~made.left_out
        empty = labelled.index.get("", len(labelled.values))
        domains = np.where(labelled.numbers < 0, empty, labelled.numbers)
        yield np.bincount(domains[scope], weights=counted[scope], minlength=len(labelled.values) + 1).astype(np.int64)[
            domains
        ]


def sampled_candidates(run: Run, plugins: Plugins, name: str) -> Run | None:
    """Return the run with the candidates that are no better than that on the node, if these may be all that are found."""
    own = run.outcomes.get(name)
    wanted = wanted_candidates(len(run.potential), plugins)
    if not isinstance(own, Candidate) or wanted is None:
        return None
    no_better = tuple(
        info
        for info in run.potential
        if isinstance(each := run.outcomes[info.node.name], Candidate) and casualty(each) >= casualty(own)
    )
    return replace(run, potential=no_better) if len(no_better) >= wanted else None


def wanted_candidates(potential: int, plugins: Plugins) -> int | None:
    """Return after how many candidates a dry run on so many nodes ends; None if it takes all of them."""
    arguments = plugins.arguments
    most = max(potential * arguments.min_candidate_nodes_percentage // 100, arguments.min_candidate_nodes_absolute)
    return most if most < potential else None

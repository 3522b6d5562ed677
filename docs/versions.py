"""The page of versions and examples/versions: `make versions` searches the cases and rewrites both.

The page is written from the rows of the changes, the versions and the feature gates, with the functions of
`docs/divergences.py`.
"""

from collections.abc import Iterator, Mapping

from docs.divergences import MARK, contents, search, section, undecidable
from docs.outputs import ROOT, rewritten
from schedcheck.checker.divergences.version_rows import CHANGES, OF_DEVICES, OF_GROUPS, UNSEEN
from schedcheck.errors import InputError
from schedcheck.manifests.feature_gates import WITHOUT, switched
from schedcheck.manifests.gate_defaults import GATES
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS

PAGE = ROOT / "docs" / "versions.md"
GATED = "examples/versions/missing-drivers-ignored"

HEAD = f"""# Versions of kube-scheduler

The specification holds several versions of kube-scheduler. `--profile kubernetes` is the newest, {NEWEST.name}; the others have profiles of
their own. Each was compared with the source of one patch level, which the table names. Other patch levels of a minor version may differ.
Why a version is a set of departures: [decisions/versions.md](decisions/versions.md).
"""

BEFORE_AN_UPGRADE = f"""## Your own pods, before an upgrade

`compare` with two profiles says for each pending pod whether the two versions decide differently, and why. Pods that are bound are not
compared; they occupy their nodes. To ask about pods that run, give them without `nodeName`.

```console
$ schedcheck compare --profile kubernetes-1.34 --profile kubernetes-1.37 examples/upgrade
{MARK}
```

Without FILES, the smallest cluster on which two versions differ is searched ([compare.md](compare.md)).

"""

BY_FLAG = f"""## Feature gates

`--feature-gates` takes feature gates as kube-scheduler does. It belongs to the profiles of kube-scheduler, and each version has its own
defaults. `compare` takes it for each of the two ([compare.md](compare.md)).

```console
$ schedcheck explain pending {GATED} --profile kubernetes-1.37 --feature-gates VolumeLimitScaling=false
{MARK}
```

`GenericWorkload=true,GangScheduling=true` in 1.35 and 1.36, and `GenericWorkload=true` in 1.37, add the plugin of gang scheduling
([gangs.md](gangs.md#commands) says in which commands). These gates can be switched as well:
"""

SILENT = """
The list is read as the component reads it: `AllAlpha` and `AllBeta` switch the gates of a stage that are not named, the prefix `kube:` may
stand before each gate, and the option may be repeated. A gate that has the value already, or on which no decision depends, changes nothing.
What the component refuses, and what is not modelled, is refused with exit code 3:
"""

REFUSED = (
    ("NodeDeclaredFeatures=false", "1.37"),
    ("NodeDeclaredFeatures=false", "1.36"),
    ("NodeDeclaredFeatures=true", "1.34"),
    ("NodeDeclaredFeatures=true", "1.35"),
    ("GenericWorkload=true", "1.36"),
    ("GangScheduling=true", "1.36"),
    ("GangSchedulin=true", "1.36"),
    ("AllBeta=true", "1.37"),
    ("kubelet:PodLevelResources=true", "1.37"),
)
"""Gates that are refused, each with the version."""

DEVICES = """## Devices of resource claims

The smallest clusters have no devices, so these departures have no case below. Their gates cannot be switched. The allocations of 1.34.9
and 1.37.2 were compared with the allocator of Kubernetes, and recorded answers of 1.35.8 and 1.36.4 with their specification ([devices.md](devices.md)).
"""

GROUPS = """## Groups of pods

With the feature gates of [gang scheduling](gangs.md) 1.36 departs from 1.37 in these. In older versions there is no cycle of a group, so they change nothing.
"""

NOT_MODELLED = """## What is not modelled of the newer versions

These are off by default, and switching them on is refused:

| feature | gates |
|---|---|
| groups of pods without the plugin of gang scheduling (1.36) | GenericWorkload without GangScheduling |
| groups of groups (1.37) | CompositePodGroup |
| topology-aware scheduling: a group is placed within one domain | TopologyAwareWorkloadScheduling |
| preemption by groups in 1.36, and a preemptionPolicy of groups (1.37) | WorkloadAwarePreemption, PodGroupPreemptionPolicy |
| preemption for a resize that was deferred (1.37) | InPlacePodVerticalScalingSchedulerPreemption |
| tolerations with the operators Lt and Gt | TaintTolerationComparisonOperators |
| a shorter way to evaluate pod affinity per host (1.37) | InterPodAffinityHostnameFastPath |

And this is on by default: the nodes that are left over from an earlier pod ([opportunistic-batching](#opportunistic-batching)). With a configuration in which this
can happen, the pods that it may concern are listed as `Not seen`, unless `--feature-gates OpportunisticBatching=false` is given.

Gates of the queue and of the API calls (SchedulerQueueingHints, SchedulerPopFromBackoffQ, SchedulerAsyncPreemption, SchedulerAsyncAPICalls,
SchedulerPreQueueingHints, NominatedNodeNameForExpectation) say when a pod is tried, and how a result is written. No decision depends on them.
Where the production scheduler runs (`simulate`, `diff --explore`), it keeps their defaults; a note says so.

[not-modelled.md](not-modelled.md) lists what is modelled in no version.
"""


def page() -> str:
    """Return the page, with commands that show no output yet."""
    unseen = tuple(each for several in UNSEEN.values() for each in several)
    lines = [
        HEAD,
        *versions(),
        "Each change has the smallest cluster that shows it, found by trying every cluster of a domain in the order of size, as for the",
        "[divergences](divergences.md). `make versions` repeats the search and rewrites this page and `examples/versions`.",
        "",
        *contents("change", CHANGES, unseen),
        BEFORE_AN_UPGRADE + BY_FLAG,
        *gates(),
        SILENT,
        *refused(),
        DEVICES,
        *departures(OF_DEVICES),
        GROUPS,
        *departures(OF_GROUPS),
        NOT_MODELLED,
        *(line for row in CHANGES for line in section(row)),
        *undecidable(unseen),
    ]
    return "\n".join(lines) + "\n"


def versions() -> Iterator[str]:
    """Yield a table of the versions, oldest first, with what changed since the version before."""
    yield "| profile | source compared | changes since the profile above |"
    yield "|---|---|---|"
    for each in reversed(VERSIONS.values()):
        profile = f"kubernetes-{each.name}"
        names = [row.name for row in CHANGES if row.witnesses[1] == profile]
        names += [one.name for one in UNSEEN.get(each.name, ())]
        newest = " and `kubernetes`" if each is NEWEST else ""
        yield f"| `{profile}`{newest} | {each.patch} | {', '.join(f'[{name}](#{name})' for name in names)} |"
    yield ""


def gates() -> Iterator[str]:
    """Yield a table of the gates that can be switched, with their defaults."""
    yield "| gate | default | can be switched in | off, it is the departure |"
    yield "|---|---|---|---|"
    for gate, (departure, patches) in WITHOUT.items():
        by_name = {each.name: GATES[gate][each.patch] for each in VERSIONS.values() if each.patch in GATES[gate]}
        names = [name for name in reversed(by_name) if name != "1.34.1"]
        defaults = ", ".join(f"{name}: {'on' if by_name[name].on else 'off'}" for name in names)
        free = [name for name in names if VERSIONS[name].patch in patches and not by_name[name].locked]
        yield f"| {gate} | {defaults} | {', '.join(free)} | [{departure}](#{departure}) |"


def departures(of: Mapping[Departure, str]) -> Iterator[str]:
    """Yield a table of departures with their meaning, with the versions that have them."""
    yield "| departure | versions | meaning |"
    yield "|---|---|---|"
    for departure, meaning in of.items():
        names = [each.name for each in reversed(VERSIONS.values()) if departure in each.departures]
        yield f"| {departure} | {', '.join(names)} | {meaning} |"
    yield ""


def refused() -> Iterator[str]:
    """Yield a table of gates that are refused, with the answers."""
    yield "| gate | profile | answer |"
    yield "|---|---|---|"
    for gate, minor in REFUSED:
        yield f"| `{gate}` | `kubernetes-{minor}` | {refusal(gate, minor)} |"
    yield ""


def refusal(gate: str, minor: str) -> str:
    """Return the message that refuses the gate in the version; empty if it is not refused."""
    try:
        switched((gate,), VERSIONS[minor].patch, "--feature-gates")
    except InputError as error:
        return str(error)
    return ""


if __name__ == "__main__":
    search(CHANGES)
    PAGE.write_text(rewritten(PAGE, page()))

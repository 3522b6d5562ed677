"""The controllers that a scenario names: `plain_controller` of a name, `descheduler_in`, `node_pools_in` and `karpenter_in` of a list."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from schedcheck.manifests.descheduler_policy import descheduler_of, descheduler_policy
from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.karpenter import karpenter
from schedcheck.manifests.node_pools import node_pools, node_pools_of
from schedcheck.manifests.objects import Cluster
from schedcheck.model.descheduling import Descheduler
from schedcheck.model.pooling import NodePools
from schedcheck.model.provisioning import Karpenter
from schedcheck.model.scenario import AUTOSCALER, CONFIGURED, CONTROLLERS, DESCHEDULER, JOBS, KARPENTER, NODE_POOLS
from schedcheck.spec.objects import Pod
from schedcheck.spec.schedulers import VARIANTS

Configuration = TypeVar("Configuration")

FORMS: Final = {
    DESCHEDULER: ("{descheduler: policy.yaml}", "DeschedulerPolicy", "policy", "no more than one descheduler"),
    NODE_POOLS: ("{nodePools: pools.yaml}", "NodePools", "document", "nodePools no more than once"),
    KARPENTER: ("{karpenter: karpenter.yaml}", "NodePools and InstanceTypes", "", "karpenter no more than once"),
}
"""How each controller is given: its form, the kind of its file, the word for its content if it may be given, and that it is one."""


def plain_controller(field: Field) -> str:
    """Return the name of a controller without a configuration of its own. Raises: InputError."""
    name = field.required(f"one of {', '.join(CONTROLLERS)}")
    if name in FORMS:
        form, kind, word, _ = FORMS[name]
        raise field.error(f"expected {form}, with the file of its {kind}{f' or the {word}' if word else ''}")
    if name not in CONTROLLERS:
        raise field.error(f"no controller has this name{nearest(name, (*CONTROLLERS, *CONFIGURED, AUTOSCALER, JOBS))}")
    return name


def descheduler_in(field: Field, cluster: Cluster, profile: str) -> Descheduler | None:
    """Return the descheduler that a document names with its policy, None if it names none. Raises: InputError.

    A file is looked up in the folder of the document.
    """
    return _read(_given(field, DESCHEDULER, profile), DESCHEDULER, cluster, descheduler_of, descheduler_policy)


def node_pools_in(field: Field, cluster: Cluster, profile: str) -> NodePools | None:
    """Return the node pools that a document names, None if it names none. Raises: InputError."""
    return _read(_given(field, NODE_POOLS, profile), NODE_POOLS, cluster, node_pools_of, node_pools)


def karpenter_in(field: Field, cluster: Cluster, profile: str) -> Karpenter | None:
    """Return the Karpenter whose file a document names, None if it names none. Raises: InputError."""
    given = _given(field, KARPENTER, profile)
    return None if given is None else karpenter(_file(given, KARPENTER), cluster, cluster.pods)


def _read(
    given: Field | None,
    name: str,
    cluster: Cluster,
    content: Callable[[Field, Cluster, Sequence[Pod]], Configuration],
    of_file: Callable[[Path, Cluster, Sequence[Pod]], Configuration],
) -> Configuration | None:
    """Return what configures a controller, read from its content or from its file; None if it does not run."""
    if given is None:
        return None
    if isinstance(given.value, dict):
        return content(given, cluster, cluster.pods)
    return of_file(_file(given, name), cluster, cluster.pods)


def _given(field: Field, name: str, profile: str) -> Field | None:
    """Return what configures a controller; None if it does not run."""
    items = [item for item in field.items() if isinstance(item.value, dict) and AUTOSCALER not in item.value]
    for item in items:
        item.only(*CONFIGURED)
        if not any(item[each] for each in CONFIGURED):
            raise item.error(f"expected {FORMS[next((key for key, _ in item.entries()), DESCHEDULER)][0]}")
    found = [item for item in items if item[name]]
    for item in found[1:]:
        raise item.error(f"expected {FORMS[name][3]}")
    if not found:
        return None
    if not VARIANTS[profile].scheduler.surroundings:
        raise found[0].error(f"not modelled together with the profile {profile}")
    return found[0][name]


def _file(field: Field, name: str) -> Path:
    """Return the path of the file that a document names. Raises: InputError where there is none."""
    path = Path(field.document.file).parent / field.required(f"the file of a {FORMS[name][1]}")
    if not path.exists():
        raise field.error("no such file")
    return path

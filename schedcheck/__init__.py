"""An executable formal specification of the Kubernetes scheduler, with a bounded model checker.

    import schedcheck

    cluster = schedcheck.read("cluster.yaml")
    print(schedcheck.explain(cluster, "shop/web-1").event)

The names in `__all__` are stable. Nothing in them prints; every error on purpose is a `SchedcheckError`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from schedcheck.version import __version__ as __version__

if TYPE_CHECKING:
    from schedcheck.api.capacity import Capacity as Capacity
    from schedcheck.api.capacity import capacity as capacity
    from schedcheck.api.check import CheckResult as CheckResult
    from schedcheck.api.check import check as check
    from schedcheck.api.check_scheduler import SchedulerCheck as SchedulerCheck
    from schedcheck.api.check_scheduler import check_scheduler as check_scheduler
    from schedcheck.api.compare import Comparison as Comparison
    from schedcheck.api.compare import compare as compare
    from schedcheck.api.compare_scheduler import compare_scheduler as compare_scheduler
    from schedcheck.api.conformance import Conformance as Conformance
    from schedcheck.api.conformance import conformance as conformance
    from schedcheck.api.definition import Definition as Definition
    from schedcheck.api.definition import definition as definition
    from schedcheck.api.deploy import Deployed as Deployed
    from schedcheck.api.deploy import deploy as deploy
    from schedcheck.api.diff import Differences as Differences
    from schedcheck.api.diff import ExploredResult as ExploredResult
    from schedcheck.api.diff import diff as diff
    from schedcheck.api.diff import diff_explored as diff_explored
    from schedcheck.api.diff_scheduler import SchedulerDifferences as SchedulerDifferences
    from schedcheck.api.diff_scheduler import diff_scheduler as diff_scheduler
    from schedcheck.api.each_selected import EachSelected as EachSelected
    from schedcheck.api.each_selected import each_selected as each_selected
    from schedcheck.api.explain import Explanation as Explanation
    from schedcheck.api.explain import explain as explain
    from schedcheck.api.explain_selected import Explanations as Explanations
    from schedcheck.api.explain_selected import explain_selected as explain_selected
    from schedcheck.api.explore import Explorer as Explorer
    from schedcheck.api.explore import Option as Option
    from schedcheck.api.explore import Place as Place
    from schedcheck.api.explore import explore as explore
    from schedcheck.api.induct import Inductions as Inductions
    from schedcheck.api.induct import induct as induct
    from schedcheck.api.judge import Judged as Judged
    from schedcheck.api.judge import judge as judge
    from schedcheck.api.lint import Lint as Lint
    from schedcheck.api.lint import lint as lint
    from schedcheck.api.nodes_needed import NodesNeeded as NodesNeeded
    from schedcheck.api.nodes_needed import nodes_needed as nodes_needed
    from schedcheck.api.nodes_to_spare import NodesToSpare as NodesToSpare
    from schedcheck.api.nodes_to_spare import nodes_to_spare as nodes_to_spare
    from schedcheck.api.optimum import Optimum as Optimum
    from schedcheck.api.optimum import optimum as optimum
    from schedcheck.api.oracle import oracle as oracle
    from schedcheck.api.properties import NamedProperty as NamedProperty
    from schedcheck.api.properties import properties as properties
    from schedcheck.api.reading import read as read
    from schedcheck.api.relocation import Relocated as Relocated
    from schedcheck.api.relocation import drain as drain
    from schedcheck.api.relocation import fail as fail
    from schedcheck.api.replay import Replayed as Replayed
    from schedcheck.api.replay import replay as replay
    from schedcheck.api.serve import Address as Address
    from schedcheck.api.serve import Service as Service
    from schedcheck.api.serve import asgi as asgi
    from schedcheck.api.serve import serve as serve
    from schedcheck.api.serve_explorer import serve_explorer as serve_explorer
    from schedcheck.api.simulate import Sample as Sample
    from schedcheck.api.simulate import Simulated as Simulated
    from schedcheck.api.simulate import simulate as simulate
    from schedcheck.api.smallest import Smallest as Smallest
    from schedcheck.api.smallest import smallest as smallest
    from schedcheck.api.smallest_difference import SmallestDifference as SmallestDifference
    from schedcheck.api.smallest_difference import smallest_difference as smallest_difference
    from schedcheck.api.smallest_scheduler_difference import (
        smallest_scheduler_difference as smallest_scheduler_difference,
    )
    from schedcheck.api.tla import Evaluator as Evaluator
    from schedcheck.api.tla import Exported as Exported
    from schedcheck.api.tla import ModuleResult as ModuleResult
    from schedcheck.api.tla import NotEvaluated as NotEvaluated
    from schedcheck.api.tla import check_module as check_module
    from schedcheck.api.tla import evaluate as evaluate
    from schedcheck.api.tla import export as export
    from schedcheck.api.values import Asking as Asking
    from schedcheck.api.values import Limits as Limits
    from schedcheck.api.values import Observer as Observer
    from schedcheck.api.values import Profile as Profile
    from schedcheck.api.values import Search as Search
    from schedcheck.api.values import Storage as Storage
    from schedcheck.api.values import article as article
    from schedcheck.api.values import classic as classic
    from schedcheck.api.values import corrected as corrected
    from schedcheck.api.values import kubernetes as kubernetes
    from schedcheck.api.victims import Victims as Victims
    from schedcheck.api.victims import victims as victims
    from schedcheck.checker.judging.reply import Reply as Reply
    from schedcheck.checker.language.checking.module_search import ModuleSearch as ModuleSearch
    from schedcheck.checker.result import Verdict as Verdict
    from schedcheck.errors import GaveUp as GaveUp
    from schedcheck.errors import InputError as InputError
    from schedcheck.errors import SchedcheckError as SchedcheckError
    from schedcheck.errors import Unanswerable as Unanswerable
    from schedcheck.manifests import Cluster as Cluster

_HOMES = {
    "schedcheck.api.capacity": ("Capacity", "capacity"),
    "schedcheck.api.check": ("CheckResult", "check"),
    "schedcheck.api.check_scheduler": ("SchedulerCheck", "check_scheduler"),
    "schedcheck.api.compare": ("Comparison", "compare"),
    "schedcheck.api.compare_scheduler": ("compare_scheduler",),
    "schedcheck.api.conformance": ("Conformance", "conformance"),
    "schedcheck.api.definition": ("Definition", "definition"),
    "schedcheck.api.deploy": ("Deployed", "deploy"),
    "schedcheck.api.diff": ("Differences", "ExploredResult", "diff", "diff_explored"),
    "schedcheck.api.diff_scheduler": ("SchedulerDifferences", "diff_scheduler"),
    "schedcheck.api.explain": ("Explanation", "explain"),
    "schedcheck.api.explore": ("Explorer", "Option", "Place", "explore"),
    "schedcheck.api.each_selected": ("EachSelected", "each_selected"),
    "schedcheck.api.explain_selected": ("Explanations", "explain_selected"),
    "schedcheck.api.induct": ("Inductions", "induct"),
    "schedcheck.api.judge": ("Judged", "judge"),
    "schedcheck.api.lint": ("Lint", "lint"),
    "schedcheck.api.nodes_needed": ("NodesNeeded", "nodes_needed"),
    "schedcheck.api.nodes_to_spare": ("NodesToSpare", "nodes_to_spare"),
    "schedcheck.api.optimum": ("Optimum", "optimum"),
    "schedcheck.api.oracle": ("oracle",),
    "schedcheck.api.properties": ("NamedProperty", "properties"),
    "schedcheck.api.reading": ("read",),
    "schedcheck.api.relocation": ("Relocated", "drain", "fail"),
    "schedcheck.api.serve": ("Address", "Service", "asgi", "serve"),
    "schedcheck.api.serve_explorer": ("serve_explorer",),
    "schedcheck.api.replay": ("Replayed", "replay"),
    "schedcheck.api.simulate": ("Sample", "Simulated", "simulate"),
    "schedcheck.api.smallest": ("Smallest", "smallest"),
    "schedcheck.api.smallest_difference": ("SmallestDifference", "smallest_difference"),
    "schedcheck.api.smallest_scheduler_difference": ("smallest_scheduler_difference",),
    "schedcheck.api.tla": (
        "Evaluator", "Exported", "ModuleResult", "NotEvaluated", "check_module", "evaluate", "export"
    ),
    "schedcheck.api.values": (
        "Asking", "Limits", "Observer", "Profile", "Search", "Storage", "article", "classic", "corrected", "kubernetes"
    ),
    "schedcheck.api.victims": ("Victims", "victims"),
    "schedcheck.checker.judging.reply": ("Reply",),
    "schedcheck.checker.language.checking.module_search": ("ModuleSearch",),
    "schedcheck.checker.result": ("Verdict",),
    "schedcheck.errors": ("GaveUp", "Inductions", "InputError", "SchedcheckError", "Unanswerable"),
    "schedcheck.manifests": ("Cluster",),
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Address", "Capacity", "CheckResult", "Cluster", "Comparison", "Conformance", "Definition", "Deployed", "Differences", "EachSelected", "Evaluator",
    "Explanation", "Explanations", "ExploredResult", "Explorer", "Exported", "GaveUp", "InputError", "Judged", "Limits", "Lint", "ModuleResult", "ModuleSearch",
    "NamedProperty", "NodesNeeded", "NodesToSpare", "NotEvaluated", "Observer", "Optimum", "Option", "Place", "Profile",
    "Relocated", "Replayed", "Reply", "Sample", "SchedcheckError", "SchedulerCheck", "SchedulerDifferences", "Search", "Service", "Simulated", "Smallest", "SmallestDifference", "Storage", "Unanswerable", "Verdict", "Victims",
    "article", "asgi", "capacity", "check", "check_module", "check_scheduler", "classic", "compare", "compare_scheduler", "conformance", "corrected", "definition",
    "deploy", "diff", "diff_explored", "diff_scheduler", "drain", "each_selected", "evaluate", "explain", "explain_selected", "explore", "export", "fail", "induct", "judge", "kubernetes", "lint", "nodes_needed", "nodes_to_spare",
    "optimum", "oracle", "properties", "read", "replay", "serve", "serve_explorer", "simulate", "smallest", "smallest_difference", "smallest_scheduler_difference", "victims",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name of the interface where it is first used, so that `import schedcheck` takes no time."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Return the names of the interface."""
    return [*__all__, "__version__"]

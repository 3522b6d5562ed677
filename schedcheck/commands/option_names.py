"""The options of the command line that set the parameters of the Python API: `OPTIONS`, `option`."""

OPTIONS = {
    "about": "--pod or --budget",
    "any": "--any",
    "about pod": "--pod",
    "about budget": "--budget",
    "count": "--count",
    "diff_explored": "--explore",
    "each": "--each",
    "graph": "--graph",
    "until": "--until",
    "ignore": "--ignore",
    "limits.depth": "--depth",
    "limits.graph": "--graph-memory",
    "limits.memory": "--memory",
    "limits.rounds": "--rounds",
    "limits.seconds": "--time",
    "limits.states": "--max-states",
    "strictness": "--strictness",
    "reply": "decision",
    "namespace": "--namespace",
    "node": "--node",
    "pod": "POD",
    "profile": "--profile",
    "profile.ask_extenders": "--ask-extenders",
    "profile.by_allocatable": "--by-allocatable",
    "profile.config": "--config",
    "profile.faults": "--fault",
    "profile.plugins": "--plugin",
    "profile.policy": "--policy",
    "profile.repairs": "--repair",
    "profile.rules": "--rule",
    "properties": "--property",
    "replicas": "--replicas",
    "sample.cores": "--cores",
    "sample.judge": "--judge",
    "sample.only": "--run",
    "sample.runs": "--runs",
    "sample.seed": "--seed",
    "search.engine": "--engine",
    "search.events": "--events",
    "selector": "--selector",
    "search.order": "--search",
    "shape": "--nodes",
    "storage.checkpoint": "--checkpoint",
    "trace": "--trace",
}
"""The option for each parameter that a message may name."""


def option(parameter: str) -> str:
    """Return the option that sets the parameter."""
    return OPTIONS[parameter]

"""The groups in which --help shows the options of a command, and all commands, in order."""

from cyclopts import Group

QUESTION = Group("Question", sort_key=1)
BOUNDS = Group("Bounds", sort_key=2)
CLUSTER = Group("Cluster and profile", sort_key=3)
SEARCH = Group("Search", sort_key=4)
PROGRAM = Group("A scheduler that is a program", sort_key=5)
OUTPUT = Group("Output", sort_key=6)
OTHERS = Group("Early Kubernetes and the published model", sort_key=7)

CLUSTERS = Group("Questions about a cluster", sort_key=1)
SCHEDULERS = Group("Questions about schedulers", sort_key=2)
DEFINITIONS = Group("Definitions and examples", sort_key=3)
REST = Group("Other", sort_key=4)
COMMANDS = {
    **dict.fromkeys(("smallest", "conformance", "diff", "oracle", "replay", "serve"), SCHEDULERS),
    **dict.fromkeys(("demo", "properties", "tla", "report-bug"), DEFINITIONS),
}
"""The group of each command in the help of them all; the others ask about a cluster."""

ORDER = (QUESTION, BOUNDS, CLUSTER, SEARCH, PROGRAM, OUTPUT, OTHERS)

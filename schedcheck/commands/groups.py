"""The groups in which --help shows the options of a command, in order."""

from cyclopts import Group

QUESTION = Group("Question", sort_key=1)
BOUNDS = Group("Bounds", sort_key=2)
CLUSTER = Group("Cluster and profile", sort_key=3)
SEARCH = Group("Search", sort_key=4)
OUTPUT = Group("Output", sort_key=5)
OTHERS = Group("Early Kubernetes and the published model", sort_key=6)

ORDER = (QUESTION, BOUNDS, CLUSTER, SEARCH, OUTPUT, OTHERS)

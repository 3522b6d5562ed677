"""Defects that concern nothing built here, each with the reason: `REASONS`"""

REASONS = {
    "kubernetes-sigs/kueue#1561": "how much a queue may borrow from its cohort: there are no quotas here, and no limit that may be absent",
    "volcano-sh/volcano#5805": "the order of jobs by their share of the cluster: the queue goes by priority and time, and knows no gangs",
}

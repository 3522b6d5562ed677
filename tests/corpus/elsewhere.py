"""Defects that concern nothing that is built here, each with the reason: `REASONS`."""

REASONS = {
    "kubernetes-sigs/scheduler-plugins#381": "what the plugin CapacityScheduling counts to the quota of a namespace; "
    "no plugin of kube-scheduler has quotas",
}

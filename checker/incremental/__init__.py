"""kube-scheduler's sums over pods, kept once for a cluster instead of computed for every pod."""

"""kube-scheduler's sums over pods, computed once for a cluster instead of once for every pod."""

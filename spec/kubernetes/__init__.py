"""kube-scheduler 1.34: its scheduling cycle, its plugins, and the two relations of its control loop."""

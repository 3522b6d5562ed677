"""The filters of kube-scheduler, one file for each plugin."""

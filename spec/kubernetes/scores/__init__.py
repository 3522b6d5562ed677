"""The scores of kube-scheduler, one file for each plugin."""

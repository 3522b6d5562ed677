"""The scores of kube-scheduler, one plugin a file."""

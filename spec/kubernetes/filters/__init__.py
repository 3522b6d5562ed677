"""The filters of kube-scheduler, one plugin a file."""

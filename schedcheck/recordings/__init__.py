"""Recorded answers of kube-scheduler, compared with the answers of the specification."""

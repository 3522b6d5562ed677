"""The preemption of kube-scheduler: eligibility, the dry run, the choice of a candidate."""

"""Preemption in kube-scheduler: eligibility, the dry run, and the choice of a candidate."""

----------------------------- MODULE KubeRefusals ------------------------------
(* How a filter of kube-scheduler refuses a node: which plugin does, and      *)
(* whether an eviction could ever change it; or that the filter fails, which  *)
(* ends the cycle. Null stands for no refusal.                                *)
EXTENDS KubeSnapshots

Unschedulable(Plugin) == [Plugin |-> Plugin, Code |-> "Unschedulable"]

Unresolvable(Plugin) == [Plugin |-> Plugin, Code |-> "UnschedulableAndUnresolvable"]

Failed(Plugin) == [Plugin |-> Plugin, Code |-> "Error"]
================================================================================

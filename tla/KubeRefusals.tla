----------------------------- MODULE KubeRefusals ------------------------------
(* The refusal of a node by a filter of kube-scheduler: the plugin, and       *)
(* whether evictions may resolve it, or whether the filter fails, which ends  *)
(* the cycle.  Null stands for no refusal.                                    *)
EXTENDS KubeSnapshots

Unschedulable(Plugin) == [Plugin |-> Plugin, Code |-> "Unschedulable"]

Unresolvable(Plugin) == [Plugin |-> Plugin, Code |-> "UnschedulableAndUnresolvable"]

Failed(Plugin) == [Plugin |-> Plugin, Code |-> "Error"]
================================================================================

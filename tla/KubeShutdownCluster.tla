-------------------------- MODULE KubeShutdownCluster --------------------------
(* The system with kube-scheduler and graceful node shutdowns in it: that of  *)
(* KubeCluster, in which the event "shutdown" begins a shutdown.              *)
(*                                                                            *)
(* A killed pod and a rejected one stay, in phase Failed, and their owners    *)
(* replace them.  The time of a group may be over at any step.  While a node  *)
(* shuts down its kubelet starts no pod, and no event changes its condition   *)
(* Ready; once it is off the condition is Unknown.                            *)
EXTENDS NodeShutdown, KubeDeciding

VARIABLE Shutdowns  (* A set of shutdowns, see NodeShutdown. *)

ShutDown(Number, Node) ==
  /\ StillUsable(Number)
  /\ Befalls(Rules[Number], "shutdown", Node)
  /\ Node.Status.Ready # "Unknown"
  /\ Node.Name \notin {Shutdown.Node : Shutdown \in Shutdowns}
  /\ Left' = Spent(Number)
  /\ Shutdowns' = Shutdowns \union {ShutdownOf(Node, Objects)}

BecomesFailed(Pod) == Becomes(Pod, {[Pod EXCEPT !.Status.Phase = "Failed"]})

Kill(Shutdown, Pod) ==
  /\ Identity(Pod) \in Shutdown.Killed \union Shutdown.Overdue
  /\ ~Pod.Terminating
  /\ BecomesFailed(Pod)

Reject(Shutdown, Pod) ==
  /\ Pod.Spec.NodeName = Shutdown.Node
  /\ Identity(Pod) \notin KnownTo(Shutdown)
  /\ Pod.Status.Phase = "Pending"
  /\ ~Pod.Terminating
  /\ BecomesFailed(Pod)

ReportShutdown(Shutdown, Node) ==
  /\ Node.Name = Shutdown.Node
  /\ Node.Status.Ready = "True"
  /\ Becomes(Node, {[Node EXCEPT !.Status.Ready = "False"]})

Expire(Shutdown) ==
  /\ Shutdown.Killed # {}
  /\ Shutdowns' = (Shutdowns \ {Shutdown}) \union {Expired(Shutdown)}

PowerOff(Shutdown, Node) ==
  /\ Node.Name = Shutdown.Node
  /\ Shutdown.Killed = {} /\ Shutdown.Waiting = <<>>
  /\ Becomes(Node, {[Node EXCEPT !.Status.Ready = "Unknown"]})
  /\ Shutdowns' = LastingOnes(Shutdowns \ {Shutdown}, Objects')

ReplaceFailed(Pod) ==
  /\ "owners" \in RunningControllers
  /\ Pod.Owner[1] \in Recreating
  /\ Pod.Status.Phase = "Failed"
  /\ ~Pod.Terminating
  /\ Becomes(Pod, {Created(Pod)})

(* What events and kubelets of other nodes leave as it is. *)
Undisturbed(Shutdown, Before, Snapshot) ==
  LET Running(Some) ==
        {Identity(Pod) : Pod \in {Each \in NotEnded(Shutdown.Node, Some) : Each.Status.Phase = "Running"}}
      Conditions(Some) == {Node.Status.Ready : Node \in {Each \in Nodes(Some) : Each.Name = Shutdown.Node}}
  IN /\ Running(Snapshot) \subseteq Running(Before)
     /\ Conditions(Snapshot) \subseteq Conditions(Before)

ShutdownInit == Beginning /\ ToEvict = {} /\ Shutdowns = {}

ShutdownNext ==
  \/ /\ ByItself
     /\ \A Shutdown \in Shutdowns : Undisturbed(Shutdown, Objects, Objects')
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
  \/ /\ \E Pod \in Pods(Objects) :
          \/ EvictVictim(Pod)
          \/ Terminate(Pod)
          \/ ReplaceFailed(Pod)
          \/ \E Shutdown \in Shutdowns : Kill(Shutdown, Pod) \/ Reject(Shutdown, Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Shutdown \in Shutdowns, Node \in Nodes(Objects) : ReportShutdown(Shutdown, Node)
     /\ UNCHANGED <<Left, ToEvict, Shutdowns>>
  \/ /\ \E Shutdown \in Shutdowns, Node \in Nodes(Objects) : PowerOff(Shutdown, Node)
     /\ UNCHANGED <<Left, ToEvict>>
  \/ /\ \E Shutdown \in Shutdowns : Expire(Shutdown)
     /\ UNCHANGED <<Objects, Left, ToEvict>>
  \/ /\ \E Number \in DOMAIN Rules, Node \in Nodes(Objects) : ShutDown(Number, Node)
     /\ UNCHANGED <<Objects, ToEvict>>

ShutdownSpec == ShutdownInit /\ [][ShutdownNext]_<<Objects, Left, ToEvict, Shutdowns>>
================================================================================

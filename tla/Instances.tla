------------------------------ MODULE Instances --------------------------------
(* The instances of the steps of controllers, to each of which a behaviour    *)
(* may be fair; and further predicates of pods for properties of behaviours.  *)
(*                                                                            *)
(* An instance is <<Step, Key, Name, Victims>>: the name of an action, the    *)
(* identity of its object, the name of a node, and identities of pods.  A     *)
(* node is identified by <<"", its name>>.  Name and Victims belong to        *)
(* decisions; elsewhere they are "" and {}.                                   *)
(*                                                                            *)
(* Two instances may relate the same two states.  Then a step between them is *)
(* a step of both.  No verdict depends on that: a behaviour that takes such   *)
(* steps infinitely often may take them in turn as either.                    *)
EXTENDS Questions

KeysOf(Some) == {Identity(Object) : Object \in Some}

NodeNames == {Node.Name : Node \in Nodes(Catalogue)}

OfObjects(Steps, Keys) == {<<Step, Key, "", {}>> : Step \in Steps, Key \in Keys}

StepsOfPods ==
  UNION {IF "owners" \in RunningControllers THEN {"Create", "Replace"} ELSE {},
         IF "lifecycle" \in RunningControllers THEN {"TaintEvict"} ELSE {},
         IF "kubelet" \in RunningControllers THEN {"Start", "End"} ELSE {},
         IF "podgc" \in RunningControllers THEN {"Collect"} ELSE {}}

StepsOfNodes == IF "lifecycle" \in RunningControllers THEN {"TaintByCondition"} ELSE {}

StepsOfBudgets == IF "disruption" \in RunningControllers THEN {"Recount"} ELSE {}

UpkeepInstances ==
  OfObjects(StepsOfPods, KeysOf(Pods(Catalogue)))
    \union OfObjects(StepsOfNodes, {<<"", Name>> : Name \in NodeNames})
    \union OfObjects(StepsOfBudgets, KeysOf(Budgets(Catalogue)))

OnItsNode(Step, Pod, Node) ==
  \/ Step = "TaintEvict" /\ TaintEvict(Pod, Node)
  \/ Step = "Start" /\ Start(Pod, Node)
  \/ Step = "End" /\ End(Pod, Node)
  \/ Step = "Replace" /\ Replace(Pod, Node)

UpkeepOf(Instance) ==
  LET Step == Instance[1]
      Key == Instance[2]
      Named(Some) == {Object \in Some : Identity(Object) = Key}
  IN \/ Step = "Create" /\ \E Origin \in Named(Pods(Catalogue)) : Create(Origin)
     \/ Step = "Collect" /\ \E Pod \in Named(Pods(Objects)) : Collect(Pod)
     \/ Step = "Recount" /\ \E Budget \in Named(Budgets(Objects)) : Recount(Budget)
     \/ Step = "TaintByCondition" /\ \E Node \in {Each \in Nodes(Objects) : Each.Name = Key[2]} : TaintByCondition(Node)
     \/ /\ Step \in {"TaintEvict", "Start", "End", "Replace"}
        /\ \E Pod \in Named(Pods(Objects)) : \E Node \in {Each \in Nodes(Objects) : BoundTo(Pod, Each, Objects)} :
             OnItsNode(Step, Pod, Node)

(* The pods of lower priority: the only ones that are evicted for a pod.      *)
LowerThan(Pod) == {Other \in Pods(Catalogue) : Other.Spec.Priority < Pod.Spec.Priority}

DecisionsAmong(Names, Evicting) ==
  LET Made(Step, Pod, SetsOfVictims) ==
        {<<Step, Identity(Pod), Name, Victims>> : Name \in Names, Victims \in SetsOfVictims}
  IN UNION {Made("Bind", Pod, {{}}) \union Made(Evicting, Pod, SUBSET KeysOf(LowerThan(Pod))) : Pod \in Pods(Catalogue)}

AsInstance(Pod, Made) ==
  <<Made.Kind, Identity(Pod), IF Made.Node = Null THEN "" ELSE Made.Node.Name, KeysOf(Made.Victims)>>

WaitingAs(Key) == {Pod \in Pods(Objects) : Identity(Pod) = Key /\ Pod.Spec.NodeName = "" /\ ~Completed(Pod)}

PodWaits(Key) == WaitingAs(Key) # {}

PodFeasible(Key, Admits(_, _, _)) ==
  \E Pod \in WaitingAs(Key) : \E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)

AllPodsBound ==
  /\ Pods(Objects) # {}
  /\ \A Pod \in Pods(Objects) : Pod.Spec.NodeName # "" \/ Completed(Pod)
================================================================================

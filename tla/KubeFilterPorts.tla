---------------------------- MODULE KubeFilterPorts ----------------------------
(* The filter NodePorts: a host port can be used only once for each protocol  *)
(* and address; 0.0.0.0 stands for every address.                             *)
EXTENDS KubeRefusals, KubeNodeInfo

Clash(Port, Other) ==
  /\ Port.Port = Other.Port
  /\ Port.Protocol = Other.Protocol
  /\ Port.Address = Other.Address \/ "0.0.0.0" \in {Port.Address, Other.Address}

NodePorts(Pod, Info) ==
  ~\E Port \in HostPorts(Pod), Other \in Info.Ports : Clash(Port, Other)

NodePortsRefusal(Pod, Info) ==
  IF NodePorts(Pod, Info) THEN Null ELSE Unschedulable("NodePorts")

NodePortsSkipped(Pod) == HostPorts(Pod) = {}
================================================================================

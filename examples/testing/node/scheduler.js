// A scheduler that binds a pod to the first node that its node selector matches, with free host ports and room for a pod.

export function schedule(pod, items) {
  const node = items.find((each) => each.kind === "Node" && feasible(pod, each, items));
  return node ? { kind: "bind", node: node.metadata.name } : { kind: "unschedulable" };
}

function feasible(pod, node, items) {
  const there = items.filter((each) => each.kind === "Pod" && each.spec.nodeName === node.metadata.name);
  return selected(pod, node) && there.length < Number(node.status.allocatable.pods) && free(pod, there);
}

function selected(pod, node) {
  const labels = node.metadata.labels ?? {};
  return Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
}

function free(pod, there) {
  const taken = there.flatMap(ports);
  return ports(pod).every((port) => !taken.some((other) => conflict(port, other)));
}

function ports(pod) {
  return pod.spec.containers.flatMap((each) => each.ports ?? []).filter((port) => port.hostPort);
}

// An address of 0.0.0.0, which is the default, conflicts with every other.
function conflict(one, other) {
  const [here, there] = [one, other].map((port) => port.hostIP || "0.0.0.0");
  const same = here === there || here === "0.0.0.0" || there === "0.0.0.0";
  return same && one.hostPort === other.hostPort && (one.protocol ?? "TCP") === (other.protocol ?? "TCP");
}

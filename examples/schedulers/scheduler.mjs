// A scheduler: a line with a cluster and a pod comes in, a line with a decision goes out. README.md says what it promises.
//
// usage: node scheduler.mjs [no-execute | defaults | tie | budget | stale]; the argument plants a mistake

import { createInterface } from "node:readline";

const mistake = process.argv[2] ?? "";
const effects = mistake === "no-execute" ? ["NoSchedule"] : ["NoSchedule", "NoExecute"];
const defaults = mistake === "defaults" ? {} : { cpu: "100m", memory: "200Mi" };
const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

// Billionths in one of each unit.
const units = { n: 1n, u: 10n ** 3n, m: 10n ** 6n, "": 10n ** 9n };
[..."kMGTPE"].forEach((letter, power) => (units[letter] = 1000n ** BigInt(power + 1) * 10n ** 9n));
[..."KMGTPE"].forEach((letter, power) => (units[letter + "i"] = 1024n ** BigInt(power + 1) * 10n ** 9n));

// The sum of maps of quantities: of cpu in thousandths, rounded up once.
function total(maps) {
  const exact = {};
  for (const [name, text] of maps.flatMap(Object.entries)) {
    const [, whole, part = "", unit] = /^([0-9]*)\.?([0-9]*)([a-zA-Z]*)$/.exec(text);
    const amount = (BigInt(whole + part) * units[unit]) / 10n ** BigInt(part.length);
    exact[name] = (exact[name] ?? 0n) + amount;
  }
  const up = (name, one) => Number((exact[name] + one - 1n) / one);
  return Object.fromEntries(Object.keys(exact).map((name) => [name, up(name, name === "cpu" ? 10n ** 6n : 10n ** 9n)]));
}

const tolerates = (tolerations, { key, value = "", effect }) =>
  (tolerations ?? []).some((each) => ["", effect].includes(each.effect ?? "") && ["", key].includes(each.key ?? "") &&
    (each.operator === "Exists" || (each.value ?? "") === value));

function covers(budget, pod) {
  const { matchLabels = {}, matchExpressions = [] } = budget.spec.selector ?? {};
  const empty = Object.keys(matchLabels).length + matchExpressions.length === 0 || Object.keys(pod.labels).length === 0;
  if (empty || budget.metadata.namespace !== pod.namespace || pod.name in (budget.status.disruptedPods ?? {})) return false;
  const holds = ({ key, operator, values }) =>
    (values ? values.includes(pod.labels[key]) : key in pod.labels) === ["In", "Exists"].includes(operator);
  return Object.entries(matchLabels).every(([key, value]) => pod.labels[key] === value) && matchExpressions.every(holds);
}

function podOf({ metadata, spec, status = {} }) {
  const namespace = metadata.namespace ?? "default";
  const reason = status.conditions?.find((each) => each.type === "DisruptionTarget")?.reason;
  const ports = spec.containers.flatMap((each) => each.ports ?? []).filter((each) => each.hostPort);
  const asked = spec.containers.map((each) => each.resources?.requests ?? {});
  return {
    spec, namespace, name: metadata.name, key: `${namespace}/${metadata.name}`, labels: metadata.labels ?? {},
    node: spec.nodeName ?? "", priority: spec.priority ?? 0, nominated: status.nominatedNodeName ?? "",
    start: status.startTime ?? "9", ended: ["Succeeded", "Failed"].includes(status.phase),
    leaving: metadata.deletionTimestamp !== undefined && reason === "PreemptionByScheduler",
    ports: ports.map((each) => [each.hostIP || "0.0.0.0", each.protocol ?? "TCP", each.hostPort].join()),
    requests: total(asked), counted: total(asked.map((each) => ({ ...defaults, ...each }))),
  };
}

class Node {
  constructor({ metadata, spec = {}, status }, pods) {
    this.name = metadata.name;
    this.taints = [...(spec.taints ?? []), ...(spec.unschedulable ? [cordon] : [])];
    this.room = total([status.allocatable ?? {}]);
    this.pods = pods.filter((each) => each.node === this.name);
    this.ports = new Set(this.pods.flatMap((each) => each.ports));
  }

  add(pod) {
    this.pods.push(pod);
    pod.ports.forEach((each) => this.ports.add(each));
  }

  // As in kube-scheduler, the ports of a removed pod are free then, even if another pod has them.
  remove(pod) {
    this.pods = this.pods.filter((each) => each !== pod);
    pod.ports.forEach((each) => this.ports.delete(each));
  }

  // "never" if the pod cannot fit, "now" if it may after evictions, "" if it fits.
  refuses(pod) {
    if (this.taints.some((each) => effects.includes(each.effect) && !tolerates(pod.spec.tolerations, each))) return "never";
    const clash = ([ip, protocol, port], [other, ...rest]) =>
      protocol === rest[0] && port === rest[1] && (ip === other || [ip, other].includes("0.0.0.0"));
    if (pod.ports.some((one) => [...this.ports].some((each) => clash(one.split(","), each.split(","))))) return "now";
    const free = (name) => (this.room[name] ?? 0) - this.pods.reduce((sum, each) => sum + (each.requests[name] ?? 0), 0);
    const short = Object.keys(pod.requests).filter((name) => pod.requests[name] > Math.max(0, free(name)));
    if (short.some((name) => pod.requests[name] > (this.room[name] ?? 0))) return "never";
    return short.length || this.pods.length >= (this.room.pods ?? 0) ? "now" : "";
  }

  score(pod) {
    const used = (name) => [...this.pods, pod].reduce((sum, each) => sum + (each.counted[name] ?? 0), 0);
    const rooms = ["cpu", "memory"].map((name) => [this.room[name] ?? 0, used(name)]).filter(([room]) => room);
    const shares = rooms.map(([room, amount]) => Math.floor((Math.max(0, room - amount) * 100) / room));
    return Math.floor(shares.reduce((sum, each) => sum + each, 0) / Math.max(1, shares.length));
  }
}

// Whether a list is greater than another one, by their first difference.
const greater = (one, other) => one.map((each, at) => [each, other[at]]).find(([a, b]) => a !== b)?.reduce((a, b) => a > b);

function decide(pod, nodes, nominated, budgets) {
  // Beside the pods that are nominated to the node, or without them.
  const refuses = (node) => {
    const extra = nominated.filter((each) => each.nominated === node.name);
    extra.forEach((each) => node.add(each));
    const why = node.refuses(pod);
    extra.forEach((each) => node.remove(each));
    return why || node.refuses(pod);
  };
  // What speaks for evictions from the node, and the decision.
  const candidate = (node) => {
    const lower = node.pods.filter((each) => each.priority < pod.priority);
    const later = (one, other) => (mistake === "tie" || one.start === other.start ? 0 : one.start < other.start ? -1 : 1);
    lower.sort((one, other) => other.priority - one.priority || later(one, other));
    lower.forEach((each) => node.remove(each));
    if (!lower.length || refuses(node)) return [];
    const spent = (each) => lower.filter((pod) => covers(each, pod)).slice(Math.max(0, each.status.disruptionsAllowed));
    const guarded = budgets.flatMap(spent);
    const isGuarded = (each) => guarded.includes(each);
    const order = [...lower.filter(isGuarded), ...lower.filter((each) => !isGuarded(each))];
    const victims = order.filter((each) => (node.add(each), refuses(node) && (node.remove(each), true)));
    const first = Math.max(...victims.map((each) => each.priority));
    const starts = victims.filter((each) => each.priority === first).map((each) => each.start).sort();
    const sum = victims.reduce((sum, each) => sum + each.priority + 2 ** 31, 0);
    const reply = { kind: "nominate", node: node.name, victims: victims.map((each) => each.key) };
    return [[[-victims.filter(isGuarded).length, -first, -sum, starts[0]], reply]];
  };
  const why = new Map(nodes.map((node) => [node, refuses(node)]));
  const worth = (node) => [node.name === pod.nominated ? 1 : 0, node.score(pod)];
  const fit = nodes.filter((node) => !why.get(node));
  if (fit.length) return { kind: "bind", node: fit.reduce((a, b) => (greater(worth(b), worth(a)) ? b : a)).name };
  const full = nodes.filter((node) => why.get(node) === "now");
  const there = full.filter((node) => node.name === pod.nominated).flatMap((node) => node.pods);
  const waits = there.some((each) => each.leaving && each.priority < pod.priority);
  const found = waits || pod.spec.preemptionPolicy === "Never" ? [] : full.flatMap(candidate);
  return found.length ? found.reduce((a, b) => (greater(b[0], a[0]) ? b : a))[1] : { kind: "unschedulable" };
}

const seen = {};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, pod, cluster } = JSON.parse(line);
  const of = (kind) => cluster.items.filter((each) => each.kind === kind);
  const pods = of("Pod").map(podOf).filter((each) => !each.ended);
  const one = podOf(pod);
  const there = (each) => (mistake === "stale" ? (seen[each.metadata.name] ??= each) : each); // looked at only once
  const nodes = of("Node").map((each) => new Node(there(each), pods));
  const others = pods.filter((each) => !each.node && each.priority >= one.priority && each.key !== one.key);
  const reply = decide(one, nodes, others, mistake === "budget" ? [] : of("PodDisruptionBudget"));
  console.log(JSON.stringify({ id, ...reply }));
}

import { after, before, test } from "node:test";
import { Oracle } from "./oracle.js";
import { schedule } from "./scheduler.js";

let oracle;
before(() => {
  oracle = new Oracle("--strictness", "feasible");
});
after(() => oracle.close());

const node = (name, labels = {}) => ({
  kind: "Node",
  metadata: { name, uid: name, labels },
  status: { allocatable: { cpu: "8", pods: "3" } },
});

const pod = (name, { on, ports = [], nodeSelector = {} } = {}) => ({
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
  spec: { nodeName: on, nodeSelector, containers: [{ name: "main", image: "app", ports }] },
  status: { phase: on ? "Running" : "Pending" },
});

const http = { containerPort: 80, hostPort: 80 };

test("a port that is taken on every address", async () => {
  const items = [node("n1"), node("n2"), pod("other", { on: "n1", ports: [{ ...http, hostIP: "10.0.0.1" }] })];
  const web = pod("web", { ports: [http] });
  await oracle.assertAllowed(web, items, schedule(web, items));
});

test("a port that is taken on another address", async () => {
  const items = [node("n1"), pod("other", { on: "n1", ports: [{ ...http, hostIP: "10.0.0.1" }] })];
  const web = pod("web", { ports: [{ ...http, hostIP: "10.0.0.2" }] });
  await oracle.assertAllowed(web, items, schedule(web, items));
});

test("no node with the label", async () => {
  const web = pod("web", { nodeSelector: { disk: "ssd" } });
  const items = [node("n1"), node("n2", { disk: "hdd" })];
  await oracle.assertAllowed(web, items, schedule(web, items));
});

test("random clusters", async () => {
  const [one, below] = random(1);
  const drawn = () => ({
    ports: Array.from({ length: below(2) }, () => ({
      containerPort: 80,
      hostPort: one(80, 81),
      protocol: one("TCP", "UDP"),
      hostIP: one("", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
    })),
    nodeSelector: one({}, {}, { disk: "ssd" }),
  });
  for (let number = 0; number < 300; number++) {
    const items = ["n1", "n2"].flatMap((name) => [
      node(name, one({}, { disk: "ssd" }, { disk: "hdd" })),
      ...Array.from({ length: below(4) }, (_, place) => pod(`${name}-${place}`, { on: name, ...drawn() })),
    ]);
    const web = pod("web", drawn());
    await oracle.assertAllowed(web, items, schedule(web, items));
  }
});

// Numbers that are the same in every run (mulberry32).
function random(seed) {
  const below = (limit) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
  return [(...values) => values[below(values.length)], below];
}

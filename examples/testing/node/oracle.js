// `schedcheck oracle` for tests: one line out, one line in.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export class Oracle {
  constructor(...options) {
    const command = process.env.SCHEDCHECK ?? "schedcheck";
    this.process = spawn(command, ["oracle", "--quiet", ...options], { stdio: ["pipe", "pipe", "inherit"] });
    this.started = new Promise((resolve, reject) => this.process.once("spawn", resolve).once("error", reject));
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** Fail unless the specification allows the decision. */
  async assertAllowed(pod, items, decision) {
    await this.started;
    const question = JSON.stringify({ cluster: { items }, pod, decision });
    this.process.stdin.write(question + "\n");
    const { value, done } = await this.lines.next();
    assert.ok(!done, "the oracle ended");
    const answer = JSON.parse(value);
    assert.ok(!answer.error, `the oracle cannot read the question: ${answer.error}`);
    const clause = answer.clause ? ` by ${answer.clause.name}: ${answer.clause.demands}` : "";
    const allowed = JSON.stringify(answer.allowed);
    const told = [`${JSON.stringify(decision)} is ${answer.verdict}${clause}`, ...answer.reasons, `allowed: ${allowed}`, question];
    assert.equal(answer.verdict, "allowed", told.join("\n"));
  }

  async close() {
    await this.started;
    const closed = new Promise((resolve) => this.process.once("close", resolve));
    this.process.stdin.end();
    await closed;
  }
}

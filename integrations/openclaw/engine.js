// @ts-check
// The engine: one Python child of this process that answers JSON lines, started when it is needed.
import { spawn } from "node:child_process";

const MOST_WAITING = 64; // requests without an answer
const MOST_UNSENT = 16 << 20; // bytes that the child has not read yet
const MOST_LINE = 32 << 20; // characters of an answer
const MOST_SILENT = 3; // deadlines in a row that pass without any word from a child that is taken for hung then
const START_MS = 20_000; // until a child has to say that it is ready
const BACK_OFF_MS = 250; // after a death; doubled with each one that follows
const MOST_BACK_OFF_MS = 30_000;
const GRACE_MS = 1_500; // for a child whose input has ended

/** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void, timer: any, off: () => void }} Waiting */
/** @typedef {{ deadlineMs: number, signal?: AbortSignal }} Terms */
/** @typedef {(line: string) => void} Log */

export class Engine {
  /** @param {string[]} command @param {Log} log */
  constructor(command, log) {
    this.command = command;
    this.log = log;
    /** @type {import("node:child_process").ChildProcessWithoutNullStreams | undefined} */
    this.child = undefined;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    this.next = 1;
    this.deaths = 0;
    this.notBefore = 0;
    this.silent = 0;
    this.ready = false;
    this.startedAt = 0;
    this.complaints = "";
    this.stopped = false;
  }

  /** Ask; rejects when the deadline passes, when the child dies, or at once if it cannot be asked now.
   * @param {string} method @param {object} params @param {Terms} terms @returns {Promise<any>} */
  ask(method, params, { deadlineMs, signal }) {
    return new Promise((resolve, reject) => {
      const why = signal?.aborted ? "cancelled" : this.start() ?? this.full();
      if (why) return reject(new Error(why));
      const id = this.next++;
      const timer = setTimeout(() => this.late(id, deadlineMs), deadlineMs);
      const cancel = () => this.giveUp(id, new Error("cancelled"));
      signal?.addEventListener("abort", cancel, { once: true });
      const off = () => signal?.removeEventListener("abort", cancel);
      this.waiting.set(id, { resolve, reject, timer, off });
      this.send({ id, method, params, deadline_ms: deadlineMs });
    });
  }

  /** Start the child if there is none; why it cannot be, or nothing. @returns {string | undefined} */
  start() {
    if (this.stopped) return "the engine was stopped";
    if (this.child) return undefined;
    const wait = this.notBefore - Date.now();
    if (wait > 0) return `the engine died; it is started again in ${wait} ms`;
    const [name, ...words] = this.command;
    const child = spawn(name, words, { stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    this.ready = false;
    this.silent = 0;
    this.startedAt = Date.now();
    this.complaints = "";
    let held = "";
    child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
      const lines = (held + chunk).split("\n");
      held = lines.pop() ?? "";
      if (child !== this.child) return;
      for (const line of lines) this.heard(line);
      if (held.length > MOST_LINE) this.kill("it answers without end");
    });
    child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ chunk) => {
      this.complaints = (this.complaints + chunk).slice(-600);
    });
    child.stdin.on("error", () => undefined); // told by `close`
    child.on("error", (error) => this.died(child, error.message));
    child.on("close", (code, sign) => this.died(child, `it ended with ${sign ?? code}`));
    for (const one of [child, child.stdin, child.stdout, child.stderr]) /** @type {any} */ (one).unref?.();
    return undefined;
  }

  /** Let the child finish what it has taken on and end. @returns {Promise<void>} */
  stop() {
    this.stopped = true;
    const child = this.child;
    if (!child || child.exitCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
      child.once("close", () => (clearTimeout(timer), resolve()));
      child.stdin.end();
    });
  }

  full() {
    const unsent = this.child?.stdin.writableLength ?? 0;
    return this.waiting.size >= MOST_WAITING || unsent > MOST_UNSENT ? "the engine is busy" : undefined;
  }

  /** @param {object} request */
  send(request) {
    this.child?.stdin.write(`${JSON.stringify(request)}\n`);
  }

  /** @param {string} line */
  heard(line) {
    let answer;
    try {
      answer = JSON.parse(line);
    } catch {
      const said = this.ready ? `${line.length} characters` : line.slice(0, 120); // which may be of the notebook
      return this.log(`the engine says what is no answer: ${said}`);
    }
    if (answer?.ready) this.ready = true;
    this.silent = 0;
    const waiting = this.take(answer?.id);
    if (!waiting) return undefined;
    this.deaths = 0;
    const { error } = answer;
    if (error) return waiting.reject(Object.assign(new Error(error.message ?? "it refused"), { code: error.code }));
    return waiting.resolve(answer.result);
  }

  /** @param {number} id @returns {Waiting | undefined} */
  take(id) {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    clearTimeout(waiting?.timer);
    waiting?.off();
    return waiting;
  }

  /** @param {number} id @param {Error} error */
  giveUp(id, error) {
    const waiting = this.take(id);
    if (!waiting) return;
    waiting.reject(error);
    this.send({ method: "cancel", params: { id } });
  }

  /** A deadline passed: the request is given up, and a child that says nothing at all is killed.
   * @param {number} id @param {number} deadlineMs */
  late(id, deadlineMs) {
    this.silent += 1;
    this.giveUp(id, new Error(`the engine did not answer within ${deadlineMs} ms`));
    const isLate = this.ready ? this.silent >= MOST_SILENT : Date.now() - this.startedAt > START_MS;
    if (isLate) this.kill("it hangs");
  }

  /** @param {string} why */
  kill(why) {
    const child = this.child;
    if (!child) return;
    child.kill("SIGKILL");
    this.died(child, why);
  }

  /** @param {object} child @param {string} why */
  died(child, why) {
    if (child !== this.child) return;
    this.child = undefined;
    const wait = Math.min(MOST_BACK_OFF_MS, BACK_OFF_MS * 2 ** this.deaths);
    this.deaths += 1;
    this.notBefore = Date.now() + wait;
    const last = this.complaints.trim().split("\n").pop();
    if (!this.stopped) this.log(`the engine is gone: ${why}${last ? ` (${last})` : ""}; again in ${wait} ms`);
    for (const id of [...this.waiting.keys()]) this.take(id)?.reject(new Error(`the engine is gone: ${why}`));
  }
}

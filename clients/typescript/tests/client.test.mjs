// Calls every method of the client against the server that DAYBOOK_URL names, and checks
// that no endpoint of Daybook's own API was left out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Conflict, ConnectionFailed, Daybook, InvalidRequest, NotFound, RateLimited, Unavailable } from "daybook-memory";

const called = new Set();
const noting = async (input, init) => {
  called.add(`${init.method} ${new URL(input).pathname}`);
  return fetch(input, init);
};
const client = (user) => new Daybook({ user, fetch: noting });
const hook = "https://daybook.invalid/typescript";

async function text(pieces) {
  const decoder = new TextDecoder();
  let all = "";
  for await (const piece of pieces) all += decoder.decode(piece, { stream: true });
  return all;
}

async function last(pieces) {
  let piece;
  for await (piece of pieces);
  return piece;
}

test("messages", async () => {
  const memory = client("ts-messages");
  const first = await memory.add([{ id: "m1", role: "user", content: "My dentist is Dr. Weiss." }], { timestamp: new Date("2026-01-05") });
  assert.deepEqual([first.added, first.known], [1, 0]);
  const done = await memory.add([{ id: "m2", role: "user", content: "I changed dentists, I go to Dr. Moreau now." }], { timestamp: "2026-03-01", reason: "told" });
  const found = await memory.recall("Who is the dentist?", { k: 5, after: done, explain: true });
  assert.deepEqual(found.rows.map((r) => [r.role, r.source_id]), [["current", "m2"], ["historical", "m1"]]);
  assert.equal((await memory.ask("Who was the dentist before?")).answer, "Dr. Weiss");
  assert.equal((await memory.ask("Who is the dentist?", { asOf: new Date("2026-02-01") })).answer, "Dr. Weiss");
  assert.equal((await last(memory.askStream("Who is the dentist?"))).answer, "Dr. Moreau");
  assert.equal((await memory.ask("What is the name of the dog?")).known, false);
});

test("rows of another memory", async () => {
  const labelled = await client("ts-label").label("Which bank does Ana use?", [
    { id: "a", text: "Ana's bank is Granite Trust.", created_at: "2026-01-01" },
    { id: "b", text: "Ana switched banks, her bank is Cobalt Savings now.", created_at: "2026-05-01" },
  ]);
  assert.deepEqual(Object.fromEntries(labelled.rows.map((r) => [r.id, r.role])), { a: "historical", b: "current" });
});

test("single memories", async () => {
  const memory = client("ts-single");
  await memory.add("The gate code is 4711.", { metadata: { kind: "code" }, wait: true });
  const [one] = await memory.memories({ filters: { kind: "code" } });
  assert.equal((await memory.search("gate code"))[0].id, one.id);
  assert.deepEqual((await memory.get(one.id)).metadata, { kind: "code" });
  assert.equal((await memory.update(one.id, "The gate code is 4712.")).memory, "The gate code is 4712.");
  assert.deepEqual((await memory.memoryHistory(one.id)).map((c) => c.event), ["ADD", "UPDATE"]);
  assert.ok((await memory.owners()).some((o) => o.name === "ts-single"));
  assert.equal((await memory.delete(one.id)).certificates.length, 1);
  await assert.rejects(memory.get(one.id), NotFound);
});

test("facts and the ledger", async () => {
  const memory = client("ts-facts");
  const first = await memory.addFact("Ana", "lives_in", "Lisbon", { validFrom: "2025-01-01", holds: "one" });
  await memory.addFact("Ana", "lives_in", "Porto", { validFrom: "2026-01-01", holds: "one", why: "new job", reason: "moved" });
  const current = async () => (await memory.facts({ subject: "Ana" }))[0]?.periods.find((p) => p.role === "current");
  assert.equal((await current()).object, "Porto");
  assert.equal((await memory.facts({ subject: "Ana", asOf: "2025-06-01" }))[0].periods[0].object, "Lisbon");
  const [history] = await memory.history("Ana");
  assert.deepEqual([history.transitions.at(-1).from, history.transitions.at(-1).to], ["Lisbon", "Porto"]);
  const log = await memory.log({ limit: 5 });
  assert.equal(log.length, 2);
  assert.ok((await memory.commit(first.commit)).ops.length);
  assert.ok((await memory.diff(log[1].id, log[0].id)).states.length);
  assert.ok((await memory.changes(first.commit)).states.length);
  await memory.revert(log[0].id, { reason: "wrong" });
  assert.equal((await current()).object, "Lisbon");
  await memory.retract((await current()).facts[0].id, { why: "never said" });
  assert.deepEqual(await memory.facts({ subject: "Ana" }), []);
  assert.equal((await memory.stats()).commits, 4);
});

test("trees", async () => {
  const memory = client("ts-trees");
  await memory.addTree("trip", "# Trip\n\n## Day 1\n\n- Visit the museum\n", { format: "markdown" });
  assert.deepEqual((await memory.trees()).map((x) => x.name), ["trip"]);
  const [item] = (await memory.query("//Item", { tree: "trip" })).nodes;
  await memory.treeEdit("trip", [{ set: { node: item.id, attrs: [["description", "Visit the zoo"]] } }], { base: 1 });
  assert.match((await memory.tree("trip", { format: "markdown" })).content, /zoo/);
  const reply = await memory.treeDo("trip", "Cancel the visit to the zoo.", { dryRun: true });
  assert.deepEqual(reply.changes.map((c) => c.remove), [item.id]);
  await memory.treeRollback("trip", 1, { reason: "museum after all" });
  assert.match((await memory.tree("trip", { format: "markdown" })).content, /museum/);
});

test("erasure, export and import", async () => {
  const memory = client("ts-erase");
  await memory.add([{ id: "m1", role: "user", content: "My cat is called Miso." }], { wait: true });
  assert.match(await text(memory.export()), /Miso/);
  assert.deepEqual((await memory.forget({ ids: ["m1"], dryRun: true })).certificates, []);
  const { certificates } = await memory.forget({ ids: ["m1"] });
  assert.equal(await memory.verify(certificates[0]), "verified");
  assert.deepEqual(await memory.memories(), []);
  const got = await client("ts-import").import('{"role": "user", "content": "I play the cello."}\n', { format: "messages", wait: true });
  assert.deepEqual([got.added, got.format], [1, "messages"]);
});

test("jobs, webhooks, the server", async () => {
  const memory = client("ts-server");
  assert.deepEqual([await memory.health(), await memory.ready()], ["ok", "ready"]);
  assert.ok((await memory.version()).go);
  const { job } = await memory.add("I like tea.");
  assert.equal((await memory.job(job)).id, job);
  assert.ok((await memory.jobs({ everyone: true })).waiting >= 0);
  assert.match((await memory.retryJob(job)).state, /queued|done/);
  const made = await memory.addWebhook(hook, ["commit"]);
  assert.ok(made.secret);
  assert.ok((await memory.webhooks()).some((h) => h.url === hook));
  await memory.deleteWebhook(made.id);
  assert.ok(!(await memory.webhooks()).some((h) => h.url === hook));
});

test("scopes", async () => {
  const memory = client("ts-scope-a");
  await memory.add("I live in Ghent.", { wait: true });
  assert.deepEqual((await memory.scoped({ user: "ts-scope-b" }).recall("Ghent")).rows, []);
  await memory.scoped({ session: "s1" }).add("I bought a boat.", { wait: true });
  assert.deepEqual((await memory.scoped({ session: "s1" }).memories()).map((m) => m.run_id), ["s1"]);
});

test("errors", async () => {
  const memory = client("ts-errors");
  await memory.add([{ id: "x", content: "one" }]);
  await assert.rejects(memory.add([{ id: "x", content: "two" }]), (e) => e instanceof Conflict && e.status === 409 && e.requestId !== "" && e.name === "Conflict");
  await assert.rejects(memory.recall(""), (e) => e instanceof InvalidRequest && e.errors.length > 0);
  const nobody = new Daybook({ baseUrl: "http://127.0.0.1:9" });
  await assert.rejects(nobody.health(), (e) => e instanceof ConnectionFailed && e.message.includes("daybook serve"));
  const slow = new Daybook({ timeoutMs: 20, fetch: (_, init) => new Promise((_, no) => init.signal.addEventListener("abort", () => no(new Error("aborted")))) });
  await assert.rejects(slow.health(), /did not answer within 20 ms/);
});

test("retries", async () => {
  const played = (...statuses) => {
    const seen = [];
    const answer = async (url) => {
      seen.push(url);
      return new Response(JSON.stringify({ added: 1, detail: "busy" }), { status: statuses[seen.length - 1], headers: { "Retry-After": "0" } });
    };
    return [new Daybook({ fetch: answer }), seen];
  };
  let [memory, seen] = played(429, 429, 200);
  assert.equal((await memory.add("hello")).added, 1);
  assert.equal(seen.length, 3);
  [memory, seen] = played(503, 200);
  await memory.jobs();
  assert.equal(seen.length, 2);
  [memory, seen] = played(503, 200);
  await assert.rejects(memory.add("hello"), Unavailable);
  assert.equal(seen.length, 1, "a write is not sent again after 503");
  [memory, seen] = played(429, 429, 429, 429);
  await assert.rejects(memory.add("hello"), (e) => e instanceof RateLimited && e.retryAfter === 0);
  assert.equal(seen.length, 3);
});

// Tests of a file run in order: what was called is held against the description.
test("every endpoint of Daybook's own was called", async () => {
  const api = await (await fetch(process.env.DAYBOOK_URL + "/openapi.json")).json();
  const missing = [];
  for (const [path, operations] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const pattern = new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "[^/]+")}$`);
      if (!operation.tags.includes("mem0") && ![...called].some((c) => pattern.test(c))) missing.push(`${method} ${path}`);
    }
  }
  assert.deepEqual(missing, []);
});

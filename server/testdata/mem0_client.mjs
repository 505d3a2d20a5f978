// Talks to Daybook with the published npm client of mem0.
//
//     node mem0_client.mjs FOLDER URL KEY
//
// FOLDER holds node_modules. Every public method of the client is called: those that are offered must do what
// they say, the others must be refused as not offered.
import assert from "node:assert/strict";
import { createRequire } from "node:module";

process.env.MEM0_TELEMETRY = "false";
const [folder, host, apiKey] = process.argv.slice(2);
const { MemoryClient } = createRequire(folder + "/x.js")("mem0ai");

const client = new MemoryClient({ apiKey, host });
const called = new Set();
const call = (name, ...args) => {
  called.add(name);
  return client[name](...args);
};
const refused = (word, name, ...args) => assert.rejects(async () => call(name, ...args), (e) => {
  assert.match(String(e.message) + JSON.stringify(e), word, name);
  return true;
});
const userId = "node";
const filters = { user_id: userId };

await call("ping");
const first = (await call("add", [{ role: "user", content: "My dentist is Dr. Weiss." }], { userId, timestamp: 1767225600, metadata: { kind: "health" }, asyncMode: false })).results[0].id;
const second = (await call("add", [{ role: "user", content: "I changed dentists, I go to Dr. Moreau now." }], { userId, runId: "spring", asyncMode: false })).results[0].id;
const raw = (await call("add", [{ role: "user", content: "The code of the gate is 4711." }], { userId, infer: false })).results[0].id;

const roles = Object.fromEntries((await call("search", "Who is the dentist?", { filters, topK: 5 })).results.map((m) => [m.id, m.role]));
assert.equal(roles[first], "historical");
assert.equal(roles[second], "current");
const page = await call("getAll", { filters, page: 1, pageSize: 2 });
assert.equal(page.count, 3);
assert.equal(page.results.length, 2);
assert.equal((await call("get", first)).memory, "My dentist is Dr. Weiss.");
assert.equal((await call("history", first))[1].supersededBy, second);
assert.match((await call("update", raw, { text: "The code of the gate is 4712." })).memory, /4712/);
assert.match((await call("history", raw))[1].oldMemory, /4711/);
await call("batchUpdate", [{ memoryId: raw, text: "The code of the gate is 4713." }]);
assert.ok((await call("users")).results.some((u) => u.name === userId));
assert.equal((await call("getProfile", { entityId: userId })).status, "succeeded");
const made = await call("createMemoryExport", { schema: {}, filters });
assert.equal((await call("getMemoryExport", { memoryExportId: made.id })).memories.length, 3);

await call("delete", second, { deleteLinked: true });
await refused(/no memory/, "get", first);
await call("batchDelete", [raw]);
await call("deleteAll", { userId });
assert.equal((await call("getAll", { filters })).count, 0);
await call("add", [{ role: "user", content: "I have a cat." }], { userId });
await call("deleteUsers", { userId });
await call("add", [{ role: "user", content: "I have a dog." }], { userId });
await call("deleteUser", { entity_type: "user", entity_id: userId });
assert.equal((await call("getAll", { filters })).count, 0);

client.organizationId = client.projectId = "p";
const no = /not offered/;
await refused(no, "getProject", { fields: ["x"] });
await refused(no, "updateProject", { customInstructions: "x" });
await refused(no, "getWebhooks", { projectId: "p" });
await refused(no, "createWebhook", { name: "n", url: "https://example.com", eventTypes: ["memory_add"] });
await refused(no, "updateWebhook", { webhookId: "1", name: "n" });
await refused(no, "deleteWebhook", { webhookId: "1" });
await refused(no, "feedback", { memoryId: first, feedback: "POSITIVE" });
await refused(no, "generateProfile", { entityId: userId });
await refused(no, "getProfileSettings");
await refused(no, "updateProfileSettings", { enabled: true });
await refused(no, "sampleProfiles", {});
await refused(no, "getProfileJob", "7");
await refused(no, "getSummary", { filters }).catch((e) => { if (client.getSummary) throw e; called.delete("getSummary"); });

const methods = Object.getOwnPropertyNames(MemoryClient.prototype).filter((n) => n !== "constructor" && !n.startsWith("_"));
assert.deepEqual(methods.filter((n) => !called.has(n)), []);
await assert.rejects(() => new MemoryClient({ apiKey: "wrong", host }).ping());
console.log("ok");

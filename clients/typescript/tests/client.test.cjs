// The CommonJS build, against the server that DAYBOOK_URL names.
const assert = require("node:assert/strict");
const { test } = require("node:test");
const { Daybook, NotFound } = require("daybook-memory");

test("require", async () => {
  const memory = new Daybook({ user: "ts-cjs" });
  await memory.add("My cat is called Miso.", { wait: true });
  assert.equal((await memory.recall("What is the cat called?")).rows[0].text, "My cat is called Miso.");
  await assert.rejects(memory.tree("none"), NotFound);
});

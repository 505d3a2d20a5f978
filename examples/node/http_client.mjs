// A memory over plain HTTP from JavaScript or TypeScript: fetch is all it takes.
const url = process.env.DAYBOOK_URL ?? "http://127.0.0.1:7077";

async function daybook(path, body) {
  const reply = await fetch(url + path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(await reply.text());
  return reply.json();
}

// A message with an id of its own is kept once, however often it is sent.
await daybook("/v1/memories", { user_id: "ana", messages: [{ id: "m1", role: "user", content: "My dentist is Dr. Weiss." }] });
const done = await daybook("/v1/memories", { user_id: "ana", messages: [{ id: "m2", role: "user", content: "I changed dentists, I go to Dr. Moreau now." }] });
const found = await daybook("/v1/recall", { user_id: "ana", query: "Who is the dentist?", min_commit: done.commit });
for (const row of found.rows) console.log(row.role, "|", row.text);
console.log((await daybook("/v1/ask", { user_id: "ana", query: "Who was the dentist before?" })).answer);

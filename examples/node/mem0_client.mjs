// mem0's published client with Daybook as its host: npm install mem0ai.
import { MemoryClient } from "mem0ai";

const client = new MemoryClient({ apiKey: "any", host: process.env.DAYBOOK_URL ?? "http://127.0.0.1:7077" });
await client.add([{ id: "m1", role: "user", content: "My dentist is Dr. Weiss." }], { userId: "ana", asyncMode: false });
await client.add([{ id: "m2", role: "user", content: "I changed dentists, I go to Dr. Moreau now." }], { userId: "ana", asyncMode: false });
const found = await client.search("Who is the dentist?", { filters: { user_id: "ana" } });
for (const memory of found.results) console.log(memory.role, "|", memory.memory);

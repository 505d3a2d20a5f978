// Compiled only: what the types promise to those who write TypeScript.
import { type Answer, Daybook, type RecallRow } from "daybook-memory";

const memory = new Daybook({ baseUrl: "http://127.0.0.1:7077", apiKey: "k", user: "ana" });

export async function typed(): Promise<string> {
  const rows: RecallRow[] = (await memory.recall("x", { view: "current", asOf: new Date() })).rows;
  const answer: Answer = await memory.ask("x");
  // @ts-expect-error a view is one of four words
  await memory.recall("x", { view: "now" });
  // @ts-expect-error known is a boolean
  const known: string = answer.known;
  return rows.map((row) => `${row.role} ${row.text}`).join("\n") + known;
}

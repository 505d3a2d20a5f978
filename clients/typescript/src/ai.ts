import type { Daybook } from "./index.js";

/** The parts of a prompt of the AI SDK that the middleware reads and writes. */
interface PromptMessage {
  role: string;
  content: string | readonly unknown[];
}
interface CallOptions {
  prompt: readonly PromptMessage[];
}
interface CallEvent<P> {
  params: P;
}

export interface MemoryOptions<V> {
  /** How many messages to recall; 8 if not given. */
  k?: number;
  /** false recalls only and keeps nothing. */
  remember?: boolean;
  /** "v3" for version 6 of the AI SDK (the default), "v4" for version 7. */
  specificationVersion?: V;
}

/**
 * A middleware for wrapLanguageModel of the AI SDK. Before the model is called it adds
 * what the memory holds for the user's last message, each row with its role; the message
 * itself is kept and learned from.
 *
 *     wrapLanguageModel({ model, middleware: memoryMiddleware(new Daybook({ user: "ana" })) })
 */
export function memoryMiddleware<V extends "v3" | "v4" = "v3">(memory: Daybook, o: MemoryOptions<V> = {}) {
  const { k = 8, remember = true, specificationVersion = "v3" as V } = o;
  return {
    specificationVersion,
    transformParams: async <P extends CallOptions>({ params }: CallEvent<P>): Promise<P> => {
      const said = lastSaid(params.prompt);
      if (!said) return params; // a step after a tool call, or nothing to recall for
      const { rows } = await memory.recall(said, { k });
      if (remember) await memory.add([{ role: "user", content: said }], { wait: true });
      if (rows.length === 0) return params;
      const known = rows.map((row) => `[${row.role || "said"}] ${row.text}`).join("\n");
      const content = `From memory; what is historical no longer holds:\n${known}`;
      return { ...params, prompt: [{ role: "system", content }, ...params.prompt] };
    },
  };
}

/** The text of the prompt's last message, if the user said it. */
function lastSaid(prompt: readonly PromptMessage[]): string {
  const last = prompt[prompt.length - 1];
  if (last?.role !== "user") return "";
  if (typeof last.content === "string") return last.content.trim();
  const texts = last.content.filter((part): part is { type: "text"; text: string } => (part as { type?: string }).type === "text");
  return texts.map((part) => part.text).join("\n").trim();
}

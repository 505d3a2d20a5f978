import { ConnectionFailed, DaybookError, errorFor } from "./errors.js";

export interface Call {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  params?: Record<string, unknown>;
  body?: Record<string, unknown>;
  content?: string | Uint8Array<ArrayBuffer>;
  /** Sending it twice may do harm. */
  unsafe?: boolean;
  accept?: string;
}

export interface Connection {
  baseUrl: string;
  apiKey?: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
}

/** Sends a call, again where the server asks for that, and returns the parsed reply. */
export async function send(to: Connection, call: Call): Promise<any> {
  return (await open(to, call)).json();
}

/** Sends a call and returns the reply, whose body is still to be read. */
export async function open(to: Connection, call: Call): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const reply = await once(to, call);
    if (reply.ok) return reply;
    if (attempt >= to.maxRetries || !mayRetry(call, reply)) throw await failure(reply);
    await reply.text();
    const seconds = Math.min(retryAfter(reply) ?? 0.25 * 2 ** attempt, 10);
    await new Promise((done) => setTimeout(done, seconds * 1000));
  }
}

// 429 is answered before anything is written; 503 may come after, so only reads are sent again.
function mayRetry(call: Call, reply: Response): boolean {
  return reply.status === 429 || (reply.status === 503 && !call.unsafe);
}

async function once(to: Connection, call: Call): Promise<Response> {
  const headers: Record<string, string> = { Accept: call.accept ?? "application/json" };
  if (to.apiKey) headers["Authorization"] = `Bearer ${to.apiKey}`;
  if (call.body) headers["Content-Type"] = "application/json";
  if (call.content !== undefined) headers["Content-Type"] = "application/octet-stream";
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), to.timeoutMs);
  try {
    const body = call.body ? JSON.stringify(call.body) : call.content;
    return await to.fetch(to.baseUrl + call.path + query(call.params), { method: call.method, headers, body, signal: stop.signal });
  } catch (err) {
    throw unreachable(to, err, stop.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(to: Connection, err: unknown, late: boolean): DaybookError {
  if (late) return new ConnectionFailed(`${to.baseUrl} did not answer within ${to.timeoutMs} ms; a higher timeoutMs may help`);
  const why = err instanceof Error ? (err.cause instanceof Error ? err.cause.message : err.message) : String(err);
  return new ConnectionFailed(`cannot reach ${to.baseUrl} (${why}); is 'daybook serve' running there?`);
}

async function failure(reply: Response): Promise<DaybookError> {
  const text = await reply.text();
  let problem: Record<string, any>;
  try {
    problem = JSON.parse(text);
  } catch {
    problem = { detail: text.slice(0, 200) };
  }
  return errorFor(reply.status, problem, reply.headers.get("X-Request-Id") ?? "", retryAfter(reply));
}

function retryAfter(reply: Response): number | undefined {
  const seconds = Number.parseFloat(reply.headers.get("Retry-After") ?? "");
  return Number.isNaN(seconds) ? undefined : seconds;
}

function query(params: Record<string, unknown> = {}): string {
  const pairs = Object.entries(params).filter(([, v]) => v !== undefined && v !== false);
  return pairs.length ? "?" + new URLSearchParams(pairs.map(([name, v]) => [name, plain(v)])).toString() : "";
}

function plain(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** The lines of a reply as they come. */
export async function* lines(reply: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of chunks(reply)) {
    const found = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = found.pop() ?? "";
    yield* found;
  }
  if (rest) yield rest;
}

/** The bytes of a reply as they come. Not every browser lets a stream be iterated. */
export async function* chunks(reply: Response): AsyncGenerator<Uint8Array> {
  const reader = reply.body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The server-sent events of a reply. */
export async function* events(reply: Response): AsyncGenerator<{ name: string; data: any }> {
  let name = "";
  let data = "";
  for await (const line of lines(reply)) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
    else if (line.trim() === "" && data) {
      yield { name, data: JSON.parse(data) };
      name = data = "";
    }
  }
}

import { errorFor } from "./errors.js";
import { type Call, chunks, type Connection, events, open, send } from "./http.js";
import type * as t from "./types.js";

export * from "./errors.js";
export type * from "./types.js";

/** A time: ISO 8601, or a Date. */
export type Time = string | Date;
export type View = "current" | "historical" | "change" | "neutral";
export type Format = "json" | "xml" | "yaml" | "markdown";
export type Scorer = "blend" | "embedding" | "words" | "exact" | "entailment" | "llm";
/** The receipt of a write that a read has to see, or its commit. */
export type After = string | { commit: string };

/** A message in OpenAI's chat form. A message with an id is kept once. */
export interface Message {
  role?: string;
  content: string | unknown[];
  name?: string;
  id?: string;
  timestamp?: string | number;
}

export interface Scope {
  user?: string;
  agent?: string;
  /** One conversation: what is written belongs to it, what is listed is narrowed to it. */
  session?: string;
}

export interface Options extends Scope {
  /** http://127.0.0.1:7077 if not given; in Node DAYBOOK_URL comes first. */
  baseUrl?: string;
  /** A key of 'daybook key create'; in Node DAYBOOK_API_KEY if not given. */
  apiKey?: string;
  timeoutMs?: number;
  maxRetries?: number;
  fetch?: typeof fetch;
}

export interface AddOptions {
  id?: string;
  /** Wait until it is learned from, too. */
  wait?: boolean;
  /** false keeps the messages and learns nothing from them. */
  learn?: boolean;
  timestamp?: Time | number;
  metadata?: Record<string, unknown>;
  reason?: string;
}

export interface AskOptions {
  view?: View;
  asOf?: Time;
  knownAt?: Time;
  budgetTokens?: number;
  llm?: boolean;
  after?: After;
}

export interface RecallOptions extends Omit<AskOptions, "llm"> {
  k?: number;
  explain?: boolean;
  whyNot?: string;
}

export interface FactOptions {
  validFrom?: Time;
  validUntil?: Time;
  /** Whether the relation has one value at a time or many. */
  holds?: "one" | "many";
  confidence?: number;
  modality?: string;
  why?: string;
  sources?: string[];
  supersedes?: string[];
  reason?: string;
}

export interface ForgetOptions {
  ids?: string[];
  entity?: string;
  session?: string;
  tree?: string;
  everything?: boolean;
  user?: boolean;
  dryRun?: boolean;
}

/**
 * A memory on a Daybook server. Calls throw a DaybookError where they do not succeed.
 *
 *     const memory = new Daybook({ user: "ana" });
 *     await memory.add("I moved to Lisbon.", { wait: true });
 *     console.log((await memory.ask("Where does Ana live?")).answer);
 */
export class Daybook {
  readonly #to: Connection;
  readonly #scope: Record<string, unknown>;

  constructor(options: Options = {}) {
    const env = environment();
    this.#to = {
      baseUrl: (options.baseUrl ?? env["DAYBOOK_URL"] ?? "http://127.0.0.1:7077").replace(/\/+$/, ""),
      apiKey: options.apiKey ?? env["DAYBOOK_API_KEY"],
      timeoutMs: options.timeoutMs ?? 60_000,
      maxRetries: options.maxRetries ?? 2,
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    };
    this.#scope = given({ user_id: options.user, agent_id: options.agent, run_id: options.session });
  }

  /** The same server with another user, agent or session; what is not given stays. */
  scoped(scope: Scope): Daybook {
    const text = (key: string) => this.#scope[key] as string | undefined;
    return new Daybook({
      ...this.#to,
      user: scope.user ?? text("user_id"),
      agent: scope.agent ?? text("agent_id"),
      session: scope.session ?? text("run_id"),
    });
  }

  // Messages

  /** Keeps a message, or several in OpenAI's chat form. It is durable when this returns. */
  add(messages: string | Message[], o: AddOptions = {}): Promise<t.Receipt> {
    const infer = o.learn === false ? false : undefined;
    const ack = o.wait ? "indexed" : undefined;
    return this.#write("/v1/memories", { messages, custom_id: o.id, ack, infer, timestamp: o.timestamp, metadata: o.metadata, commit_message: o.reason });
  }

  /** The messages that a question needs, best first; role says whether each still holds. */
  recall(query: string, o: RecallOptions = {}): Promise<t.Recall> {
    return this.#read("/v1/recall", { ...question(query, o), k: o.k, explain: o.explain, why_not: o.whyNot });
  }

  /** An answer with its sources. known is false where the memory does not say. */
  ask(query: string, o: AskOptions = {}): Promise<t.Answer> {
    return this.#read("/v1/ask", { ...question(query, o), llm: o.llm });
  }

  /** The pieces of an answer as they are written, then the whole answer. */
  async *askStream(query: string, o: AskOptions = {}): AsyncGenerator<string | t.Answer> {
    const body = this.#with({ ...question(query, o), llm: o.llm, stream: true });
    const reply = await open(this.#to, { method: "POST", path: "/v1/ask", body, accept: "text/event-stream" });
    for await (const { name, data } of events(reply)) {
      if (name === "error") throw errorFor(data.status ?? 500, data, reply.headers.get("X-Request-Id") ?? "");
      yield name === "delta" ? (data.text as string) : (data as t.Answer);
    }
  }

  /** Labels rows that another memory returned for a question. Nothing is kept. */
  label(query: string, rows: t.ForeignRow[], o: { view?: View; subject?: string; now?: Time } = {}): Promise<t.Labelled> {
    return this.#send({ method: "POST", path: "/v1/packets", body: given({ query, rows, ...o }) });
  }

  // Single memories

  /** Single messages, newest first; filters are mem0's and are met together with the scope. */
  async memories(o: { limit?: number; page?: number; filters?: Record<string, unknown> } = {}): Promise<t.Memory[]> {
    const params = { page: o.page ?? 1, page_size: o.limit ?? 100 };
    const reply = await this.#send<{ results: t.Memory[] }>({ method: "POST", path: "/v3/memories", params, body: { filters: this.#filters(o.filters) } });
    return reply.results;
  }

  /** Single messages that fit a query, with ids that get, update and delete take. */
  async search(query: string, o: { limit?: number; filters?: Record<string, unknown>; latestOnly?: boolean } = {}): Promise<t.Memory[]> {
    const body = { query, top_k: o.limit ?? 10, latest_only: o.latestOnly ?? false, filters: this.#filters(o.filters) };
    return (await this.#send<{ results: t.Memory[] }>({ method: "POST", path: "/v3/memories/search", body })).results;
  }

  get(id: string): Promise<t.Memory> {
    return this.#send({ method: "GET", path: `/v1/memories/${part(id)}` });
  }

  /** Corrects a memory; what it said before stays in its history. */
  update(id: string, text: string, o: { metadata?: Record<string, unknown> } = {}): Promise<t.Memory> {
    return this.#send({ method: "PUT", path: `/v1/memories/${part(id)}`, body: given({ text, ...o }), unsafe: true });
  }

  /** Erases a memory and all that was learned from it. */
  delete(id: string): Promise<t.Done> {
    return this.#send({ method: "DELETE", path: `/v1/memories/${part(id)}`, unsafe: true });
  }

  memoryHistory(id: string): Promise<t.MemoryChange[]> {
    return this.#send({ method: "GET", path: `/v1/memories/${part(id)}/history` });
  }

  /** Users and agents that have memories. */
  async owners(): Promise<t.Owner[]> {
    return (await this.#send<{ results: t.Owner[] }>({ method: "GET", path: "/v1/entities" })).results;
  }

  // Facts

  /** What holds now, at a past time, or as it was known at a past time; with all also what does not. */
  async facts(o: { subject?: string; relation?: string; asOf?: Time; knownAt?: Time; all?: boolean; limit?: number; after?: After } = {}): Promise<t.State[]> {
    const params = { subject: o.subject, relation: o.relation, as_of: o.asOf, known_at: o.knownAt, all: o.all, limit: o.limit, min_commit: commitOf(o.after) };
    return (await this.#list<t.Facts>("/v1/facts", params)).facts;
  }

  addFact(subject: string, relation: string, object: string, o: FactOptions = {}): Promise<t.Receipt> {
    const { validFrom, validUntil, reason, ...rest } = o;
    return this.#write("/v1/facts", { subject, relation, object, valid_from: validFrom, valid_until: validUntil, commit_message: reason, ...rest });
  }

  /** Every value of a subject, and how it changed. */
  async history(subject: string, o: { relation?: string; asOf?: Time; knownAt?: Time; after?: After } = {}): Promise<t.History[]> {
    const params = { subject, relation: o.relation, as_of: o.asOf, known_at: o.knownAt, min_commit: commitOf(o.after) };
    return (await this.#list<t.Histories>("/v1/history", params)).history;
  }

  /** Withdraws a note, fact, event or link; it stays in the ledger. */
  retract(id: string, o: { why?: string } = {}): Promise<t.Receipt> {
    return this.#write("/v1/retract", { id, ...o });
  }

  // Ledger

  /** What is believed now and was not at a commit or a time, and the other way round. */
  changes(since: Time, o: { after?: After } = {}): Promise<t.Diff> {
    return this.#list("/v1/changes", { since, min_commit: commitOf(o.after) });
  }

  async log(o: { limit?: number } = {}): Promise<t.Commit[]> {
    return (await this.#list<t.Log>("/v1/log", o)).commits;
  }

  commit(ref: string): Promise<t.Commit> {
    return this.#list(`/v1/commits/${part(ref)}`, {});
  }

  diff(from?: string, to?: string): Promise<t.Diff> {
    return this.#list("/v1/diff", { from, to });
  }

  /** Undoes one commit and only it. */
  revert(commit: string, o: { reason?: string } = {}): Promise<t.Receipt> {
    return this.#write("/v1/revert", { commit, commit_message: o.reason });
  }

  stats(): Promise<t.Stats> {
    return this.#list("/v1/stats", {});
  }

  // Trees and queries

  /** Semantic XPath over a tree, or over the memory itself. */
  query(
    query: string,
    o: { tree?: string; limit?: number; scorer?: Scorer; threshold?: number; knownAt?: Time; explain?: boolean; after?: After } = {},
  ): Promise<t.QueryResult> {
    const { knownAt, after, ...rest } = o;
    return this.#read("/v1/query", { query, known_at: knownAt, min_commit: commitOf(after), ...rest });
  }

  async trees(): Promise<t.TreeInfo[]> {
    return (await this.#list<t.Trees>("/v1/trees", {})).trees;
  }

  /** Keeps a plan or list as a tree with versions. */
  addTree(name: string, content: string, o: { format?: Format } = {}): Promise<t.TreeReceipt> {
    return this.#write("/v1/trees", { name, content, ...o });
  }

  tree(name: string, o: { version?: number; format?: Format } = {}): Promise<t.Tree> {
    return this.#list(`/v1/trees/${part(name)}`, o);
  }

  /** Asks or changes a tree in plain words. */
  treeDo(name: string, request: string, o: { dryRun?: boolean; explain?: boolean; scorer?: Scorer } = {}): Promise<t.TreeReply> {
    return this.#write(`/v1/trees/${part(name)}/do`, { request, dry_run: o.dryRun, explain: o.explain, scorer: o.scorer });
  }

  /** Changes nodes by their ids; base is the version that the changes were made on. */
  treeEdit(name: string, changes: t.TreeChange[], o: { base?: number; reason?: string } = {}): Promise<t.TreeReceipt> {
    return this.#write(`/v1/trees/${part(name)}/edit`, { changes, base: o.base, message: o.reason });
  }

  treeRollback(name: string, version: number, o: { reason?: string } = {}): Promise<t.TreeReceipt> {
    return this.#write(`/v1/trees/${part(name)}/rollback`, { version, message: o.reason });
  }

  // Erasure

  /** Erases content and all that was learned from it, for good, and returns certificates. */
  forget(o: ForgetOptions): Promise<t.Erasure> {
    const { dryRun, ...rest } = o;
    return this.#write("/v1/forget", { dry_run: dryRun, ...rest });
  }

  /** Checks a certificate of erasure against the ledger; throws where it does not hold. */
  async verify(certificate: t.Certificate): Promise<string> {
    return (await this.#send<t.Status>({ method: "POST", path: "/v1/forget/verify", body: { certificate } })).status;
  }

  // Import and export

  /** The scope as JSON lines, in pieces. */
  async *export(): AsyncGenerator<Uint8Array> {
    yield* chunks(await open(this.#to, { method: "GET", path: "/v1/export", params: this.#scope, accept: "application/x-ndjson" }));
  }

  /** Takes in messages, documents or an export, in any format that 'daybook import' knows. */
  import(content: string | Uint8Array<ArrayBuffer>, o: { format?: string; me?: string; time?: Time; skipBad?: boolean; wait?: boolean } = {}): Promise<t.ImportReceipt> {
    const params = this.#with({ format: o.format, me: o.me, time: o.time, skip_bad: o.skipBad, ack: o.wait ? "indexed" : undefined });
    return this.#send({ method: "POST", path: "/v1/import", params, content, unsafe: true });
  }

  // Jobs, webhooks, the server

  /** What is still to be learned from, and what failed. */
  jobs(o: { state?: "queued" | "failed"; everyone?: boolean } = {}): Promise<t.Jobs> {
    return this.#list("/v1/jobs", o);
  }

  job(id: string): Promise<t.Job> {
    return this.#list(`/v1/jobs/${part(id)}`, {});
  }

  retryJob(id: string): Promise<t.Job> {
    return this.#write(`/v1/jobs/${part(id)}/retry`, {});
  }

  async webhooks(): Promise<t.Webhook[]> {
    return (await this.#send<t.Webhooks>({ method: "GET", path: "/v1/webhooks" })).webhooks;
  }

  /** The secret that deliveries are signed with is returned this once. */
  addWebhook(url: string, events: string[], o: { secret?: string } = {}): Promise<t.Webhook> {
    return this.#send({ method: "POST", path: "/v1/webhooks", body: given({ url, events, ...o }), unsafe: true });
  }

  async deleteWebhook(id: string): Promise<void> {
    await this.#send({ method: "DELETE", path: `/v1/webhooks/${part(id)}`, unsafe: true });
  }

  async health(): Promise<string> {
    return (await this.#send<t.Status>({ method: "GET", path: "/health" })).status;
  }

  async ready(): Promise<string> {
    return (await this.#send<t.Status>({ method: "GET", path: "/health/ready" })).status;
  }

  version(): Promise<t.Version> {
    return this.#send({ method: "GET", path: "/version" });
  }

  // Requests

  #with(values: Record<string, unknown>): Record<string, unknown> {
    return { ...this.#scope, ...given(values) };
  }

  #write<R>(path: string, body: Record<string, unknown>): Promise<R> {
    return this.#send({ method: "POST", path, body: this.#with(body), unsafe: true });
  }

  #read<R>(path: string, body: Record<string, unknown>): Promise<R> {
    return this.#send({ method: "POST", path, body: this.#with(body) });
  }

  #list<R>(path: string, params: Record<string, unknown>): Promise<R> {
    return this.#send({ method: "GET", path, params: this.#with(params) });
  }

  #send<R>(call: Call): Promise<R> {
    return send(this.#to, call);
  }

  /** Filters of mem0's endpoints for the scope. */
  #filters(more?: Record<string, unknown>): Record<string, unknown> {
    const whose = Object.entries(this.#scope).map(([name, value]) => ({ [name]: value }));
    return { AND: [...(whose.length ? whose : [{ user_id: "*" }]), ...(more ? [more] : [])] };
  }
}

function question(query: string, o: RecallOptions | AskOptions): Record<string, unknown> {
  return { query, view: o.view, as_of: o.asOf, known_at: o.knownAt, budget_tokens: o.budgetTokens, min_commit: commitOf(o.after) };
}

function commitOf(after?: After): string | undefined {
  return typeof after === "object" ? after.commit : after;
}

/** The values that are given. */
function given(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** One part of a path. */
function part(text: string): string {
  return encodeURIComponent(text);
}

/** The environment where there is one; browsers have none. */
function environment(): Record<string, string | undefined> {
  return (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {};
}

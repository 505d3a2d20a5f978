// What the server returns. Made by clients/generate.py from the OpenAPI description; do not edit.

export interface Added {
  /** ADD, or NOOP where it was there already. */
  event?: string;
  id: string;
  memory: string;
}

export interface Answer {
  answer: string;
  answer_id: string;
  by: string;
  citations: Citation[];
  fallback?: string;
  id: string;
  intent: string;
  known: boolean;
  removed_citations?: number;
  rows: AnswerRow[];
  took_ms: number;
  view: string;
}

export interface AnswerRow {
  note: string;
  reason?: string;
  role: string;
  score: number;
  session: string;
  source_id: string;
  speaker: string;
  text: string;
  time: string;
  value?: string;
}

export interface Certificate {
  commit: string;
  counts: Record<string, number>;
  digest: string;
  erased: number;
  format: string;
  recorded_at: string;
  scope: Scope;
  selector: string;
  seq: number;
}

export interface Citation {
  id: string;
  n: number;
  quote: string;
  source_id?: string;
}

export interface Commit {
  author: string;
  counts: Record<string, number>;
  erased?: number;
  id: string;
  message?: string;
  ops?: Op[];
  parent: string;
  recorded_at: string;
  reverted?: boolean;
  seq: number;
}

export interface Context {
  alternatives?: string[];
  sentiment?: string;
  why?: string;
}

export interface Diff {
  a: string;
  b: string;
  notes_added?: Note[];
  notes_removed?: Note[];
  states?: StateDiff[];
  trees?: TreeMoved[];
}

export interface Done {
  /** Of what was erased; POST /v1/forget/verify checks them. */
  certificates?: Certificate[];
  message: string;
}

export interface Echo {
  end: number;
  of?: string[];
  start: number;
}

export interface Enrichment {
  by: string;
  from?: string[];
  note: string;
  text: string;
}

export interface Entity {
  id: string;
  kind?: string;
  name: string;
}

export interface Erase {
  count: number;
  counts: Record<string, number>;
  digest: string;
  selector: string;
  targets: Erased[];
}

export interface Erased {
  from: number;
  seq: number;
  to: number;
}

export interface Erasure {
  /** One for each scope; POST /v1/forget/verify checks them. */
  certificates: Certificate[];
  /** What was erased, or would be, by kind. */
  counts: Record<string, number>;
}

export interface Event {
  by?: string;
  id: string;
  kind: string;
  modality?: string;
  participants?: string[];
  quotes?: Quote[];
  session?: string;
  sources?: string[];
  text: string;
  time?: Span;
  why?: string;
}

export interface EventView {
  by?: string;
  id: string;
  kind: string;
  modality?: string;
  participants?: string[];
  quotes?: Quote[];
  reason?: string;
  recorded_at: string;
  session?: string;
  sources?: string[];
  text: string;
  time?: Span;
  valid_until?: string;
  validity: number;
  why?: string;
}

export interface Fact {
  confidence?: number;
  context?: Context;
  event?: string;
  holds?: string;
  id: string;
  importance?: number;
  modality?: string;
  object: string;
  relation: string;
  session?: string;
  sources?: string[];
  subject: string;
  valid?: Span;
}

export interface Facts {
  facts: State[];
  /** States that the limit left out. */
  left_out?: number;
}

export interface ForeignRow {
  /** When the other memory took it in. */
  created_at?: string;
  /** Your own id of the row. */
  id: string;
  /** When it stopped to hold, where that is known. */
  invalid_at?: string;
  /** How well the other memory thinks that it fits. */
  score?: number;
  session?: string;
  /** Who said it. */
  speaker?: string;
  text: string;
  /** When it came to hold, where that is known. */
  valid_at?: string;
}

export interface FoundNode {
  id: string;
  path: string;
  score: number;
  source_id: string;
  text: string;
  type: string;
}

export interface Histories {
  history: History[];
}

export interface History {
  also?: string[];
  holds: string;
  periods: Period[];
  relation: string;
  subject: Entity;
  transitions: Transition[];
}

export interface ImportReceipt {
  added: number;
  clashes?: string[];
  closed?: string[];
  commit: string;
  /** Of an export of a scope: how many it has. */
  commits?: number;
  dropped?: number;
  echoes?: number;
  fallback?: string;
  format: string;
  ids?: string[];
  known: number;
  learned?: number;
  /** What is no message, by reason. */
  left_out?: Record<string, number>;
  seq: number;
  /** Bad records. */
  skipped: string[];
}

export interface Job {
  agent_id?: string;
  commit: string;
  error?: string;
  id: string;
  notes: number;
  seq: number;
  state: string;
  tries: number;
  user_id?: string;
}

export interface Jobs {
  jobs: Job[];
  /** Notes of these jobs that wait to be learned from. */
  waiting: number;
}

export interface Labelled {
  /** What to hand to a reader. */
  packet: Packet;
  /** The same rows, the requested state first. */
  rows: LabelledRow[];
  /** The packet as text for a prompt. */
  text: string;
  view: string;
}

export interface LabelledRow {
  id: string;
  reason?: string;
  role: string;
  score: number;
  /** Whether it speaks of the asked state. */
  state: boolean;
  text: string;
  /** What it says of the asked state. */
  value?: string;
}

export interface Link {
  about?: Variable[];
  by: string;
  confidence?: number;
  from: string;
  id: string;
  kind: string;
  to: string;
  why?: string;
}

export interface LinkView {
  about?: Variable[];
  by: string;
  confidence?: number;
  from: string;
  id: string;
  invalidated_at?: string;
  kind: string;
  of?: string;
  recorded_at: string;
  to: string;
  why?: string;
}

export interface Log {
  commits: Commit[];
}

export interface Made {
  enrichments?: number;
  events?: number;
  facts?: number;
  links?: number;
}

export interface Memory {
  agent_id?: string;
  app_id?: string;
  categories: string[];
  created_at: string;
  expiration_date?: string;
  hash?: string;
  id: string;
  /** What was said. */
  memory: string;
  /** What you gave beside it. */
  metadata: Record<string, unknown> | null;
  /** Whether it holds: current, historical, transition, contested, planned, aside. */
  role?: string;
  run_id?: string;
  score?: number;
  /** Who said it. */
  speaker?: string;
  updated_at: string;
  user_id?: string;
}

export interface MemoryChange {
  /** Who or what judged, or wrote. */
  by?: string;
  categories: string[];
  created_at: string;
  /** ADD, UPDATE or DELETE (withdrawn). */
  event: string;
  id: string;
  input: Message[];
  memory_id: string;
  new_memory: string | null;
  new_value?: string;
  old_memory: string | null;
  old_value?: string;
  /** What of: the state that changed. */
  relation?: string;
  /** The memory whose statement took the place of this one's. */
  superseded_by?: string;
  /** The memory whose statement this one took the place of. */
  supersedes?: string;
  updated_at: string;
  user_id: string;
  why?: string;
}

export interface Merge {
  from: string;
  into: string;
  why?: string;
}

export interface Message {
  /** What was said. */
  content: unknown;
  /** Your own id of the message. Adding it again changes nothing. */
  id?: string;
  /** The speaker's name, where there is one. */
  name?: string;
  /** Who speaks, as chat models have it. */
  role?: string;
  /** When it was said; now if not given. */
  timestamp?: unknown;
}

export interface Note {
  corrects?: string;
  echoes?: Echo[];
  id: string;
  metadata?: Record<string, unknown>;
  session?: string;
  source_id?: string;
  speaker?: string;
  text: string;
  time: string;
}

export interface Op {
  enrich?: Enrichment;
  entity?: Entity;
  erase?: Erase;
  event?: Event;
  fact?: Fact;
  merge?: Merge;
  observe?: Note;
  relate?: Link;
  retract?: Retract;
  revert?: Revert;
  split?: Split;
  tree?: TreeEdit;
}

export interface Owner {
  created_at?: string;
  id: string;
  name: string;
  total_memories: number;
  type: "user" | "agent";
  updated_at?: string;
}

export interface Packet {
  at?: Span;
  items: PacketItem[];
  left_out?: number;
  now?: string;
  paths?: string[];
  question: string;
  tokens: number;
  view: string;
}

export interface PacketItem {
  id: string;
  n: number;
  outdated?: string[];
  reason?: string;
  role?: string;
  score: number;
  session?: string;
  source_id?: string;
  speaker?: string;
  state: boolean;
  text: string;
  time: string;
  value?: string;
}

export interface Period {
  ended_by?: string;
  facts: RecordedFact[];
  modality?: string;
  object: string;
  reason?: string;
  relation?: string;
  role: string;
  valid: Span;
}

export interface QueryResult {
  left_out?: number;
  nodes: FoundNode[];
  query: string;
  scorer?: string;
  steps: QueryStep[];
}

export interface QueryStep {
  in?: StepNode[];
  in_count: number;
  out?: StepNode[];
  out_count: number;
  scores?: ScoredNode[];
  step: string;
}

export interface Quote {
  end: number;
  note: string;
  start: number;
}

export interface Recall {
  asked?: string[];
  commit: string;
  id?: string;
  missed?: string[];
  paths: RecallPath[];
  rows: RecallRow[];
  shape: string;
  tokens: number;
  took_ms: number;
  view: string;
  why_not?: RecallAbsence;
}

export interface RecallAbsence {
  behind?: Record<string, number>;
  legs?: Record<string, number>;
  needed: number;
  note: string;
  of: number;
  parts?: Record<string, number>;
  rank: number;
  reason: string;
  score: number;
}

export interface RecallExplain {
  legs: Record<string, number>;
  links?: string[];
  parts: Record<string, number>;
  rerank?: RecallReranked;
  route?: string;
}

export interface RecallPath {
  events: EventView[];
  links: LinkView[];
  ns: number;
  pc: number;
  score: number;
  tc: number;
  through?: string[];
  uv: number;
}

export interface RecallReranked {
  after: number;
  before: number;
  lexical: number;
  raw: number;
  semantic: number;
}

export interface RecallRow {
  explain?: RecallExplain;
  note: string;
  reason?: string;
  role: string;
  score: number;
  session: string;
  source_id: string;
  speaker: string;
  text: string;
  time: string;
}

export interface Receipt {
  added: number;
  clashes?: string[];
  closed?: string[];
  commit: string;
  dropped?: number;
  echoes?: number;
  fallback?: string;
  ids?: string[];
  /** What is still to be done: GET /v1/jobs/{id} tells how far it is. */
  job?: string;
  known: number;
  learned?: number;
  /** What was added, as mem0's clients expect it. */
  results?: Added[];
  seq: number;
}

export interface RecordedFact {
  author: string;
  commit: string;
  confidence?: number;
  context?: Context;
  event?: string;
  holds?: string;
  id: string;
  importance?: number;
  modality?: string;
  object: string;
  recorded_at: string;
  relation: string;
  session?: string;
  sources?: string[];
  subject: string;
  valid?: Span;
}

export interface Retract {
  about?: Variable[];
  by?: string;
  target: string;
  why?: string;
}

export interface Revert {
  commit: string;
  seq: number;
}

export interface Scope {
  agent?: string;
  tenant?: string;
  user?: string;
}

export interface ScoredNode {
  id: string;
  label?: string;
  parts?: ScoredNode[];
  predicate: string;
  score: number;
}

export interface Span {
  from?: string;
  granularity?: string;
  known?: string;
  until?: string;
}

export interface Split {
  entity: string;
  why?: string;
}

export interface State {
  also?: string[];
  holds: string;
  periods: Period[];
  relation: string;
  subject: Entity;
}

export interface StateDiff {
  added?: Period[];
  relation: string;
  removed?: Period[];
  subject: Entity;
}

export interface Stats {
  bytes: number;
  commits: number;
  entities: number;
  events: number;
  facts: number;
  links: number;
  makers?: Record<string, Made>;
  notes: number;
  trees: number;
}

export interface Status {
  status: string;
}

export interface StepNode {
  id: string;
  label: string;
  type: string;
  weight: number;
}

export interface Transition {
  evidence?: string[];
  fact: string;
  from?: string;
  from_relation?: string;
  learned: string;
  relation: string;
  subject: Entity;
  to?: string;
  to_relation?: string;
  valid_at?: string;
  why?: string;
}

export interface Tree {
  content: string;
  name: string;
  version: number;
  /** Newest first. */
  versions: TreeVersion[];
}

export interface TreeChange {
  add?: TreeNode;
  move?: TreeMove;
  remove?: string;
  set?: TreeSet;
}

export interface TreeEdit {
  base?: number;
  changes?: TreeChange[];
  made?: string;
  part?: number;
  prefix?: string;
  request?: string;
  source?: string;
  summary?: string;
  tree: string;
  version: number;
}

export interface TreeInfo {
  name: string;
  recorded_at: string;
  version: number;
  versions: number;
}

export interface TreeMove {
  at?: number;
  node: string;
  parent: string;
}

export interface TreeMoved {
  from: number;
  to: number;
  tree: string;
}

export interface TreeNode {
  at?: number;
  attrs?: string[][];
  id: string;
  parent?: string;
  source?: string;
  text?: string;
  type: string;
}

export interface TreeReceipt {
  added: number;
  clashes?: string[];
  closed?: string[];
  commit: string;
  dropped?: number;
  echoes?: number;
  fallback?: string;
  ids?: string[];
  known: number;
  learned?: number;
  seq: number;
  tree: string;
  version: number;
}

export interface TreeReply {
  by: string;
  changes?: TreeChange[];
  intent: string;
  left_out?: number;
  nodes: FoundNode[];
  query: string;
  receipt?: TreeReceipt;
  scorer?: string;
  steps: QueryStep[];
  summary?: string;
}

export interface TreeSet {
  attrs?: string[][];
  node: string;
  text?: string;
  unset?: string[];
}

export interface TreeVersion {
  author: string;
  base?: number;
  commit: string;
  recorded_at: string;
  request?: string;
  summary?: string;
  version: number;
}

export interface Trees {
  trees: TreeInfo[];
}

export interface Variable {
  relation: string;
  subject: string;
}

export interface Version {
  go: string;
  revision?: string;
  version: string;
}

export interface Webhook {
  created_at: string;
  events: string[];
  id: string;
  secret?: string;
  tenant: string;
  url: string;
  users?: string[];
}

export interface Webhooks {
  webhooks: Webhook[];
}

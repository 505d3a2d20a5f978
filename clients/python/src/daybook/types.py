"""What the server returns. Made by clients/generate.py from the OpenAPI description; do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, kw_only=True)
class Added:
    event: str | None = None
    id: str
    memory: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    answer: str
    answer_id: str
    by: str
    citations: list[Citation] = field(default_factory=list)
    fallback: str | None = None
    id: str
    intent: str
    known: bool
    removed_citations: int | None = None
    rows: list[AnswerRow] = field(default_factory=list)
    took_ms: float
    view: str


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    note: str
    reason: str | None = None
    role: str
    score: float
    session: str
    source_id: str
    speaker: str
    text: str
    time: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class Certificate:
    commit: str
    counts: dict[str, int] = field(default_factory=dict)
    digest: str
    erased: int
    format: str
    recorded_at: str
    scope: Scope
    selector: str
    seq: int


@dataclass(frozen=True, kw_only=True)
class Citation:
    id: str
    n: int
    quote: str
    source_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Commit:
    author: str
    counts: dict[str, int] = field(default_factory=dict)
    erased: int | None = None
    id: str
    message: str | None = None
    ops: list[Op] = field(default_factory=list)
    parent: str
    recorded_at: str
    reverted: bool | None = None
    seq: int


@dataclass(frozen=True, kw_only=True)
class Context:
    alternatives: list[str] = field(default_factory=list)
    sentiment: str | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Diff:
    a: str
    b: str
    notes_added: list[Note] = field(default_factory=list)
    notes_removed: list[Note] = field(default_factory=list)
    states: list[StateDiff] = field(default_factory=list)
    trees: list[TreeMoved] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Done:
    certificates: list[Certificate] = field(default_factory=list)
    message: str


@dataclass(frozen=True, kw_only=True)
class Echo:
    end: int
    of: list[str] = field(default_factory=list)
    start: int


@dataclass(frozen=True, kw_only=True)
class Enrichment:
    by: str
    from_: list[str] = field(default_factory=list)
    note: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Entity:
    id: str
    kind: str | None = None
    name: str


@dataclass(frozen=True, kw_only=True)
class Erase:
    count: int
    counts: dict[str, int] = field(default_factory=dict)
    digest: str
    selector: str
    targets: list[Erased] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Erased:
    from_: int
    seq: int
    to: int


@dataclass(frozen=True, kw_only=True)
class Erasure:
    certificates: list[Certificate] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Event:
    by: str | None = None
    id: str
    kind: str
    modality: str | None = None
    participants: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    session: str | None = None
    sources: list[str] = field(default_factory=list)
    text: str
    time: Span | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class EventView:
    by: str | None = None
    id: str
    kind: str
    modality: str | None = None
    participants: list[str] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    reason: str | None = None
    recorded_at: str
    session: str | None = None
    sources: list[str] = field(default_factory=list)
    text: str
    time: Span | None = None
    valid_until: str | None = None
    validity: float
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Fact:
    confidence: float | None = None
    context: Context | None = None
    event: str | None = None
    holds: str | None = None
    id: str
    importance: float | None = None
    modality: str | None = None
    object: str
    relation: str
    session: str | None = None
    sources: list[str] = field(default_factory=list)
    subject: str
    valid: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Facts:
    facts: list[State] = field(default_factory=list)
    left_out: int | None = None


@dataclass(frozen=True, kw_only=True)
class ForeignRow:
    created_at: str | None = None
    id: str
    invalid_at: str | None = None
    score: float | None = None
    session: str | None = None
    speaker: str | None = None
    text: str
    valid_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class FoundNode:
    id: str
    path: str
    score: float
    source_id: str
    text: str
    type: str


@dataclass(frozen=True, kw_only=True)
class Histories:
    history: list[History] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class History:
    also: list[str] = field(default_factory=list)
    holds: str
    periods: list[Period] = field(default_factory=list)
    relation: str
    subject: Entity
    transitions: list[Transition] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ImportReceipt:
    added: int
    clashes: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    commit: str
    commits: int | None = None
    dropped: int | None = None
    echoes: int | None = None
    fallback: str | None = None
    format: str
    ids: list[str] = field(default_factory=list)
    known: int
    learned: int | None = None
    left_out: dict[str, int] = field(default_factory=dict)
    seq: int
    skipped: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Job:
    agent_id: str | None = None
    commit: str
    error: str | None = None
    id: str
    notes: int
    seq: int
    state: str
    tries: int
    user_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Jobs:
    jobs: list[Job] = field(default_factory=list)
    waiting: int


@dataclass(frozen=True, kw_only=True)
class Labelled:
    packet: Packet
    rows: list[LabelledRow] = field(default_factory=list)
    text: str
    view: str


@dataclass(frozen=True, kw_only=True)
class LabelledRow:
    id: str
    reason: str | None = None
    role: str
    score: float
    state: bool
    text: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class Link:
    about: list[Variable] = field(default_factory=list)
    by: str
    confidence: float | None = None
    from_: str
    id: str
    kind: str
    to: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class LinkView:
    about: list[Variable] = field(default_factory=list)
    by: str
    confidence: float | None = None
    from_: str
    id: str
    invalidated_at: str | None = None
    kind: str
    of: str | None = None
    recorded_at: str
    to: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Log:
    commits: list[Commit] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Made:
    enrichments: int | None = None
    events: int | None = None
    facts: int | None = None
    links: int | None = None


@dataclass(frozen=True, kw_only=True)
class Memory:
    agent_id: str | None = None
    app_id: str | None = None
    categories: list[str] = field(default_factory=list)
    created_at: str
    expiration_date: str | None = None
    hash: str | None = None
    id: str
    memory: str
    metadata: dict[str, Any] | None = None
    role: str | None = None
    run_id: str | None = None
    score: float | None = None
    speaker: str | None = None
    updated_at: str
    user_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class MemoryChange:
    by: str | None = None
    categories: list[str] = field(default_factory=list)
    created_at: str
    event: str
    id: str
    input: list[Message] = field(default_factory=list)
    memory_id: str
    new_memory: str | None = None
    new_value: str | None = None
    old_memory: str | None = None
    old_value: str | None = None
    relation: str | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    updated_at: str
    user_id: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Merge:
    from_: str
    into: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Message:
    content: Any
    id: str | None = None
    name: str | None = None
    role: str | None = None
    timestamp: Any = None


@dataclass(frozen=True, kw_only=True)
class Note:
    corrects: str | None = None
    echoes: list[Echo] = field(default_factory=list)
    id: str
    metadata: dict[str, Any] | None = None
    session: str | None = None
    source_id: str | None = None
    speaker: str | None = None
    text: str
    time: str


@dataclass(frozen=True, kw_only=True)
class Op:
    enrich: Enrichment | None = None
    entity: Entity | None = None
    erase: Erase | None = None
    event: Event | None = None
    fact: Fact | None = None
    merge: Merge | None = None
    observe: Note | None = None
    relate: Link | None = None
    retract: Retract | None = None
    revert: Revert | None = None
    split: Split | None = None
    tree: TreeEdit | None = None


@dataclass(frozen=True, kw_only=True)
class Owner:
    created_at: str | None = None
    id: str
    name: str
    total_memories: int
    type: Literal["user", "agent"]
    updated_at: str | None = None


@dataclass(frozen=True, kw_only=True)
class Packet:
    at: Span | None = None
    items: list[PacketItem] = field(default_factory=list)
    left_out: int | None = None
    now: str | None = None
    paths: list[str] = field(default_factory=list)
    question: str
    tokens: int
    view: str


@dataclass(frozen=True, kw_only=True)
class PacketItem:
    id: str
    n: int
    outdated: list[str] = field(default_factory=list)
    reason: str | None = None
    role: str | None = None
    score: float
    session: str | None = None
    source_id: str | None = None
    speaker: str | None = None
    state: bool
    text: str
    time: str
    value: str | None = None


@dataclass(frozen=True, kw_only=True)
class Period:
    ended_by: str | None = None
    facts: list[RecordedFact] = field(default_factory=list)
    modality: str | None = None
    object: str
    reason: str | None = None
    relation: str | None = None
    role: str
    valid: Span


@dataclass(frozen=True, kw_only=True)
class QueryResult:
    left_out: int | None = None
    nodes: list[FoundNode] = field(default_factory=list)
    query: str
    scorer: str | None = None
    steps: list[QueryStep] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class QueryStep:
    in_: list[StepNode] = field(default_factory=list)
    in_count: int
    out: list[StepNode] = field(default_factory=list)
    out_count: int
    scores: list[ScoredNode] = field(default_factory=list)
    step: str


@dataclass(frozen=True, kw_only=True)
class Quote:
    end: int
    note: str
    start: int


@dataclass(frozen=True, kw_only=True)
class Recall:
    asked: list[str] = field(default_factory=list)
    commit: str
    id: str | None = None
    missed: list[str] = field(default_factory=list)
    paths: list[RecallPath] = field(default_factory=list)
    rows: list[RecallRow] = field(default_factory=list)
    shape: str
    tokens: int
    took_ms: float
    view: str
    why_not: RecallAbsence | None = None


@dataclass(frozen=True, kw_only=True)
class RecallAbsence:
    behind: dict[str, float] = field(default_factory=dict)
    legs: dict[str, int] = field(default_factory=dict)
    needed: float
    note: str
    of: int
    parts: dict[str, float] = field(default_factory=dict)
    rank: int
    reason: str
    score: float


@dataclass(frozen=True, kw_only=True)
class RecallExplain:
    legs: dict[str, int] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    parts: dict[str, float] = field(default_factory=dict)
    rerank: RecallReranked | None = None
    route: str | None = None


@dataclass(frozen=True, kw_only=True)
class RecallPath:
    events: list[EventView] = field(default_factory=list)
    links: list[LinkView] = field(default_factory=list)
    ns: float
    pc: float
    score: float
    tc: float
    through: list[str] = field(default_factory=list)
    uv: float


@dataclass(frozen=True, kw_only=True)
class RecallReranked:
    after: float
    before: float
    lexical: float
    raw: float
    semantic: float


@dataclass(frozen=True, kw_only=True)
class RecallRow:
    explain: RecallExplain | None = None
    note: str
    reason: str | None = None
    role: str
    score: float
    session: str
    source_id: str
    speaker: str
    text: str
    time: str


@dataclass(frozen=True, kw_only=True)
class Receipt:
    added: int
    clashes: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    commit: str
    dropped: int | None = None
    echoes: int | None = None
    fallback: str | None = None
    ids: list[str] = field(default_factory=list)
    job: str | None = None
    known: int
    learned: int | None = None
    results: list[Added] = field(default_factory=list)
    seq: int


@dataclass(frozen=True, kw_only=True)
class RecordedFact:
    author: str
    commit: str
    confidence: float | None = None
    context: Context | None = None
    event: str | None = None
    holds: str | None = None
    id: str
    importance: float | None = None
    modality: str | None = None
    object: str
    recorded_at: str
    relation: str
    session: str | None = None
    sources: list[str] = field(default_factory=list)
    subject: str
    valid: Span | None = None


@dataclass(frozen=True, kw_only=True)
class Retract:
    about: list[Variable] = field(default_factory=list)
    by: str | None = None
    target: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Revert:
    commit: str
    seq: int


@dataclass(frozen=True, kw_only=True)
class Scope:
    agent: str | None = None
    tenant: str | None = None
    user: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScoredNode:
    id: str
    label: str | None = None
    parts: list[ScoredNode] = field(default_factory=list)
    predicate: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Span:
    from_: str | None = None
    granularity: str | None = None
    known: str | None = None
    until: str | None = None


@dataclass(frozen=True, kw_only=True)
class Split:
    entity: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    also: list[str] = field(default_factory=list)
    holds: str
    periods: list[Period] = field(default_factory=list)
    relation: str
    subject: Entity


@dataclass(frozen=True, kw_only=True)
class StateDiff:
    added: list[Period] = field(default_factory=list)
    relation: str
    removed: list[Period] = field(default_factory=list)
    subject: Entity


@dataclass(frozen=True, kw_only=True)
class Stats:
    bytes: int
    commits: int
    entities: int
    events: int
    facts: int
    links: int
    makers: dict[str, Made] = field(default_factory=dict)
    notes: int
    trees: int


@dataclass(frozen=True, kw_only=True)
class Status:
    status: str


@dataclass(frozen=True, kw_only=True)
class StepNode:
    id: str
    label: str
    type: str
    weight: float


@dataclass(frozen=True, kw_only=True)
class Transition:
    evidence: list[str] = field(default_factory=list)
    fact: str
    from_: str | None = None
    from_relation: str | None = None
    learned: str
    relation: str
    subject: Entity
    to: str | None = None
    to_relation: str | None = None
    valid_at: str | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Tree:
    content: str
    name: str
    version: int
    versions: list[TreeVersion] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class TreeChange:
    add: TreeNode | None = None
    move: TreeMove | None = None
    remove: str | None = None
    set: TreeSet | None = None


@dataclass(frozen=True, kw_only=True)
class TreeEdit:
    base: int | None = None
    changes: list[TreeChange] = field(default_factory=list)
    made: str | None = None
    part: int | None = None
    prefix: str | None = None
    request: str | None = None
    source: str | None = None
    summary: str | None = None
    tree: str
    version: int


@dataclass(frozen=True, kw_only=True)
class TreeInfo:
    name: str
    recorded_at: str
    version: int
    versions: int


@dataclass(frozen=True, kw_only=True)
class TreeMove:
    at: int | None = None
    node: str
    parent: str


@dataclass(frozen=True, kw_only=True)
class TreeMoved:
    from_: int
    to: int
    tree: str


@dataclass(frozen=True, kw_only=True)
class TreeNode:
    at: int | None = None
    attrs: list[list[str]] = field(default_factory=list)
    id: str
    parent: str | None = None
    source: str | None = None
    text: str | None = None
    type: str


@dataclass(frozen=True, kw_only=True)
class TreeReceipt:
    added: int
    clashes: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    commit: str
    dropped: int | None = None
    echoes: int | None = None
    fallback: str | None = None
    ids: list[str] = field(default_factory=list)
    known: int
    learned: int | None = None
    seq: int
    tree: str
    version: int


@dataclass(frozen=True, kw_only=True)
class TreeReply:
    by: str
    changes: list[TreeChange] = field(default_factory=list)
    intent: str
    left_out: int | None = None
    nodes: list[FoundNode] = field(default_factory=list)
    query: str
    receipt: TreeReceipt | None = None
    scorer: str | None = None
    steps: list[QueryStep] = field(default_factory=list)
    summary: str | None = None


@dataclass(frozen=True, kw_only=True)
class TreeSet:
    attrs: list[list[str]] = field(default_factory=list)
    node: str
    text: str | None = None
    unset: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class TreeVersion:
    author: str
    base: int | None = None
    commit: str
    recorded_at: str
    request: str | None = None
    summary: str | None = None
    version: int


@dataclass(frozen=True, kw_only=True)
class Trees:
    trees: list[TreeInfo] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Variable:
    relation: str
    subject: str


@dataclass(frozen=True, kw_only=True)
class Version:
    go: str
    revision: str | None = None
    version: str


@dataclass(frozen=True, kw_only=True)
class Webhook:
    created_at: str
    events: list[str] = field(default_factory=list)
    id: str
    secret: str | None = None
    tenant: str
    url: str
    users: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Webhooks:
    webhooks: list[Webhook] = field(default_factory=list)

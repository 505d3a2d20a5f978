/** One field of a request that is wrong. */
export interface FieldError {
  location?: string;
  message?: string;
  value?: unknown;
}

export interface ErrorInit {
  status?: number;
  title?: string;
  errors?: FieldError[];
  requestId?: string;
  retryAfter?: number;
}

/**
 * A call that did not succeed. `status` is that of the HTTP answer (0 where there was
 * none), `errors` are the fields that are wrong, `requestId` is what to look for in the
 * server's log.
 */
export class DaybookError extends Error {
  readonly status: number;
  readonly title: string;
  readonly errors: FieldError[];
  readonly requestId: string;
  /** In how many seconds to try again, where the server says so. */
  readonly retryAfter?: number;

  constructor(detail: string, init: ErrorInit = {}) {
    const fields = (init.errors ?? []).map((e) => `${e.location ?? ""}: ${e.message ?? ""}`).join("; ");
    super(fields ? `${detail} (${fields})` : detail);
    this.name = new.target.name;
    this.status = init.status ?? 0;
    this.title = init.title ?? "";
    this.errors = init.errors ?? [];
    this.requestId = init.requestId ?? "";
    this.retryAfter = init.retryAfter;
  }
}

/** The server could not be reached, or did not answer in time. */
export class ConnectionFailed extends DaybookError {}
/** 400, 413, 415, 422: the input is wrong. Sending it again does not help. */
export class InvalidRequest extends DaybookError {}
/** 401, 403: no key, or a key without the right. */
export class NotAllowed extends DaybookError {}
/** 404: there is no such thing. */
export class NotFound extends DaybookError {}
/** 409: it contradicts what the ledger holds, such as another text under the same id. */
export class Conflict extends DaybookError {}
/** 429: too many requests. */
export class RateLimited extends DaybookError {}
/** 503: the store or a model did not serve; try again. */
export class Unavailable extends DaybookError {}

const byStatus: Record<number, typeof DaybookError> = {
  400: InvalidRequest, 413: InvalidRequest, 415: InvalidRequest, 422: InvalidRequest,
  401: NotAllowed, 403: NotAllowed, 404: NotFound, 409: Conflict, 429: RateLimited, 503: Unavailable,
};

interface Problem {
  status?: number;
  title?: string;
  detail?: string;
  errors?: FieldError[];
}

/** The error for an answer of the server. */
export function errorFor(status: number, problem: Problem, requestId: string, retryAfter?: number): DaybookError {
  const detail = problem.detail || problem.title || `the server answered with status ${status}`;
  return new (byStatus[status] ?? DaybookError)(detail, { status, title: problem.title, errors: problem.errors, requestId, retryAfter });
}

/**
 * Every error that a client may see: its HTTP status and when it is returned. Golden file: test/golden/errors.json.
 * The body is `{"error": {"code": <status>, "message", "details"?, "paths"?}}`.
 */
export const errorTable = {
  'bad-request': { status: 400, when: 'the body, query or path is malformed or invalid' },
  unauthenticated: { status: 401, when: 'there is no token, or one that is unknown, expired or revoked' },
  forbidden: { status: 403, when: 'the caller may see the resource but not do this to it' },
  'not-found': { status: 404, when: 'the resource does not exist, or the caller may not see it' },
  'method-not-allowed': { status: 405, when: 'the path exists, with other methods (header `Allow`)' },
  'request-timeout': { status: 408, when: 'the body comes too slowly' },
  conflict: { status: 409, when: 'the request cannot be reconciled with the present state' },
  'precondition-failed': { status: 412, when: 'a transfer cannot be done' },
  'too-large': { status: 413, when: 'the body is larger than the limit, or holds too many values' },
  'unsupported-media-type': { status: 415, when: 'the body is not of the content type asked for' },
  'range-not-satisfiable': { status: 416, when: 'the byte range lies outside the file' },
  locked: { status: 423, when: 'the space is locked' },
  'too-many-requests': { status: 429, when: 'the rate limit is used up, or the caller sends too many large bodies at once (header `Retry-After`)' },
  internal: { status: 500, when: 'an unforeseen failure; its cause is in the log under the request ID' },
  unavailable: { status: 503, when: 'the service is starting or shutting down, or reads as many bodies as it can hold (header `Retry-After`)' },
} as const

export type ErrorCode = keyof typeof errorTable

/** One violation: where (JSON pointer into the body, or `query/limit`) and what to do. */
export interface ErrorDetail {
  path: string
  message: string
}

export interface ErrorExtra {
  details?: ErrorDetail[]
  /** Files in conflict. */
  paths?: string[]
  headers?: Record<string, string>
  cause?: unknown
}

/** An error that a client is meant to see. Everything else that is thrown becomes `internal`. */
export class ServiceError extends Error {
  readonly status: number
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: ErrorExtra = {},
  ) {
    super(message, extra.cause === undefined ? undefined : { cause: extra.cause })
    this.name = 'ServiceError'
    this.status = errorTable[code].status
  }
}

export const badRequest = (message: string, details?: ErrorDetail[]): ServiceError => new ServiceError('bad-request', message, details ? { details } : {})
export const notFound = (what: string): ServiceError => new ServiceError('not-found', `${what} does not exist, or you may not see it.`)
export const conflict = (message: string, extra: ErrorExtra = {}): ServiceError => new ServiceError('conflict', message, extra)

/**
 * All errors that clients can see, with HTTP status and cause. Golden file: test/golden/errors.json.
 * The body is `{"error": {"code": <status>, "message", "details"?, "paths"?}}`.
 */
export const errorTable = {
  'bad-request': { status: 400, when: 'the body, query or path is malformed or invalid' },
  unauthenticated: { status: 401, when: 'the token is missing, unknown, expired or revoked' },
  forbidden: { status: 403, when: 'the caller may see the resource but lacks the permission for this operation' },
  'not-found': { status: 404, when: 'the resource does not exist, or the caller may not see it' },
  'method-not-allowed': {
    status: 405,
    when: 'the path exists, but not with this method; the header `Allow` lists its methods',
  },
  'request-timeout': { status: 408, when: 'the body arrived too slowly' },
  conflict: {
    status: 409,
    when: 'the request conflicts with the current state of the resource; the message contains the details',
  },
  'precondition-failed': {
    status: 412,
    when: 'the resource has changed since the version in `If-Match`, or a transfer is not possible; the message names the reason',
  },
  'too-large': { status: 413, when: 'the body is larger than the limit, or has too many values' },
  'unsupported-media-type': { status: 415, when: 'the endpoint does not accept the content type of the body' },
  'range-not-satisfiable': { status: 416, when: 'the byte range is outside the file' },
  locked: { status: 423, when: 'the space is locked' },
  'too-many-requests': {
    status: 429,
    when: 'the rate limit is exceeded, or the caller sends too many large bodies at the same time; try again after the seconds in the header `Retry-After`',
  },
  internal: { status: 500, when: 'an unexpected failure; its cause is in the log of the server under the request ID' },
  unavailable: {
    status: 503,
    when: 'the service is starting, shutting down or overloaded, or the repository of the space is missing or damaged; try again after the seconds in the header `Retry-After`',
  },
  'insufficient-storage': {
    status: 507,
    when: 'the server cannot store data: a disk is full, or a folder is not writable; the message names the folder by its setting, and reading works',
  },
} as const

type ErrorCode = keyof typeof errorTable

/** One violation: its position (JSON pointer into the body, or `query/limit`) and the remedy. */
export interface ErrorDetail {
  path: string
  message: string
}

interface ErrorExtra {
  details?: ErrorDetail[]
  /** Files in conflict. */
  paths?: string[]
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * Returns the message with the remedy from its first detail, because clients often show only the message.
 * A detail that is not a sentence is completed with its position.
 */
function withRemedy(message: string, details: readonly ErrorDetail[] = []): string {
  const [first] = details
  if (first === undefined || message.includes(first.message.replace(/\.$/, ''))) return message
  const place = first.path.replace(/^\//, '').replaceAll('/', '.')
  const isSentence = /^[A-Z"`\d]/.test(first.message)
  const remedy = isSentence ? first.message : `${place === '' ? 'The body' : place} ${first.message}`
  return `${message} ${remedy}${/[.!?]$/.test(remedy) ? '' : '.'}`
}

/** An error that a client may see. All other errors become `internal`. */
export class ServiceError extends Error {
  readonly status: number
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly extra: ErrorExtra = {},
  ) {
    super(withRemedy(message, extra.details), extra.cause === undefined ? undefined : { cause: extra.cause })
    this.name = 'ServiceError'
    this.status = errorTable[code].status
  }
}

/** Thrown for a body that is not JSON. */
export class NotJson extends ServiceError {
  constructor(message: string) {
    super('bad-request', message)
  }
}

export const badRequest = (message: string, details?: ErrorDetail[]): ServiceError =>
  new ServiceError('bad-request', message, details ? { details } : {})
export const notFound = (what: string): ServiceError =>
  new ServiceError('not-found', `${what} does not exist, or you may not see it.`)
export const conflict = (message: string, extra: ErrorExtra = {}): ServiceError =>
  new ServiceError('conflict', message, extra)

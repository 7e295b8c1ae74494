// Turns the error that a request threw into an error response.
import { ServiceError } from '../../kernel/errors.js'

/** The response to a failed request. */
interface ErrorResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
  /** Whether the failure is unexpected. Its chain of causes belongs in the log. */
  unforeseen: boolean
}

const SENTENCE =
  'The service failed unexpectedly. Find the cause in its log under the request ID of this response (header X-Request-Id).'
const RETRY_SECONDS = '5'

function standardHeaders(status: number): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' }
  if (status === 503) return { 'Retry-After': RETRY_SECONDS }
  return {}
}

/**
 * Returns the response for a thrown error: the status and message of a `ServiceError`, else 500 with a fixed sentence.
 */
export function errorResponse(thrown: unknown): ErrorResponse {
  const known = thrown instanceof ServiceError ? thrown : new ServiceError('internal', SENTENCE)
  const { details, paths, headers } = known.extra
  const error = {
    code: known.status,
    message: known.message,
    ...(details ? { details } : {}),
    ...(paths ? { paths } : {}),
  }
  return {
    status: known.status,
    headers: { ...standardHeaders(known.status), ...headers },
    body: JSON.stringify({ error }),
    unforeseen: known.status === 500,
  }
}

/** Errors of JSON-RPC that concern a whole request. */
import { NotJson, type ServiceError } from '../kernel/errors.js'
import type { McpResponse } from './types.js'

const INVALID_REQUEST = -32_600
const PARSE_ERROR = -32_700
const SERVER_ERROR = -32_000

/** Maximum number of messages in a request. */
export const MAX_MESSAGES = 10

/** Returns the number of messages in a request that need a response. */
export const messagesIn = (body: unknown): number => (Array.isArray(body) ? Math.min(body.length, MAX_MESSAGES) : 1)

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Returns the response to a request that reaches no tool. */
export function mcpError(error: ServiceError, headers: Readonly<Record<string, string>> = {}): McpResponse {
  const known = { 400: INVALID_REQUEST, 413: INVALID_REQUEST, 415: PARSE_ERROR }[error.status] ?? SERVER_ERROR
  const code = error instanceof NotJson ? PARSE_ERROR : known
  return {
    status: error.status,
    headers: { 'Content-Type': JSON_TYPE, ...error.extra.headers, ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', error: { code, message: error.message }, id: null }),
  }
}

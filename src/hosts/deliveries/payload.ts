/**
 * Reads the payload of a delivery: JSON, or a form with JSON in its field `payload`, which GitHub and Gitea can be
 * configured to send.
 */
import type { IncomingHttpHeaders } from 'node:http'

/** Parses a payload. Returns undefined if it cannot be read; only hints are lost. */
export function payloadOf(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
  try {
    return JSON.parse(isForm ? (new URLSearchParams(body.toString('latin1')).get('payload') ?? '') : body.toString())
  } catch {
    // Not valid JSON.
    return undefined
  }
}

/** Reads the payload of a delivery: JSON, or a form with JSON in its field `payload`, as GitHub and Gitea send it if told to. */
import type { IncomingHttpHeaders } from 'node:http'

/** The payload's value; undefined if it cannot be read, which loses hints and nothing else. */
export function payloadOf(body: Buffer, headers: IncomingHttpHeaders): unknown {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')
  try {
    return JSON.parse(isForm ? (new URLSearchParams(body.toString('latin1')).get('payload') ?? '') : body.toString())
  } catch {
    // no JSON
    return undefined
  }
}

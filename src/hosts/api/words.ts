/** Extracts the message of a host's error response, for users: one line, short, and without credentials. */
import { at, listAt, textAt } from '../values.js'

const MAX_LENGTH = 300
const MAX_PARTS = 5
/**
 * Minimum length of a secret that is redacted. Shorter ones could match ordinary words; no host issues such secrets.
 */
const MIN_SECRET = 6

/** Returns the sentences in the body of an error response of any host; '' if there are none. */
export function errorTextOf(body: unknown, secrets: readonly string[]): string {
  const parts = [
    ...textsIn(at(body, 'message')),
    ...textsIn(at(body, 'error')),
    ...textsIn(at(body, 'error_description')),
    ...listAt(body, 'errors').flatMap(ofError),
  ]
  const text = [...new Set(parts)].slice(0, MAX_PARTS).join(' · ')
  return without(text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), secrets).slice(0, MAX_LENGTH)
}

/** Returns the texts in a value: itself, or those of a list's items or an object's members. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value.slice(0, MAX_LENGTH * 2)]
  if (typeof value !== 'object' || value === null || depth > 2) return []
  return Object.values(value)
    .slice(0, MAX_PARTS)
    .flatMap((one) => textsIn(one, depth + 1))
}

/** Returns the texts of one error. GitHub's errors have a message, or a field and a code. */
function ofError(error: unknown): string[] {
  const message =
    textAt(error, ['message'], MAX_LENGTH) ?? (typeof error === 'string' ? error.slice(0, MAX_LENGTH) : undefined)
  if (message !== undefined) return [message]
  const field = textAt(error, ['field'], 100)
  const code = textAt(error, ['code'], 100)
  return field === undefined && code === undefined ? [] : [[field, code].filter(Boolean).join(': ')]
}

function without(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= MIN_SECRET) clean = clean.replaceAll(secret, '***')
  return clean
}

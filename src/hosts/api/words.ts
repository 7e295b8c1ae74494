/** What a host says about a refusal, for users: one line, short, and without a credential. */
import { at, listAt, textAt } from '../values.js'

const MAX_LENGTH = 300
const MAX_PARTS = 5
/** Shorter secrets would blank out ordinary words; no host gives such ones. */
const MIN_SECRET = 6

/** The sentences in the body of an error, whichever host it is from; '' if there are none. */
export function wordsOf(body: unknown, secrets: readonly string[]): string {
  const parts = [
    ...said(at(body, 'message')),
    ...said(at(body, 'error')),
    ...said(at(body, 'error_description')),
    ...listAt(body, 'errors').flatMap(ofError),
  ]
  const text = [...new Set(parts)].slice(0, MAX_PARTS).join(' · ')
  return without(text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim(), secrets).slice(0, MAX_LENGTH)
}

/** Texts of a value: itself, those of a list, of an object's members. */
function said(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value.slice(0, MAX_LENGTH * 2)]
  if (typeof value !== 'object' || value === null || depth > 2) return []
  return Object.values(value)
    .slice(0, MAX_PARTS)
    .flatMap((one) => said(one, depth + 1))
}

/** GitHub's errors have a message, or name a field and a code. */
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

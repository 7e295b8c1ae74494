/** Reads the form of a suggestion. */
import type { Guest } from '../../domain/suggestions/receive.js'
import { MAX_SUGGESTER } from '../../model/index.js'
import type { SuggestFault } from './data.js'

/** Maximum size of a form in bytes: a text of the maximum length, encoded, and the other fields. */
export const MAX_FORM_BYTES = 128 * 1024

/** The status of the response for each fault. */
export const STATUS: Readonly<Record<SuggestFault, 400 | 404 | 409 | 413 | 429>> = {
  stale: 409,
  unchanged: 400,
  invalid: 400,
  tooLong: 413,
  tooMany: 429,
  over: 404,
}

/** The fields of the form, as sent. */
export interface SuggestForm {
  block: string
  text: string
  name: string
  email: string
}

/** Returns the fields of a form. */
export const formOf = (fields: URLSearchParams): SuggestForm => ({
  block: fields.get('block') ?? '',
  text: (fields.get('text') ?? '').replace(/\r\n?/g, '\n'),
  name: (fields.get('name') ?? '').slice(0, 1_000),
  email: (fields.get('email') ?? '').slice(0, 1_000),
})

/** An address as in the model of users, at most 254 characters long. */
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/

/** Returns the guest of a form; null if the name or the address is not valid. */
export function guestOf({ name, email }: SuggestForm): Guest | null {
  // Git signatures cannot contain angle brackets.
  const shown = name
    .replace(/[<>]/g, '')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  const address = email.trim()
  const isValid = shown !== '' && [...shown].length <= MAX_SUGGESTER && address.length <= 254 && EMAIL.test(address)
  return isValid ? { name: shown, email: address } : null
}

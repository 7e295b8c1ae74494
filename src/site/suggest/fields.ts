/** Reads the form of a suggestion. */
import type { Guest } from '../../domain/suggestions/receive.js'
import { required } from '../../kernel/defined.js'
import { Email, MAX_SUGGESTER } from '../../model/index.js'
import type { SuggestFault } from './data.js'

/** Maximum size of a form in bytes: a text of the maximum length, encoded, and the other fields. */
export const MAX_FORM_BYTES = 128 * 1024

/** The status of the response for each fault. */
export const STATUS: Readonly<Record<SuggestFault, 400 | 404 | 409 | 413 | 429>> = {
  stale: 409,
  unchanged: 400,
  misleading: 400,
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

const EMAIL = new RegExp(required(Email.pattern))
/** Whether a mail can be sent to an address. One without a dot in its domain would stay on this machine or network. */
const isAddress = (text: string): boolean =>
  text.length <= 254 && EMAIL.test(text) && text.includes('.', text.indexOf('@'))

/** Returns the guest of a form; null if the name or the address is not valid. */
export function guestOf({ name, email }: SuggestForm): Guest | null {
  // Git signatures cannot contain angle brackets.
  const shown = name
    .replace(/[<>]/g, '')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  const address = email.trim()
  const isValid = shown !== '' && [...shown].length <= MAX_SUGGESTER && isAddress(address)
  return isValid ? { name: shown, email: address } : null
}

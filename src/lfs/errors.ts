/**
 * Why an object, or all of them, could not be fetched: a sentence for people, without any credential. `passing`: it may work later; `refused`: it will not
 * work until somebody changes something; `renew`: the server has to be asked again where the object is.
 */
export class LfsError extends Error {
  override name = 'LfsError'
  constructor(
    readonly kind: 'passing' | 'refused' | 'renew',
    message: string,
    /** How long the server wants to be left alone, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

const MAX_WORDS = 200

/** Words of a server for a message: one line, shortened, without control characters and secrets. */
export function quoted(words: unknown, secrets: readonly string[]): string {
  if (typeof words !== 'string') return ''
  let text = words
  // Before anything is cut off: half a secret is not found any more.
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '***')
  const line = text
    .slice(0, 4 * MAX_WORDS)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return line === '' ? '' : ` The server says: ${line.slice(0, MAX_WORDS)}${line.length > MAX_WORDS ? '…' : ''}`
}

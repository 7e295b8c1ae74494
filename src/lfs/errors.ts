/**
 * An object, or all requested objects, could not be fetched. The message is a sentence for people, without any
 * credential. `passing`: a later attempt may succeed. `refused`: it fails until someone changes something. `renew`: the
 * address must be requested from the server again.
 */
export class LfsError extends Error {
  override name = 'LfsError'
  constructor(
    readonly kind: 'passing' | 'refused' | 'renew',
    message: string,
    /** The pause that the server requests, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message)
  }
}

const MAX_WORDS = 200

/** Returns the text of a server for a message: one line, shortened, without control characters and secrets. */
export function quoted(words: unknown, secrets: readonly string[]): string {
  if (typeof words !== 'string') return ''
  let text = words
  // Before shortening the text: a partial secret would not be found.
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '***')
  const line = text
    .slice(0, 4 * MAX_WORDS)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  return line === '' ? '' : ` The server's message: ${line.slice(0, MAX_WORDS)}${line.length > MAX_WORDS ? '…' : ''}`
}

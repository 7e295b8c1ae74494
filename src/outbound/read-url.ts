/** Parses user-defined URLs. */
import { OutboundError } from './errors.js'

const MAX_URL_LENGTH = 2048

/**
 * Parses a user-defined URL. The parser normalizes every notation of an IPv4 address (`2130706433`, `0x7f.1`), so that
 * the checked address is the one that is connected to. Throws `OutboundError` (`refused`).
 */
export function readUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : null
  if (!url)
    throw new OutboundError('refused', `The address is not a URL, or is longer than ${MAX_URL_LENGTH} characters.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('refused', 'Only http and https URLs are allowed.')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('refused', 'A URL must not contain a user name or password.')
  url.hash = ''
  return url
}

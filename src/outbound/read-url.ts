/** Reads URLs that users name. */
import { OutboundError } from './errors.js'

const MAX_URL_LENGTH = 2048

/**
 * Parses a URL that a user named. The parser turns every notation of an IPv4 address (`2130706433`, `0x7f.1`) into the
 * usual one, so the address that is checked is the one that is connected to. Throws `OutboundError` (`refused`).
 */
export function readUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL_LENGTH && URL.canParse(text, base?.href) ? new URL(text, base) : null
  if (!url)
    throw new OutboundError('refused', `The address is not a URL, or is longer than ${MAX_URL_LENGTH} characters.`)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundError('refused', 'Only http and https URLs are followed.')
  if (url.username !== '' || url.password !== '')
    throw new OutboundError('refused', 'A URL with a user name or password in it is not followed.')
  url.hash = ''
  return url
}

/** Removes a remote's credential from messages and logs, in any encoding. */

const escapeChar = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

const eitherCase = (hex: string): string => hex.replace(/[A-F]/g, (digit) => `[${digit}${digit.toLowerCase()}]`)

/** Returns a pattern for `secret` in which each character may be percent-encoded. */
const pattern = (secret: string): string =>
  [...secret]
    .map((char) => {
      const bytes = [...Buffer.from(char)].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
      // The encoded form comes first. Otherwise, only the `%` of `%25` would match.
      return `(?:${bytes.map((hex) => `%${eitherCase(hex)}`).join('')}|${escapeChar(char)})`
    })
    .join('')

function decoded(secret: string): string[] {
  try {
    return [decodeURIComponent(secret)]
  } catch {
    return []
  }
}

/**
 * Returns a function that replaces a credential in a text with `***`: plain, percent-encoded (completely or partly),
 * decoded, and as the base64 text of basic authentication. A user name without a password is a token, so it is a secret
 * too.
 */
export function scrubber(credential: {
  username?: string | undefined
  password?: string | undefined
}): (text: string) => string {
  const { username = '', password = '' } = credential
  const secret = password === '' || password === 'x-oauth-basic' ? username : password
  const forms = [secret, ...decoded(secret), Buffer.from(`${username}:${password}`).toString('base64')].filter(
    (form) => form !== '' && form !== 'Og==',
  )
  if (forms.length === 0) return (text) => text
  const longestFirst = [...new Set(forms)].sort((a, b) => b.length - a.length)
  const all = new RegExp(longestFirst.map(pattern).join('|'), 'g')
  return (text) => text.replace(all, '***')
}

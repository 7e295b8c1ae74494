/** Finds the API token in the credentials of a Git client, which only supports user names and passwords. */
import { bearer } from '../../auth/index.js'

const BASIC = /^Basic +([A-Za-z0-9+/=]{1,2048}) *$/i

/**
 * Returns the token of an `Authorization` header: the password, the user name if there is no password, or a bearer
 * token. Null if there is none.
 */
export function tokenOf(header: string | undefined): string | null {
  const [, encoded] = BASIC.exec(header ?? '') ?? []
  if (encoded === undefined) return bearer(header)
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const token = password === '' ? user : password
  return bearer(`Bearer ${token}`)
}

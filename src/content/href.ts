/** Browsers drop tabs and line breaks from addresses and read `\` as `/`: with these, `/\evil.example` leaves the site. */
const DISGUISE = /[\s\\\u0000-\u001f\u007f]/

/**
 * What is wrong with an address that a site's pages lead to or load from, as what to do; null where nothing is. Only
 * https, http and paths of the site (`/guides#first`) are taken: never `javascript:`, `data:`, `//host`, or a user name
 * in front of the host.
 */
export function hrefFault(href: string): string | null {
  if (DISGUISE.test(href)) return 'must have no blanks, control characters or backslashes: percent-encode them'
  if (href.startsWith('/')) return href.startsWith('//') ? 'must begin with one "/" (a path of the site), or with https://' : null
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href)) return 'must be an https or http URL, or a path of the site that begins with "/"'
  const { username, password } = new URL(href)
  return username !== '' || password !== '' ? 'must have no user name or password before the host' : null
}

/** Whether the address is a path of the site itself. */
export const isSitePath = (href: string): boolean => href.startsWith('/')

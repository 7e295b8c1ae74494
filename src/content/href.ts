/** Browsers drop tabs and line breaks from URLs and read `\` as `/`, so that `/\evil.example` would lead to another site. */
const DISGUISE = /[\s\\\u0000-\u001f\u007f]/

/**
 * Why a site's pages cannot link to or load from an address, worded as what it must be; null if they can. Only https, http and
 * paths of the site (`/guides#first`) are accepted: never `javascript:`, `data:`, `//host`, or a user name before the host.
 */
export function hrefFault(href: string): string | null {
  if (DISGUISE.test(href)) return 'must have no spaces, control characters or backslashes: percent-encode them'
  if (href.startsWith('/'))
    return href.startsWith('//') ? 'must begin with one "/" (a path of the site), or with https://' : null
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href))
    return 'must be an https or http URL, or a path of the site that begins with "/"'
  const { username, password } = new URL(href)
  return username !== '' || password !== '' ? 'must have no user name or password before the host' : null
}

/** Whether the address is a path of the site. */
export const isSitePath = (href: string): boolean => href.startsWith('/')

/**
 * Characters that disguise a target. Browsers drop tabs and line breaks from URLs and read `\` as `/`, so that
 * `/\evil.example` would point to another site.
 */
const DISGUISE = /[\s\\\u0000-\u001f\u007f]/

/**
 * Returns the reason why a site's pages must not use an address, as a requirement ("must be …"); null if they may use
 * it. Only https, http and paths of the site (`/guides#first`) are accepted: never `javascript:`, `data:`, `//host`, or
 * a user name before the host.
 */
export function hrefFault(href: string): string | null {
  if (DISGUISE.test(href)) return 'must not contain spaces, control characters or backslashes: percent-encode them'
  if (href.startsWith('/'))
    return href.startsWith('//') ? 'must start with one "/" (a path of the site), or with https://' : null
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href))
    return 'must be an https or http URL, or a path of the site that starts with "/"'
  const { username, password } = new URL(href)
  return username !== '' || password !== '' ? 'must not contain a user name or password before the host' : null
}

/** Whether the address is a path of the site. */
export const isSitePath = (href: string): boolean => href.startsWith('/')

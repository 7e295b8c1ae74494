/** Why a text is no path of a site, as what to do. */
export class SitePathError extends Error {
  override name = 'SitePathError'
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new SitePathError('has a "%" that is no percent-encoding of UTF-8: write %25 for the character itself')
  }
}

/**
 * A path of a site in the one form in which paths are compared: `/a/b`, no slash at the end, no empty parts, Unicode NFC,
 * percent-encoded like `encodeURIComponent` does. `''` is the root. Throws `SitePathError`.
 */
export function normalizePath(path: string): string {
  if (!path.startsWith('/')) throw new SitePathError('must begin with "/": a path of the site, without its host')
  if (/[?#]/.test(path)) throw new SitePathError('must be a path alone, without "?" and "#"')
  if (/[\\\u0000-\u001f\u007f]/.test(path)) throw new SitePathError('must have no backslashes or control characters')
  const parts = path.split('/').filter((part) => part !== '')
  return parts
    .map((part) => {
      const text = decode(part)
      if (text === '.' || text === '..') throw new SitePathError('must have no "." or ".." as a part')
      if (/[\u0000-\u001f\u007f/\\]/.test(text) || !(text as string & { isWellFormed(): boolean }).isWellFormed())
        throw new SitePathError('must have no encoded slashes, backslashes or control characters')
      return `/${encodeURIComponent(text.normalize('NFC'))}`
    })
    .join('')
}

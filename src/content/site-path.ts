/** Thrown if a text is not a path of a site. The message states the requirement, without the name of the field. */
export class SitePathError extends Error {
  override name = 'SitePathError'
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new SitePathError('has a "%" that does not start percent-encoded UTF-8: write %25 for the character itself')
  }
}

/**
 * Normalizes a path of a site for comparison: `/a/b` without a slash at the end and without empty parts, in Unicode
 * NFC, percent-encoded like `encodeURIComponent`. `''` is the root. Throws `SitePathError`.
 */
export function normalizePath(path: string): string {
  if (!path.startsWith('/')) throw new SitePathError('must start with "/": a path of the site, without its host')
  if (/[?#]/.test(path)) throw new SitePathError('must be a path without "?" and "#"')
  if (/[\\\u0000-\u001f\u007f]/.test(path))
    throw new SitePathError('must not contain backslashes or control characters')
  const parts = path.split('/').filter((part) => part !== '')
  return parts
    .map((part) => {
      const text = decode(part)
      if (text === '.' || text === '..') throw new SitePathError('must not contain "." or ".." as a part')
      if (/[\u0000-\u001f\u007f/\\]/.test(text) || !(text as string & { isWellFormed(): boolean }).isWellFormed())
        throw new SitePathError('must not contain encoded slashes, backslashes or control characters')
      return `/${encodeURIComponent(text.normalize('NFC'))}`
    })
    .join('')
}

/** Returns the form that all spellings of a page's path share: without case, file name extension and `index`. */
export const foldPath = (path: string): string =>
  path
    .normalize('NFC')
    .toLowerCase()
    .replace(/\.html?$/, '')
    .replace(/\/(?:index|readme)$/, '')
    .replace(/[\s_]+/g, '-')

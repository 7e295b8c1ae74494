/** Paths in Git's form: from the repository's root, without slashes at the ends. */

/**
 * Normalizes a user-written path (with `/`, `./`, `..`, double slashes) to Git's form. It is relative to the folder
 * `from`, even with a leading slash: for such paths, callers pass the effective root. Returns null if `..` leaves the
 * repository.
 */
export function normalizePath(path: string, from = ''): string | null {
  const parts: string[] = from === '' ? [] : from.split('/')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}

/**
 * Returns a relative path that leaves the repository, with its `../` first, as seen from the repository's root; null
 * for any other path. `from` is the folder of the file that contains it.
 */
export function pathOutside(path: string, from: string): string | null {
  if (path.startsWith('/')) return null
  const parts: string[] = from === '' ? [] : from.split('/')
  let ups = 0
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) ups++
  }
  return ups === 0 ? null : [...Array<string>(ups).fill('..'), ...parts].join('/')
}

/** Returns the folder that contains `path`; '' = the repository's root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** Returns the last segment of `path`. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether `path` is below the folder `root` ('' = the repository's root). */
export const isBelow = (root: string, path: string): boolean => root === '' || path.startsWith(`${root}/`)

/**
 * Returns `path` relative to the effective root. This is the key of pages, files and reusable content, from which their
 * IDs are derived.
 */
export const keyBelow = (root: string, path: string): string =>
  root !== '' && isBelow(root, path) ? path.slice(root.length + 1) : path

/** Whether the file is markdown, by its extension. */
export const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path)

/** Whether a segment of the path (below the effective root) starts with a dot. */
export const isHidden = (key: string): boolean => key.startsWith('.') || key.includes('/.')

/**
 * Decodes `%20` and similar sequences. Returns null if the text is not valid percent-encoding or contains an encoded
 * NUL.
 */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    const decoded = decodeURIComponent(text)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

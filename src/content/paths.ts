/**
 * Brings a path as people write it (`/`, `./`, `..`, doubled slashes) into the form Git uses, from the folder `from`.
 * A leading slash means `from` too: callers pass the effective root for it. Answers null where `..` leaves the repository.
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

/** The folder that holds `path`; '' = the repository's root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The last segment of `path`. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether `path` lies below the folder `root` ('' = the repository's root). */
export const isBelow = (root: string, path: string): boolean => root === '' || path.startsWith(`${root}/`)

/** `path` seen from the effective root: what page, file and reusable-content IDs hang on. */
export const keyBelow = (root: string, path: string): string => (root !== '' && isBelow(root, path) ? path.slice(root.length + 1) : path)

/** Whether the file is one that can be a page. */
export const isMarkdown = (path: string): boolean => /\.(md|markdown)$/i.test(path)

/** Whether a segment of the path (below the effective root) begins with a dot. */
export const isHidden = (key: string): boolean => key.startsWith('.') || key.includes('/.')

/** `%20` and friends decoded; null where the text is not valid percent-encoding or would smuggle in a NUL. */
export function decodePercent(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    const decoded = decodeURIComponent(text)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

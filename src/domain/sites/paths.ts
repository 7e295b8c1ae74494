import { MAX_SLUG_LENGTH, slugify } from '../../content/slug.js'
import { badRequest, conflict } from '../../kernel/errors.js'

/**
 * Checks a part of a site's URL that a user chose: it must be a slug (lower-case letters and digits of any script,
 * `-`, `_`, `.` and `+`), so that it is never empty, never `..`, and looks in a browser as it was typed.
 * @param field JSON pointer of the body's member
 */
export function checkPath(path: string, field: string): void {
  const slug = slugify(path)
  if (slug === path && !/^\.+$/.test(path)) return
  const better = /^\.*$/.test(slug) ? 'guides' : slug
  throw badRequest('This cannot be part of a URL.', [
    { path: field, message: `must be lower-case letters, digits, "-", "_", "." or "+", for example ${JSON.stringify(better)}` },
  ])
}

/** Throws 409 where a sibling has the path that a user chose. */
export function checkFree(path: string, taken: Iterable<string>, what: string): void {
  if (new Set(taken).has(path)) throw conflict(`The ${what} ${JSON.stringify(path)} is taken: choose another one.`)
}

/** A free path made from a title: its slug, or `fallback` where it has none; numbered where a sibling has it. */
export function derivedPath(title: string, taken: Iterable<string>, fallback: string): string {
  const used = new Set(taken)
  const slug = slugify(title)
  const wanted = /^\.*$/.test(slug) ? fallback : slug
  for (let n = 0; ; n++) {
    const suffix = n === 0 ? '' : `-${n}`
    const path =
      [...wanted]
        .slice(0, MAX_SLUG_LENGTH - suffix.length)
        .join('')
        .replace(/-+$/, '') + suffix
    if (!used.has(path)) return path
  }
}

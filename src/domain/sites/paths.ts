// Validates and derives the paths of sites, sections and spaces.
import { MAX_SLUG_LENGTH, slugify } from '../../content/slug.js'
import { badRequest, conflict } from '../../kernel/errors.js'

/**
 * Lowercase letters and digits of any script, `-`, `_`, `.`, `+`. It starts with a letter or digit, so it is never
 * `..`.
 */
const SLUG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._+-]*$/u

/**
 * Checks a part of a site's URL that a user chose. Browsers must show it as it was typed, and two parts must not differ
 * only in case. Throws 400.
 * @param field JSON pointer of the body's member
 */
export function checkPath(path: string, field: string): void {
  if (SLUG.test(path) && path === path.toLowerCase().normalize('NFC')) return
  throw badRequest('The path cannot be part of a URL.', [
    {
      path: field,
      message: `must consist of lowercase letters, digits, "-", "_", "." and "+", and start with a letter or digit, for example ${JSON.stringify(slugOf(path) || 'guides')}`,
    },
  ])
}

/** Converts a title to a part of a URL; '' if it has no letter or digit. */
const slugOf = (title: string): string => slugify(title).replace(/^[^\p{L}\p{N}]+/u, '')

/** Throws 409 if a sibling has the path that a user chose. */
export function checkFree(path: string, taken: Iterable<string>, what: string): void {
  if (new Set(taken).has(path)) throw conflict(`The ${what} ${JSON.stringify(path)} is taken. Choose another one.`)
}

/** Derives a free path from a title: its slug or `fallback`, with a number if a sibling has that path. */
export function derivedPath(title: string, taken: Iterable<string>, fallback: string): string {
  const used = new Set(taken)
  const base = slugOf(title) || fallback
  for (let n = 0; ; n++) {
    const suffix = n === 0 ? '' : `-${n}`
    const path =
      [...base]
        .slice(0, MAX_SLUG_LENGTH - suffix.length)
        .join('')
        .replace(/-+$/, '') + suffix
    if (!used.has(path)) return path
  }
}

// Derives slugs from titles and paths.
import { isMarkdown, nameOf } from './paths.js'

/** Maximum length of a slug, in characters. */
export const MAX_SLUG_LENGTH = 100

/**
 * Maximum length of a page's file name without its extension, in bytes of UTF-8. File systems allow 255; a number and
 * the extension follow.
 */
export const MAX_FILE_SLUG_BYTES = 200

/** Room for `-1`, `-2`…: a number would be cut off from a slug of maximum length, and no free name would be found. */
const ROOM_FOR_NUMBER = 8

/** Returns the name of a new file for a title, without its extension; '' if the title has no letter or digit. */
export function fileSlug(title: string): string {
  const chars = Array.from(slugify(title)).slice(0, MAX_SLUG_LENGTH - ROOM_FOR_NUMBER)
  while (Buffer.byteLength(chars.join('')) > MAX_FILE_SLUG_BYTES) chars.pop()
  return chars.join('')
}

/** Cuts `slug` to `length` characters without splitting one. Returns `fallback` if the result is empty, `.` or `..`. */
function bounded(slug: string, fallback: string, length = MAX_SLUG_LENGTH): string {
  const cut = slug.length <= length ? slug : Array.from(slug).slice(0, length).join('')
  return cut === '' || cut === '.' || cut === '..' ? fallback : cut
}

/**
 * Converts a text to a slug: lower case, `&` as `and`, dots kept, Latin letters without accents, all other letters
 * kept, and hyphens for everything else. Returns '' if the text has no letter or digit.
 */
export function slugify(text: string): string {
  const plain = text
    .slice(0, 1000)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .toLowerCase()
  return plain
    .replace(/&/g, ' and ')
    .replace(/['’ʼ]/g, '')
    .replace(/[^\p{L}\p{M}\p{N}._+]+/gu, '-')
    .replace(/^-+|-+$/g, '')
}

/**
 * Returns a page's slug, from its file's path below the effective root: the file name, for a README the folder name,
 * and for the root README `readme`.
 */
export function pageSlug(key: string): string {
  const name = nameOf(key)
  if (!/^readme\.md$/i.test(name))
    return bounded(isMarkdown(name) ? name.slice(0, name.lastIndexOf('.')) : name, 'page')
  const folder = nameOf(key.slice(0, Math.max(0, key.length - name.length - 1)))
  return bounded(folder, 'readme')
}

/** Returns a group's slug: the ID in its heading's anchor, else derived from its title. */
export function groupSlug(title: string, anchor?: string): string {
  const stored = (anchor ?? '').trim().replace(/[/\s]+/g, '-')
  return bounded(stored || slugify(title), 'group')
}

/** Returns the slug of an entry without a file: a link, a draft, a computed page. */
export const entrySlug = (title: string): string => bounded(slugify(title), 'page')

/** Makes slugs unique among siblings: the first one is kept, later ones get `-1`, `-2`… */
export class SlugSet {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  /** Takes `slug`, or the first free one with a number appended, and returns it. */
  take(slug: string): string {
    let free = slug
    for (let n = this.#next.get(slug) ?? 1; this.#taken.has(free); n++) {
      const suffix = `-${n}`
      free = bounded(slug, 'page', MAX_SLUG_LENGTH - suffix.length) + suffix
      this.#next.set(slug, n + 1)
    }
    this.#taken.add(free)
    return free
  }
}

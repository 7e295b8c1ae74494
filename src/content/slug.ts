import { isMarkdown, nameOf } from './paths.js'

/** Longest slug, in characters. */
export const MAX_SLUG_LENGTH = 100

/** Longest name of a page's file without its ending, in bytes of UTF-8: file systems take 255, and a number and the ending follow. */
export const MAX_FILE_SLUG_BYTES = 200

/** Room for `-1`, `-2`…: a number beyond the longest slug would be cut off again, and the next free name never found. */
const ROOM_FOR_NUMBER = 8

/** The slug of a title as the name of a new file, without its ending; '' where the title has no letter or digit. */
export function fileSlug(title: string): string {
  const chars = Array.from(slugify(title)).slice(0, MAX_SLUG_LENGTH - ROOM_FOR_NUMBER)
  while (Buffer.byteLength(chars.join('')) > MAX_FILE_SLUG_BYTES) chars.pop()
  return chars.join('')
}

/** `slug` cut to `length` characters, never through one, and never a path's `.` or `..`. */
function bounded(slug: string, fallback: string, length = MAX_SLUG_LENGTH): string {
  const cut = slug.length <= length ? slug : Array.from(slug).slice(0, length).join('')
  return cut === '' || cut === '.' || cut === '..' ? fallback : cut
}

/**
 * Text as a slug: lower case, `&` as `and`, dots kept, Latin letters without accents, all other letters as they are,
 * anything else a hyphen. '' where the text has no letter or digit.
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

/** A page's slug from its file's path below the effective root. Source: the content format, "Titles, slugs, paths, identity". */
export function pageSlug(key: string): string {
  const name = nameOf(key)
  if (!/^readme\.md$/i.test(name)) return bounded(isMarkdown(name) ? name.slice(0, name.lastIndexOf('.')) : name, 'page')
  const folder = nameOf(key.slice(0, Math.max(0, key.length - name.length - 1)))
  return bounded(folder, 'readme')
}

/** A group's slug: the ID stored in its heading's anchor, else its title. */
export function groupSlug(title: string, anchor?: string): string {
  const stored = (anchor ?? '').trim().replace(/[/\s]+/g, '-')
  return bounded(stored || slugify(title), 'group')
}

/** The slug of an entry that has no file of its own: a link, a draft, a computed page. */
export const entrySlug = (title: string): string => bounded(slugify(title), 'page')

/** Hands out slugs among siblings: the first keeps its own, later ones get `-1`, `-2`… */
export class SlugSet {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  /** `slug`, or the first free one with a number behind it. */
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

// A quick test of whether a text may link to one of some files. Finding the links of a page needs a markdown parser,
// and for most pages this test shows that parsing is unnecessary.
import { nameOf } from './paths.js'
import { TextTooCostly, type TextWork } from './work/text-work.js'

/** Characters that are written the same in every encoding of a target. */
const PLAIN = /[A-Za-z0-9_-]+/g

/**
 * The possible positions of a target, and more: after `](`, `]:`, `=` and `<`, up to the end of the line. Takes linear
 * time.
 */
const TARGETS = /(?:\]\(|\]:|=|<)[^\n]{1,2000}/g

/**
 * Maximum number of tokens that are searched for one by one. If there are more, each run in the text is looked up among
 * the tokens.
 */
const MAX_SEPARATE_SEARCHES = 20

/**
 * Returns the longest part of a file's name (for a README, its folder's name) that every spelling of a link to it
 * contains.
 */
function tokenOf(path: string): string {
  // `./` refers to the `index.md` of a folder, and the file can move alone.
  if (/(^|\/)index\.md$/i.test(path)) return ''
  const isReadme = /(^|\/)readme\.md$/i.test(path)
  const name = isReadme ? nameOf(path.replace(/\/?[^/]*$/, '')) || 'readme' : nameOf(path).replace(/\.[^.]*$/, '')
  // Use NFC: in NFD, the base letter of an accented letter would count as a plain character.
  return (name.normalize('NFC').match(PLAIN) ?? [])
    .reduce((best, run) => (run.length > best.length ? run : best), '')
    .toLowerCase()
}

/**
 * Returns tokens of which every text that links to one of the files contains at least one; null if any text may link to
 * them.
 */
function tokensOf(paths: Iterable<string>): ReadonlySet<string> | null {
  const tokens = new Set([...paths].map(tokenOf))
  return tokens.has('') ? null : tokens
}

/** Whether a text may link to one of the files of the tokens. Only the result false is certain. */
export function containsAny(text: string, tokens: ReadonlySet<string>): boolean {
  const targets = (text.match(TARGETS) ?? []).join('\n').toLowerCase()
  if (tokens.size <= MAX_SEPARATE_SEARCHES) return [...tokens].some((token) => targets.includes(token))
  return containsRun(targets, tokens) || containsRun(targets.replace(/%[0-9a-f]{2}/g, ' '), tokens)
}

/**
 * Returns the test for the files at `paths`. As with `containsAny`, only the result false is certain. Takes about ten
 * milliseconds per megabyte.
 */
export function mentionTest(paths: Iterable<string>): (text: string) => boolean {
  const tokens = tokensOf(paths)
  return (text) => tokens === null || containsAny(text, tokens)
}

/**
 * Maximum length of a text, in characters, that is searched on the main thread. Longer texts would block the event
 * loop.
 */
const MAX_MAIN_THREAD_LENGTH = 64 * 1024

/**
 * Returns the same test for texts of any length. A long text is searched in a thread; the result is true if that takes
 * too long.
 */
export function mentionSearch(
  paths: Iterable<string>,
  work: Pick<TextWork, 'mentions'>,
): (text: string) => Promise<boolean> {
  const tokens = tokensOf(paths)
  return async (text) => {
    if (tokens === null) return true
    if (text.length <= MAX_MAIN_THREAD_LENGTH) return containsAny(text, tokens)
    try {
      return await work.mentions(text, [...tokens])
    } catch (error) {
      if (error instanceof TextTooCostly) return true
      throw error
    }
  }
}

/**
 * Whether one of the text's runs is a token. Percent-encoded characters also separate runs; the caller replaces
 * them with spaces.
 */
function containsRun(text: string, tokens: ReadonlySet<string>): boolean {
  for (const [run] of text.matchAll(PLAIN)) if (tokens.has(run)) return true
  return false
}

// A quick test of whether a text may link to one of some files. Finding the links of a page needs a markdown parser, and for
// most pages this test shows that it is not worth it.
import { nameOf } from './paths.js'
import { TextTooCostly, type TextWork } from './work/text-work.js'

/** Characters that are written the same in every encoding of a target. */
const PLAIN = /[A-Za-z0-9_-]+/g

/** Wherever a target can be, and more: after `](`, `]:`, `=` and `<`, up to the end of the line. Takes linear time. */
const TARGETS = /(?:\]\(|\]:|=|<)[^\n]{1,2000}/g

/** Up to this many tokens are searched for one by one; for more, each run in the text is looked up among the tokens. */
const FEW = 20

/** The longest part of a file's name (for a README, its folder's name) that every spelling of a link to it contains. */
function tokenOf(path: string): string {
  // `./` means the `index.md` of a folder, and the file can move alone.
  if (/(^|\/)index\.md$/i.test(path)) return ''
  const isReadme = /(^|\/)readme\.md$/i.test(path)
  const name = isReadme ? nameOf(path.replace(/\/?[^/]*$/, '')) || 'readme' : nameOf(path).replace(/\.[^.]*$/, '')
  // NFC, since in NFD the base letter of an accented one would count as a plain character.
  return (name.normalize('NFC').match(PLAIN) ?? [])
    .reduce((best, run) => (run.length > best.length ? run : best), '')
    .toLowerCase()
}

/** The tokens of which a text that links to one of the files contains at least one; null if any text may link to them. */
function tokensOf(paths: Iterable<string>): ReadonlySet<string> | null {
  const tokens = new Set([...paths].map(tokenOf))
  return tokens.has('') ? null : tokens
}

/** Whether a text may link to one of the files of the tokens. If false, it certainly does not; if true, it may. */
export function containsAny(text: string, tokens: ReadonlySet<string>): boolean {
  const targets = (text.match(TARGETS) ?? []).join('\n').toLowerCase()
  if (tokens.size <= FEW) return [...tokens].some((token) => targets.includes(token))
  return holdsRun(targets, tokens) || holdsRun(targets.replace(/%[0-9a-f]{2}/g, ' '), tokens)
}

/** The test for the files at `paths`; like `containsAny`, only false is certain. Takes about ten milliseconds per megabyte. */
export function mentionTest(paths: Iterable<string>): (text: string) => boolean {
  const tokens = tokensOf(paths)
  return (text) => tokens === null || containsAny(text, tokens)
}

/** Longer texts (in characters) are searched in a thread, so that the event loop is not blocked. */
const LONG = 64 * 1024

/** The same test for texts of any length. A long text is searched in a thread; true if that takes too long. */
export function mentionSearch(
  paths: Iterable<string>,
  work: Pick<TextWork, 'mentions'>,
): (text: string) => Promise<boolean> {
  const tokens = tokensOf(paths)
  return async (text) => {
    if (tokens === null) return true
    if (text.length <= LONG) return containsAny(text, tokens)
    try {
      return await work.mentions(text, [...tokens])
    } catch (error) {
      if (error instanceof TextTooCostly) return true
      throw error
    }
  }
}

/** Whether one of the text's runs is a token. Percent-encoded characters also separate runs; the caller blanks them. */
function holdsRun(text: string, tokens: ReadonlySet<string>): boolean {
  for (const [run] of text.matchAll(PLAIN)) if (tokens.has(run)) return true
  return false
}

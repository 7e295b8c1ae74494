import { nameOf } from './paths.js'
import { TextTooCostly, type TextWork } from './work/text-work.js'

/** A run of characters that no encoding of a target changes. */
const PLAIN = /[A-Za-z0-9_-]+/g

/** Wherever a target can stand, and more: after `](`, `]:`, `=` and `<`, to the end of the line. Linear in the text. */
const TARGETS = /(?:\]\(|\]:|=|<)[^\n]{1,2000}/g

/** Tokens that are looked for one by one; of more, the text's own runs are looked up, which takes the same time for any number. */
const FEW = 20

/** The longest part of a file's name (for a README, its folder's) that stands in every spelling of a link to it. */
function tokenOf(path: string): string {
  const isReadme = /(^|\/)readme\.md$/i.test(path)
  const name = isReadme ? nameOf(path.replace(/\/?[^/]*$/, '')) || 'readme' : nameOf(path).replace(/\.[^.]*$/, '')
  // Composed, a letter with an accent is no plain one: apart, its first half would be.
  return (name.normalize('NFC').match(PLAIN) ?? []).reduce((best, run) => (run.length > best.length ? run : best), '').toLowerCase()
}

/** What is looked for in a text that may hold a link to one of some files; null where every text may. */
export function tokensOf(paths: Iterable<string>): ReadonlySet<string> | null {
  const tokens = new Set([...paths].map(tokenOf))
  return tokens.has('') ? null : tokens
}

/** Whether a text can hold a link to one of the files that the tokens are of. False is certain; true is a maybe. */
export function containsAny(text: string, tokens: ReadonlySet<string>): boolean {
  const targets = (text.match(TARGETS) ?? []).join('\n').toLowerCase()
  if (tokens.size <= FEW) return [...tokens].some((token) => targets.includes(token))
  return holdsRun(targets, tokens) || holdsRun(targets.replace(/%[0-9a-f]{2}/g, ' '), tokens)
}

/**
 * A quick test of whether a text can hold a link to one of some files: reading a page's links takes a markdown parser, and
 * most pages need not be asked. It takes some ten milliseconds for a megabyte.
 */
export function mentionTest(paths: Iterable<string>): (text: string) => boolean {
  const tokens = tokensOf(paths)
  return (text) => tokens === null || containsAny(text, tokens)
}

/** Longer texts are not looked through where everybody waits for it. Characters. */
const LONG = 64 * 1024

/** The same test for texts of any length: a long one is looked through by a thread. One that is too costly for that may hold anything. */
export function mentionSearch(paths: Iterable<string>, work: Pick<TextWork, 'mentions'>): (text: string) => Promise<boolean> {
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

/** Whether one of the text's runs is a token: percent-encoded characters, which part runs too, are for the caller to blank. */
function holdsRun(text: string, tokens: ReadonlySet<string>): boolean {
  for (const [run] of text.matchAll(PLAIN)) if (tokens.has(run)) return true
  return false
}

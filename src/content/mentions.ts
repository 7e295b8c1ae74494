import { nameOf } from './paths.js'

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

/**
 * A quick test of whether a text can hold a link to one of some files: reading a page's links takes a markdown parser, and
 * most pages need not be asked. False is certain; true is a maybe.
 */
export function mentionTest(paths: Iterable<string>): (text: string) => boolean {
  const tokens = new Set([...paths].map(tokenOf))
  if (tokens.has('')) return () => true
  return (text) => {
    const targets = (text.match(TARGETS) ?? []).join('\n').toLowerCase()
    if (tokens.size <= FEW) return [...tokens].some((token) => targets.includes(token))
    return holdsRun(targets, tokens) || holdsRun(targets.replace(/%[0-9a-f]{2}/g, ' '), tokens)
  }
}

/** Whether one of the text's runs is a token: percent-encoded characters, which part runs too, are for the caller to blank. */
function holdsRun(text: string, tokens: ReadonlySet<string>): boolean {
  for (const [run] of text.matchAll(PLAIN)) if (tokens.has(run)) return true
  return false
}

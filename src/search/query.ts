/** Splits a query into terms, and converts terms to a SQLite expression with the words of a space. */
import type { Expanded, Scope } from './scope.js'
import { textOf } from './space-file.js'
import { eachToken } from './tokens.js'
import { distance, formsOf, isCorrectable, maxMistakes } from './typos.js'

/** A word, or the character pairs of a run in a script without spaces. */
type Term = { word: string; last: boolean } | { pairs: readonly string[] }

/** Maximum number of terms in a query. Further ones are ignored. */
const MAX_TERMS = 12
/** Maximum number of pairs of one run. */
const MAX_PAIRS = 32

/** Returns the terms of a query. The last word may be unfinished. */
export function termsOf(query: string): Term[] {
  const terms: Term[] = []
  let run: string[] = []
  let end = -1
  const flush = (): void => {
    // The last character of a run is also a separate token. It adds nothing to its pair.
    if (run.length > 0) terms.push({ pairs: run.slice(0, Math.max(1, run.length - 1)).slice(0, MAX_PAIRS) })
    run = []
  }
  eachToken(query, (token) => {
    if (!token.pair || token.start >= end) flush()
    // The parts of a compound name follow the whole name.
    const isPart = !token.pair && token.start < end
    end = Math.max(end, token.end)
    if (token.pair) run.push(token.word)
    else if (!isPart) terms.push({ word: token.word, last: false })
  })
  flush()
  const seen = new Set<string>()
  const unique = terms
    .filter((term) => !seen.has(JSON.stringify(term)) && seen.add(JSON.stringify(term)))
    .slice(0, MAX_TERMS)
  const last = unique.at(-1)
  if (last && 'word' in last && /[\p{L}\p{M}\p{N}]$/u.test(query)) last.last = true
  return unique
}

/** Maximum number of corrections for a misspelled word. */
const MAX_CORRECTIONS = 5

// A word contains only letters, marks and digits (`tokens.ts`), so it needs no escaping.
const quoted = (word: string): string => `"${word}"`

/** Expands a term in a scope: to itself, to words that start with it, or (if there are none) to similar words. */
export function expand(scope: Scope, term: Term): Expanded {
  if ('pairs' in term) return expandPairs(scope, term.pairs)
  const { word, last } = term
  const words = new Set<string>()
  let prefix: string | null = null
  if (scope.hasWord(word)) words.add(word)
  if (last || words.size === 0) {
    if ([...word].length <= 2) for (const one of scope.wordsFrom(word)) words.add(one)
    else if (scope.hasWordFrom(word)) prefix = word
  }
  if (words.size === 0 && prefix === null) for (const one of corrections(scope, word)) words.add(one)
  const alternatives = [...words].map(quoted)
  if (prefix !== null) alternatives.push(`${quoted(prefix)}*`)
  return { expression: alternatives.length === 0 ? null : `(${alternatives.join(' OR ')})`, words, prefix, pairs: [] }
}

function expandPairs(scope: Scope, pairs: readonly string[]): Expanded {
  const [first = ''] = pairs
  if (pairs.length > 1 || [...first].length > 1)
    return { expression: `(${pairs.map(quoted).join(' + ')})`, words: new Set(), prefix: null, pairs }
  const words = new Set([first, ...scope.wordsFrom(first)])
  return { expression: `(${[...words].map(quoted).join(' OR ')})`, words, prefix: null, pairs: [] }
}

/** Returns the words of the scope that are most similar to a misspelled word. */
function corrections({ file, hasWord }: Scope, word: string): string[] {
  if (!isCorrectable(word)) return []
  const most = maxMistakes(word)
  const similar = file.rows<[string]>(
    `SELECT DISTINCT ${textOf('word')} FROM json_each(?) JOIN forms ON hash = value`,
    JSON.stringify(formsOf(word)),
  )
  const near = similar
    .map(([one]) => ({ one, far: distance(word, one, most) }))
    .filter(({ far: edits }) => edits <= most)
  const found = near.filter(({ one }) => hasWord(one))
  const nearest = Math.min(...found.map(({ far: edits }) => edits))
  return found
    .filter(({ far: edits }) => edits === nearest)
    .map(({ one }) => one)
    .sort()
    .slice(0, MAX_CORRECTIONS)
}

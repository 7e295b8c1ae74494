/** Marks matches in texts, and extracts the text around them. */
import { required } from '../kernel/defined.js'
import type { Expanded } from './scope.js'
import { eachToken, type Token } from './tokens.js'

/** The marker before and after a matched word. */
const MARK = '**'
/** Maximum length of a body, in characters, without markers. */
const MAX_BODY = 300
/** Maximum number of characters before the first match. */
const BEFORE = 60
/** Maximum number of characters of a section that are searched. */
const MAX_SEARCHED = 64 * 1024

interface Match {
  start: number
  end: number
  /** The index of the term. */
  term: number
}

/** Returns the matches of the query terms in a text, in order. */
export function matchesIn(text: string, terms: readonly Expanded[]): Match[] {
  const found: Match[] = []
  /** The last pairs, up to the length of the longest run in the query. */
  const recent: Token[] = []
  const longest = Math.max(0, ...terms.map(({ pairs }) => pairs.length))
  eachToken(text, (token) => {
    if (longest > 0) {
      recent.push(token)
      if (recent.length > longest) recent.shift()
    }
    for (const [term, { words, prefix, pairs }] of terms.entries()) {
      const run = pairs.length > 0 ? recent.slice(-pairs.length) : []
      if (words.has(token.word) || (prefix !== null && token.word.startsWith(prefix)))
        found.push({ start: token.start, end: token.end, term })
      else if (run.length > 0 && run.length === pairs.length && run.every(({ word }, index) => word === pairs[index]))
        found.push({ start: run[0]?.start ?? token.start, end: token.end, term })
    }
  })
  return found.sort((a, b) => a.start - b.start || b.end - a.end)
}

/**
 * Returns the part of a text with the most different terms, with marks; the start if there are no matches. White space
 * becomes single spaces.
 */
export function snippet(whole: string, terms: readonly Expanded[]): { body: string; matches: number } {
  const text = whole.slice(0, MAX_SEARCHED)
  const matches = matchesIn(text, terms)
  const first = bestWindow(matches)
  const start = first === null ? 0 : wordStart(text, Math.max(0, first.start - BEFORE), first.start)
  const end = wordEnd(text, Math.min(text.length, start + MAX_BODY), start)
  const body = marked(
    text,
    matches.filter((match) => match.start >= start && match.end <= end),
    [start, end],
  )
  return {
    body: `${start > 0 ? '…' : ''}${body.replace(/\s+/g, ' ').trim()}${end < whole.trimEnd().length ? '…' : ''}`,
    matches: matches.length,
  }
}

/** Returns a part of a text with marks around the matches. Adjacent and overlapping matches are marked as one. */
function marked(text: string, matches: readonly Match[], [start, end]: readonly [number, number]): string {
  let body = ''
  let at = start
  for (let i = 0; i < matches.length; ) {
    const from = required(matches[i]).start
    let to = from
    for (; i < matches.length && required(matches[i]).start <= Math.max(to, from); i++)
      to = Math.max(to, required(matches[i]).end)
    body += `${plain(text.slice(at, from))}${MARK}${text.slice(from, to)}${MARK}`
    at = to
  }
  return body + plain(text.slice(at, end))
}

/** Shortens text that looks like a marker. */
const plain = (text: string): string => text.replace(/\*{2,}/g, '*')

/** Returns the first match of the window with the most different terms. */
function bestWindow(matches: readonly Match[]): Match | null {
  let best: Match | null = null
  let most = 0
  let to = 0
  const counts = new Map<number, number>()
  for (const [from, match] of matches.entries()) {
    for (; to < matches.length && required(matches[to]).end <= match.start + MAX_BODY - BEFORE; to++)
      count(counts, required(matches[to]), 1)
    if (counts.size > most) {
      most = counts.size
      best = match
    }
    if (to > from) count(counts, match, -1)
    else to = from + 1
  }
  return best
}

function count(counts: Map<number, number>, { term }: Match, by: number): void {
  const now = (counts.get(term) ?? 0) + by
  if (now > 0) counts.set(term, now)
  else counts.delete(term)
}

/** Returns the start of the first whole word from `at` on, before `limit`. */
function wordStart(text: string, at: number, limit: number): number {
  if (at === 0) return 0
  const space = text.slice(at, limit).search(/\s/)
  return space < 0 ? surrogateSafe(text, at) : at + space + 1
}

/** Returns the end of the last whole word up to `at`. */
function wordEnd(text: string, at: number, from: number): number {
  if (at === text.length || /\s/.test(text.charAt(at))) return at
  const cut = text.slice(from, at).search(/\s\S{0,40}$/)
  return cut < 0 ? surrogateSafe(text, at) : from + cut
}

/** Moves an offset out of a surrogate pair. */
const surrogateSafe = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at)

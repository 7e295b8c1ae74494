/** Marks matches in texts, and cuts out what stands around them. */
import type { Expanded } from './scope.js'
import { eachToken, type Token } from './tokens.js'

/** What a matched word stands between. */
const MARK = '**'
/** Longest body, in characters, apart from marks. */
const MAX_BODY = 300
/** What of a body stands before its first match. */
const BEFORE = 60
/** How much of a section's text is looked at. */
const LOOKED_AT = 64 * 1024

interface Match {
  start: number
  end: number
  /** The number of the term. */
  term: number
}

/** Where the terms of a query are in a text, in order. */
export function matchesIn(text: string, terms: readonly Expanded[]): Match[] {
  const found: Match[] = []
  /** The last pairs, as many as the longest run of the query has. */
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

/** The part of a text with the most different terms, with marks; the beginning if there are none. White space becomes single spaces. */
export function snippet(whole: string, terms: readonly Expanded[]): { body: string; matches: number } {
  const text = whole.slice(0, LOOKED_AT)
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

/** A part of a text with marks around what matches; matches that touch or overlap are marked as one. */
function marked(text: string, matches: readonly Match[], [start, end]: readonly [number, number]): string {
  let body = ''
  let at = start
  for (let i = 0; i < matches.length; ) {
    const from = (matches[i] as Match).start
    let to = from
    for (; i < matches.length && (matches[i] as Match).start <= Math.max(to, from); i++)
      to = Math.max(to, (matches[i] as Match).end)
    body += `${plain(text.slice(at, from))}${MARK}${text.slice(from, to)}${MARK}`
    at = to
  }
  return body + plain(text.slice(at, end))
}

/** In the text itself, what looks like a mark is made shorter. */
const plain = (text: string): string => text.replace(/\*{2,}/g, '*')

/** The match from which on a body has the most different terms. */
function bestWindow(matches: readonly Match[]): Match | null {
  let best: Match | null = null
  let most = 0
  let to = 0
  const counts = new Map<number, number>()
  for (const [from, match] of matches.entries()) {
    for (; to < matches.length && (matches[to] as Match).end <= match.start + MAX_BODY - BEFORE; to++)
      count(counts, matches[to] as Match, 1)
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

/** The start of the first whole word from `at` on, before `limit`. */
function wordStart(text: string, at: number, limit: number): number {
  if (at === 0) return 0
  const space = text.slice(at, limit).search(/\s/)
  return space < 0 ? surrogateSafe(text, at) : at + space + 1
}

/** The end of the last whole word up to `at`. */
function wordEnd(text: string, at: number, from: number): number {
  if (at === text.length || /\s/.test(text.charAt(at))) return at
  const cut = text.slice(from, at).search(/\s\S{0,40}$/)
  return cut < 0 ? surrogateSafe(text, at) : from + cut
}

/** Not between the two halves of a character. */
const surrogateSafe = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at)

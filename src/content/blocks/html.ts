// Splits HTML in markdown into tags, comments and text.
import type { ConversionContext } from './context.js'
import type { Position } from './block.js'
import { decodeNamedCharacterReference } from 'decode-named-character-reference'
import { decodeNumericCharacterReference } from 'micromark-util-decode-numeric-character-reference'

/** An HTML token. Offsets refer to the tokenized text. */
export interface HtmlToken {
  type: 'text' | 'open' | 'close' | 'void' | 'comment'
  /** Lower-case element name; '' for text and comments. */
  name: string
  attributes: Record<string, string>
  start: number
  end: number
}

const VOID = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])
const TAG_START = /<(\/?)([A-Za-z][A-Za-z0-9-]*)/y
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{0,31}));/g

/** Decodes character references. Unknown references are kept. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal) return decodeNumericCharacterReference(decimal, 10)
    if (hex) return decodeNumericCharacterReference(hex, 16)
    return decodeNamedCharacterReference(name ?? '') || whole
  })
}

function readAttributes(text: string): Record<string, string> {
  const found = new Map<string, string>()
  for (const [, name, double, single, bare] of text.matchAll(ATTRIBUTE)) {
    if (name !== undefined && !found.has(name.toLowerCase()))
      found.set(name.toLowerCase(), decodeReferences(double ?? single ?? bare ?? ''))
  }
  return Object.fromEntries(found)
}

/**
 * Returns the offset after the `>` of the tag whose name ends at `at`. If it is not a tag, returns the negated offset
 * where the search stopped.
 */
function findTagEnd(text: string, at: number): number {
  for (let i = at; i < text.length; i++) {
    const char = text[i]
    if (char === '>') return i + 1
    if (char === '<') return -i
    if (char === '"' || char === "'") {
      i = text.indexOf(char, i + 1)
      if (i < 0) return -text.length
    }
  }
  return -text.length
}

/**
 * Splits HTML into tags, comments and text. Every character belongs to exactly one token. A `<` that does not start a
 * tag is text.
 */
export function tokenizeHtml(text: string): HtmlToken[] {
  const tokens: HtmlToken[] = []
  let textStart = 0
  const add = (
    type: HtmlToken['type'],
    name: string,
    attributes: Record<string, string>,
    start: number,
    end: number,
  ) => {
    if (start > textStart) tokens.push({ type: 'text', name: '', attributes: {}, start: textStart, end: start })
    tokens.push({ type, name, attributes, start, end })
    textStart = end
  }
  let noComment = false
  // Limits the time spent on text that turns out not to be a tag, so that `<a "<a "…` takes linear time. If the budget
  // is used up, the rest is text.
  let budget = 100_000 + 4 * text.length
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    if (text.startsWith('<!--', at) && !noComment) {
      const end = text.indexOf('-->', at + 4)
      if (end >= 0) {
        add('comment', '', {}, at, end + 3)
        at = end + 3
        continue
      }
      noComment = true
    }
    TAG_START.lastIndex = at
    const tag = TAG_START.exec(text)
    const nameEnd = TAG_START.lastIndex
    const end = tag ? findTagEnd(text, nameEnd) : -at
    if (!tag || end < 0) {
      if ((budget += at + end) < 0) break
      at++
      continue
    }
    const name = (tag[2] ?? '').toLowerCase()
    const type = tag[1] ? 'close' : VOID.has(name) || text[end - 2] === '/' ? 'void' : 'open'
    add(type, name, tag[1] ? {} : readAttributes(text.slice(nameEnd, end - 1)), at, end)
    at = end
  }
  if (textStart < text.length)
    tokens.push({ type: 'text', name: '', attributes: {}, start: textStart, end: text.length })
  return tokens
}

/** Returns the text of HTML without its tags and comments, with character references resolved. */
export const textOfHtml = (html: string): string =>
  tokenizeHtml(html)
    .filter(({ type }) => type === 'text')
    .map(({ start, end }) => decodeReferences(html.slice(start, end)))
    .join('')

/**
 * Returns the index of each token's partner, or -1. A closing tag is paired with the nearest open tag of its name. Open
 * tags between them stay unpaired.
 */
export function pairTokens(tokens: ReadonlyArray<Pick<HtmlToken, 'type' | 'name'>>): number[] {
  const pairs = new Array<number>(tokens.length).fill(-1)
  const open: number[] = []
  const waiting = new Map<string, number>()
  const count = (name: string, by: number) => waiting.set(name, (waiting.get(name) ?? 0) + by)
  tokens.forEach((token, index) => {
    if (token.type === 'open') {
      open.push(index)
      count(token.name, 1)
    } else if (token.type === 'close' && (waiting.get(token.name) ?? 0) > 0) {
      for (let top = open.pop(); top !== undefined; top = open.pop()) {
        const name = tokens[top]?.name ?? ''
        count(name, -1)
        if (name !== token.name) continue
        pairs[top] = index
        pairs[index] = top
        break
      }
    }
  })
  return pairs
}

/** Tokenized HTML. `place` returns the position in the page of one of its ranges. */
export interface HtmlSource {
  html: string
  tokens: HtmlToken[]
  pairs: number[]
  place(from: number, to: number): Position
  context: ConversionContext
}

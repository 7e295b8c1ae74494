/**
 * Masks tags `{% … %}` and expressions `{{ … }}` for a parser that does not support them, and restores them in its
 * tree.
 */
import { required } from '../../kernel/defined.js'
import type { Markdown } from './tree.js'

/** The placeholder for a masked character. A text that contains it is not masked. */
const HIDDEN = '\ue000'

/** A tag or an expression in the source. */
interface Token {
  type: 'tag' | 'templateExpression'
  start: number
  end: number
}

/** A masked range: an expression or tag within text, or a line that contains only tags. */
interface Hidden {
  start: number
  end: number
  tokens: readonly Token[]
  /**
   * `line`: a line of tags, replaced with a thematic break. Both may interrupt a paragraph, and both end with their
   * line. `bare`: not masked, because it is in code or in an HTML tag.
   */
  as: 'line' | 'text' | 'bare'
}

/** A text with masked tags and expressions. Offsets are unchanged. */
interface Masked {
  text: string
  hidden: readonly Hidden[]
}

/** A tag or expression on one line. It cannot contain another opening, but a tag may contain expressions. */
const TOKEN = /\{%(?:[^\n\r{%]|%(?!\})|\{(?!%))*%\}|\{\{(?:[^\n\r{}]|\}(?!\})|\{(?![{%]))*\}\}/g
/** Indentation and quote and list markers, which may precede a line of tags. */
const CONTAINERS = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*$/
/** Characters within a token that may interact with the surrounding syntax: code, HTML, table cells. */
const ENTANGLED = /[`<>|]/
/** The check box of a task. The start of the task's paragraph depends on the text after the check box. */
const CHECK_BOX = /\[[ xX\t]\][ \t]+$/

/**
 * Masks the tags and expressions of a text, except those that may interact with the surrounding syntax. Returns null if
 * the text cannot be masked.
 * @param bare offsets of tokens in code or HTML, which must not be masked
 */
export function mask(text: string, bare: ReadonlySet<number> = new Set()): Masked | null {
  if (!text.includes('{%') && !text.includes('{{')) return { text, hidden: [] }
  if (text.includes(HIDDEN)) return null
  const hidden = inLines(text, findTokens(text), bare)
  return { text: hide(text, hidden), hidden }
}

function findTokens(text: string): Token[] {
  const found: Token[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const { index, 0: source } = match
    found.push({ type: source[1] === '%' ? 'tag' : 'templateExpression', start: index, end: index + source.length })
  }
  return found
}

/** Joins the tags of each line that contains nothing else. */
function inLines(text: string, tokens: readonly Token[], bare: ReadonlySet<number>): Hidden[] {
  const isBare = ({ start, end }: Token): boolean =>
    bare.has(start) ||
    end - start === 4 ||
    text[start - 1] === '\\' ||
    ENTANGLED.test(text.slice(start, end)) ||
    CHECK_BOX.test(text.slice(Math.max(0, start - 8), start))
  const found: Hidden[] = []
  for (let i = 0; i < tokens.length; ) {
    const first = required(tokens[i])
    const lineStart = text.lastIndexOf('\n', first.start) + 1
    const lineEnd = endOfLine(text, first.end)
    let last = i
    while ((tokens[last + 1]?.start ?? lineEnd) < lineEnd) last++
    const own = tokens.slice(i, last + 1)
    const alone = CONTAINERS.test(text.slice(lineStart, first.start)) && isBlankBetween(text, own, lineEnd)
    if (alone && own.every((one) => one.type === 'tag' && !bare.has(one.start)))
      found.push({ start: first.start, end: own.at(-1)?.end ?? first.end, tokens: own, as: 'line' })
    else
      for (const token of own)
        found.push({ start: token.start, end: token.end, tokens: [token], as: isBare(token) ? 'bare' : 'text' })
    i = last + 1
  }
  return found
}

function endOfLine(text: string, from: number): number {
  const found = text.indexOf('\n', from)
  return found < 0 ? text.length : found
}

const isBlankBetween = (text: string, tokens: readonly Token[], lineEnd: number): boolean =>
  tokens.every((token, index) => text.slice(token.end, tokens[index + 1]?.start ?? lineEnd).trim() === '')

/**
 * Replaces a line of tags with a thematic break. Other tokens keep their braces, because delimiters depend on the
 * adjacent characters.
 */
function hide(text: string, hidden: readonly Hidden[]): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end, as } of hidden) {
    const source = text.slice(start, end)
    if (as !== 'bare')
      parts.push(text.slice(from, start), as === 'line' ? '___'.padEnd(source.length) : covered(source))
    else parts.push(text.slice(from, end))
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/** Covers a token and preserves white space, because the target of a link ends at white space. */
const covered = (source: string): string =>
  source.slice(0, 2) + HIDDEN + source.slice(3, -2).replace(/[^\sA-Za-z0-9]/g, HIDDEN) + source.slice(-2)

/**
 * The result of restoring tokens. `code` contains the offsets of tokens in code or in an HTML tag; they must not be
 * masked.
 */
type Unmasked = { done: true } | { done: false; code: ReadonlySet<number> | null }

/**
 * Restores the masked tokens in the tree of the masked text.
 * @param source the original text
 */
export function unmask(root: Markdown, masked: Masked, source: string): Unmasked {
  const { hidden } = masked
  if (hidden.length === 0) return { done: true }
  const state: State = { source, hidden, next: 0, code: new Set(), failed: false }
  restore(root, state)
  if (state.failed) return { done: false, code: null }
  if (state.code.size > 0) return { done: false, code: state.code }
  return state.next === hidden.length ? { done: true } : { done: false, code: null }
}

interface State {
  source: string
  hidden: readonly Hidden[]
  /** The index of the first token that is not restored yet. */
  next: number
  code: Set<number>
  failed: boolean
}

const LITERAL: ReadonlySet<string> = new Set(['code', 'inlineCode', 'html'])

function restore(parent: Markdown, state: State): void {
  const children: Markdown[] = []
  for (const node of parent.children ?? []) {
    const start = node.position?.start.offset ?? 0
    const end = node.position?.end.offset ?? 0
    const next = state.hidden[state.next]
    if (state.failed || next === undefined || next.start >= end) children.push(node)
    else if (next.start < start) state.failed = true
    else if (node.type === 'text') for (const one of splitText(node, start, end, state)) children.push(one)
    else if (node.type === 'thematicBreak' && next.as === 'line' && next.start === start) {
      for (const token of next.tokens) children.push(nodeOf(token, state.source))
      state.next++
    } else if (LITERAL.has(node.type)) {
      recordBare(node, end, state)
      children.push(node)
    } else {
      if (node.children) restore(node, state)
      else state.failed = true
      children.push(node)
    }
  }
  if (parent.children) parent.children = children
}

/**
 * Records tokens in a node that must not be masked. A line of tags may end HTML, which only the exact parser detects.
 */
function recordBare(node: Markdown, end: number, state: State): void {
  for (let next = state.hidden[state.next]; next !== undefined && next.start < end; next = state.hidden[++state.next]) {
    if (node.type === 'html' && next.as === 'line') state.failed = true
    if (next.as !== 'bare') for (const { start } of next.tokens) state.code.add(start)
  }
}

const nodeOf = ({ type, start, end }: Token, source: string): Markdown => ({
  type,
  value: source.slice(start, end),
  position: { start: { offset: start }, end: { offset: end } },
})

/** Splits a text node into texts, tags and expressions. */
function splitText(node: Markdown, start: number, end: number, state: State): Markdown[] {
  const children: Markdown[] = []
  let value = node.value ?? ''
  let from = start
  const addText = (text: string, to: number): void => {
    if (text !== '')
      children.push({ type: 'text', value: text, position: { start: { offset: from }, end: { offset: to } } })
  }
  for (let next = state.hidden[state.next]; next !== undefined && next.start < end; next = state.hidden[++state.next]) {
    const [token] = next.tokens
    const source = state.source.slice(next.start, next.end)
    const written = covered(source)
    const at = value.indexOf(written)
    if (next.as !== 'text' || at < 0 || !token) {
      state.failed = true
      return [node]
    }
    addText(value.slice(0, at), next.start)
    children.push(nodeOf(token, state.source))
    value = value.slice(at + written.length)
    from = next.end
  }
  addText(value, end)
  return children
}

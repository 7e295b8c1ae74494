/** Hides tags `{% … %}` and expressions `{{ … }}` from a parser that does not know them, and puts them into its tree. */
import type { Markdown } from './tree.js'

/** Stands for a hidden character. A text that contains it is not masked. */
const HIDDEN = '\ue000'

/** A tag or an expression of the source. */
interface Token {
  type: 'tag' | 'templateExpression'
  start: number
  end: number
}

/** What is hidden at one place: an expression or tag within text, or a line that has only tags. */
interface Hidden {
  start: number
  end: number
  tokens: readonly Token[]
  /**
   * `line`: a line of tags, for which a thematic break stands: both may interrupt a paragraph, and end with their line. `bare`: it is
   * not hidden, since it must stand in code or in a tag of HTML.
   */
  as: 'line' | 'text' | 'bare'
}

/** A text in which tags and expressions are hidden; offsets stay the same. */
interface Masked {
  text: string
  hidden: readonly Hidden[]
}

/** A tag or expression on one line. It cannot contain another opening, but a tag may contain expressions. */
const TOKEN = /\{%(?:[^\n\r{%]|%(?!\})|\{(?!%))*%\}|\{\{(?:[^\n\r{}]|\}(?!\})|\{(?![{%]))*\}\}/g
/** What may precede a line of tags: indentation, and markers of quotes and lists. */
const CONTAINERS = /^[ \t]*(?:(?:>|[-+*]|\d{1,9}[.)])[ \t]*)*$/
/** Within a token, these may take part in what stands around it: code, HTML, the cells of a table. */
const ENTANGLED = /[`<>|]/
/** What a task begins with: where its paragraph begins depends on what follows. */
const CHECK_BOX = /\[[ xX\t]\][ \t]+$/

/**
 * Hides the tags and expressions of a text, except those that may be entangled with what stands around them. Returns null for a text
 * in which nothing can be hidden.
 * @param bare offsets of what must not be hidden: it stands in code or HTML
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

/** Joins the tags of each line that has nothing else. */
function inLines(text: string, tokens: readonly Token[], bare: ReadonlySet<number>): Hidden[] {
  const isBare = ({ start, end }: Token): boolean =>
    bare.has(start) ||
    end - start === 4 ||
    text[start - 1] === '\\' ||
    ENTANGLED.test(text.slice(start, end)) ||
    CHECK_BOX.test(text.slice(Math.max(0, start - 8), start))
  const found: Hidden[] = []
  for (let i = 0; i < tokens.length; ) {
    const first = tokens[i] as Token
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

/** A line of tags becomes a thematic break. Of other tokens, the braces stay, since delimiters look at what stands beside them. */
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

/** White space stays, since the target of a link ends at it. */
const covered = (source: string): string =>
  source.slice(0, 2) + HIDDEN + source.slice(3, -2).replace(/[^\sA-Za-z0-9]/g, HIDDEN) + source.slice(-2)

/** What could not be put back: `code` has the offsets of what stands in code or in a tag of HTML, so that it must not be hidden. */
type Unmasked = { done: true } | { done: false; code: ReadonlySet<number> | null }

/**
 * Puts what was hidden into the tree of the masked text.
 * @param source the text that was masked
 */
export function unmask(root: Markdown, masked: Masked, source: string): Unmasked {
  const { hidden } = masked
  if (hidden.length === 0) return { done: true }
  const state: State = { source, hidden, next: 0, code: new Set(), failed: false }
  putBack(root, state)
  if (state.failed) return { done: false, code: null }
  if (state.code.size > 0) return { done: false, code: state.code }
  return state.next === hidden.length ? { done: true } : { done: false, code: null }
}

interface State {
  source: string
  hidden: readonly Hidden[]
  /** The first that is not yet put back. */
  next: number
  code: Set<number>
  failed: boolean
}

const LITERAL: ReadonlySet<string> = new Set(['code', 'inlineCode', 'html'])

function putBack(parent: Markdown, state: State): void {
  const made: Markdown[] = []
  for (const node of parent.children ?? []) {
    const start = node.position?.start.offset ?? 0
    const end = node.position?.end.offset ?? 0
    const next = state.hidden[state.next]
    if (state.failed || next === undefined || next.start >= end) made.push(node)
    else if (next.start < start) state.failed = true
    else if (node.type === 'text') for (const one of splitText(node, start, end, state)) made.push(one)
    else if (node.type === 'thematicBreak' && next.as === 'line' && next.start === start) {
      for (const token of next.tokens) made.push(nodeOf(token, state.source))
      state.next++
    } else if (LITERAL.has(node.type)) {
      leave(node, end, state)
      made.push(node)
    } else {
      if (node.children) putBack(node, state)
      else state.failed = true
      made.push(node)
    }
  }
  if (parent.children) parent.children = made
}

/** Records that what is hidden in a node must not be. A line of tags may end HTML, which only the other parser knows. */
function leave(node: Markdown, end: number, state: State): void {
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

/** A text node as texts, tags and expressions. */
function splitText(node: Markdown, start: number, end: number, state: State): Markdown[] {
  const made: Markdown[] = []
  let value = node.value ?? ''
  let from = start
  const addText = (text: string, to: number): void => {
    if (text !== '')
      made.push({ type: 'text', value: text, position: { start: { offset: from }, end: { offset: to } } })
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
    made.push(nodeOf(token, state.source))
    value = value.slice(at + written.length)
    from = next.end
  }
  addText(value, end)
  return made
}

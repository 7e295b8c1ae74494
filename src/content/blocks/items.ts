/** Finds the tags and HTML elements that contain blocks among the markdown nodes of one level, and pairs them. */
import { required } from '../../kernel/defined.js'
import { parseTag, type Tag } from './tag.js'
import { type HtmlToken, tokenizeHtml } from './html.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { findTag, isKnownTag } from './tags.js'

interface Range {
  start: number
  end: number
}
/** A child of a container before tags are paired. Offsets refer to the region. */
export type Item = Range &
  (
    | { kind: 'node'; node: Markdown }
    | { kind: 'open' | 'close'; name: string; tag?: Tag; html?: HtmlToken }
    | { kind: 'summary'; inner: Range }
    | { kind: 'part' }
  )

/** The name under which `<details>` is paired. No tag can have this name. */
export const DETAILS = '<details>'
const DETAILS_HTML = /<\/?(?:details|summary)\b/i

/**
 * Returns a node's source. Spaces replace the container prefixes of each line (`> `, indentation), so that offsets stay
 * the same.
 */
export function cleanSource(node: Markdown, at: Range, text: string): string {
  const raw = text.slice(at.start, at.end)
  const value = node.value ?? ''
  if (raw === value) return raw
  const values = value.split('\n')
  return raw
    .split('\n')
    .map((line, index) => {
      const own = values[index] ?? ''
      return line.endsWith(own) ? ' '.repeat(line.length - own.length) + own : line
    })
    .join('\n')
}

/** Whether sibling nodes include tags or HTML that may have to be paired. */
export const mayHaveTags = (nodes: readonly Markdown[]): boolean =>
  nodes.some(
    ({ type, children }) =>
      type === 'tag' ||
      type === 'html' ||
      (type === 'paragraph' && children?.some((child) => child.type === 'tag') === true),
  )

/** Turns sibling nodes into items: takes tags out of paragraphs, and `<details>` out of HTML. */
export function toItems(nodes: readonly Markdown[], text: string): Item[] {
  const list = new ItemList(text)
  for (const node of nodes) list.add(node)
  return list.items
}

/** The items of one level. */
class ItemList {
  readonly items: Item[] = []
  /** The number of open tags by name. An end tag within text counts only if a tag of its name is open. */
  readonly #open = new Map<string, number>()

  constructor(readonly text: string) {}

  add(node: Markdown): void {
    const at = findOffsets(node)
    if (!at) return
    const tag = node.type === 'tag' ? parseTag(node.value ?? '') : null
    if (tag) this.#addTag(tag, at)
    else if (node.type === 'paragraph' && node.children?.some((child) => child.type === 'tag'))
      this.#splitParagraph(node, at)
    else if (node.type === 'list' && this.#open.size > 0) this.#splitList(node, at)
    else if (node.type === 'html' && DETAILS_HTML.test(node.value ?? '')) {
      const found = splitHtml(cleanSource(node, at, this.text), at.start)
      // If nothing was split off, keep the node. Parsing it again as a part would never end.
      if (found.some((one) => one.kind !== 'part')) for (const item of found) this.items.push(item)
      else this.items.push({ kind: 'node', node, ...at })
    } else this.items.push({ kind: 'node', node, ...at })
  }

  #addTag(tag: Tag, at: Range): void {
    const kind = tag.closing ? 'close' : 'open'
    this.#open.set(tag.name, Math.max(0, (this.#open.get(tag.name) ?? 0) + (tag.closing ? -1 : 1)))
    this.items.push({ kind, name: tag.name, tag, ...at })
  }

  #isOpen(name: string): boolean {
    return (this.#open.get(name) ?? 0) > 0
  }

  /**
   * Moves an indented end tag out of a list. Markdown puts it into the last item, but it closes a tag that was opened
   * before the list.
   */
  #splitList(list: Markdown, whole: Range): void {
    const { text, items } = this
    const source = text.slice(whole.start, whole.end)
    const inside = new Map<string, boolean>()
    const isInside = (name: string): boolean => {
      if (!inside.has(name)) inside.set(name, new RegExp(`\\{%-?\\s*${name}\\b`).test(source))
      return inside.get(name) === true
    }
    const ends = lastTags(list).filter(({ tag, at }) => {
      if (!tag.closing || !isKnownTag(tag.name) || !this.#isOpen(tag.name)) return false
      return /\n[ \t]*$/.test(text.slice(Math.max(whole.start, at.start - 200), at.start)) && !isInside(tag.name)
    })
    const [first] = ends
    if (!first) return void items.push({ kind: 'node', node: list, ...whole })
    items.push({
      kind: 'part',
      start: whole.start,
      end: whole.start + text.slice(whole.start, first.at.start).trimEnd().length,
    })
    for (const { tag, at } of ends) this.#addTag(tag, at)
  }

  #splitParagraph(paragraph: Markdown, whole: Range): void {
    let part: Markdown[] = []
    let start = whole.start
    let lineStart = true
    const flush = (end: number) => {
      this.#addParagraph(part, { start, end })
      part = []
    }
    for (const child of paragraph.children ?? []) {
      const at = findOffsets(child)
      const tag = child.type === 'tag' && at ? parseTag(child.value ?? '') : null
      const structural = tag && (tag.closing ? this.#isOpen(tag.name) : lineStart && isKnownTag(tag.name))
      if (tag && at && structural) {
        flush(at.start)
        this.#addTag(tag, at)
        start = at.end
        lineStart = true
      } else {
        const blank = child.type === 'text' && child.value?.trim() === ''
        lineStart =
          child.type === 'break' ||
          (child.type === 'text' && /\n\s*$/.test(child.value?.slice(-200) ?? '')) ||
          (blank && lineStart)
        part.push(child)
      }
    }
    flush(whole.end)
  }

  /** Adds the text between two tags as a paragraph, unless it is blank. */
  #addParagraph(phrasing: readonly Markdown[], { start, end }: Range): void {
    const children = trimText(phrasing)
    const from = start + this.text.slice(start, end).search(/\S|$/)
    const to = from + this.text.slice(from, end).trimEnd().length
    if (children.length === 0 || to <= from) return
    const position = { start: { offset: from }, end: { offset: to } }
    this.items.push({ kind: 'node', node: { type: 'paragraph', children, position }, start: from, end: to })
  }
}

/** Returns the tags at the end of a node, in order. */
function lastTags(node: Markdown): Array<{ tag: Tag; at: Range }> {
  let inner = node
  while (inner.type !== 'paragraph' && inner.children?.length && inner.children.at(-1)?.type !== 'tag')
    inner = required(inner.children.at(-1))
  const tags: Array<{ tag: Tag; at: Range }> = []
  for (const child of (inner.children ?? []).toReversed()) {
    const tag = child.type === 'tag' ? parseTag(child.value ?? '') : null
    const at = findOffsets(child)
    if (tag && at) tags.push({ tag, at })
    else if (child.type !== 'break' && (child.type !== 'text' || (child.value ?? '').trim() !== '')) break
  }
  return tags.reverse()
}

/** Removes white space at both ends of phrasing. */
function trimText(nodes: readonly Markdown[]): Markdown[] {
  const idle = (node: Markdown | undefined) =>
    node !== undefined && (node.type === 'break' || (node.type === 'text' && (node.value ?? '').trim() === ''))
  let from = 0
  let to = nodes.length
  while (from < to && idle(nodes[from])) from++
  while (to > from && idle(nodes[to - 1])) to--
  const trimmed = nodes.slice(from, to)
  const first = trimmed[0]
  if (first?.type === 'text') trimmed[0] = { ...first, value: (first.value ?? '').trimStart() }
  const last = trimmed.at(-1)
  if (last?.type === 'text') trimmed[trimmed.length - 1] = { ...last, value: (last.value ?? '').trimEnd() }
  return trimmed
}

function splitHtml(html: string, base: number): Item[] {
  const tokens = tokenizeHtml(html)
  const items: Item[] = []
  let from = 0
  const add = (item: Item, next: number) => {
    const before = html.slice(from, item.start - base)
    const start = base + from + before.search(/\S|$/)
    if (before.trim() !== '') items.push({ kind: 'part', start, end: start + before.trim().length })
    items.push(item)
    from = next
  }
  for (let i = 0; i < tokens.length; i++) {
    const token = required(tokens[i])
    const at = { start: base + token.start, end: base + token.end }
    if (token.name === 'details' && token.type !== 'void')
      add({ kind: token.type === 'open' ? 'open' : 'close', name: DETAILS, html: token, ...at }, token.end)
    if (token.name !== 'summary' || token.type !== 'open') continue
    const close = tokens.findIndex((other, index) => index > i && other.name === 'summary')
    const end = tokens[close]
    if (end?.type !== 'close') continue
    add(
      { kind: 'summary', inner: { start: at.end, end: base + end.start }, start: at.start, end: base + end.end },
      end.end,
    )
    i = close
  }
  const rest = html.slice(from)
  const start = base + from + rest.search(/\S|$/)
  if (rest.trim() !== '') items.push({ kind: 'part', start, end: start + rest.trim().length })
  return items
}

interface Pairing {
  /** For each item, the index of the item that closes it, or -1. */
  end: number[]
  /** Whether the closing item only implies the end and is not part of the block. */
  implied: boolean[]
}

/** Pairs opening and closing items in linear time. Items without a partner stay unpaired. */
export function pairItems(items: readonly Item[]): Pairing {
  const end = new Array<number>(items.length).fill(-1)
  const implied = new Array<boolean>(items.length).fill(false)
  const stack: Array<{ index: number; name: string }> = []
  const open = new Map<string, number>()
  const pop = (at: number, name: string) => {
    const top = stack.pop()
    if (!top) return true
    open.set(top.name, (open.get(top.name) ?? 0) - 1)
    if (top.name === name) end[top.index] = at
    else if (findTag(top.name)?.part) {
      end[top.index] = at
      implied[top.index] = true
    }
    return top.name === name
  }
  items.forEach((item, index) => {
    if (item.kind === 'open') {
      if (findTag(item.name)?.part) closeSibling(item.name, index)
      stack.push({ index, name: item.name })
      open.set(item.name, (open.get(item.name) ?? 0) + 1)
    } else if (item.kind === 'close' && (open.get(item.name) ?? 0) > 0) {
      while (!pop(index, item.name));
    }
  })
  return { end, implied }

  /**
   * Ends an open part where the next part of the same name starts, if only blocks that need no end tag are open in it.
   */
  function closeSibling(name: string, index: number): void {
    let top = stack.length - 1
    while (top >= 0 && alone(stack[top]?.name ?? '')) top--
    if (stack[top]?.name !== name) return
    while (stack.length > top) {
      const popped = stack[stack.length - 1]?.index ?? 0
      pop(index, name)
      if (stack.length === top) implied[popped] = true
    }
  }
}

function alone(name: string): boolean {
  const row = findTag(name)
  return row ? row.end !== 'required' : name !== DETAILS
}

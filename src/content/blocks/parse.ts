/** Parses the markdown of a page into a block tree. */
import { required } from '../../kernel/defined.js'
import type { BlockNode, DocumentNode } from '../types.js'
import type { ConversionContext } from './context.js'
import { htmlInlines } from './inline.js'
import { knownBlock, rawBlock, unknownBlock } from './convert-tag.js'
import { markdownBlocks } from './convert-markdown.js'
import { DETAILS, type Item, mayHaveTags, pairItems, toItems } from './items.js'
import { MAX_DEPTH } from './limits.js'
import type { Markdown } from '../gfm/tree.js'
import { parseMarkdown } from './markdown.js'
import { assignKeys, plainText, text } from './node.js'
import { block, type Position, settlePositions } from './block.js'
import { endToSource, lineFinder, partOf, type Region, toSource, wholeRegion } from './region.js'
import { findTag } from './tags.js'
import { verbatimDocument } from './verbatim.js'
import { MAX_NODES, pageLimit } from './weight.js'

/** The version of the document format. It increases if the meaning of a type changes. */
export const SCHEMA_VERSION = 1

interface Page {
  source: string
  read: (region: Region) => Markdown
  lineOf: (offset: number) => number
  definitions: Map<string, Markdown>
}

/**
 * Parses a page's body into a block tree. Offsets in `data.position` are UTF-16 units into `markdown`. Never throws:
 * parts that are too costly to parse (too deep, too many brackets) are kept as source text. A page that exceeds the
 * limits of `weight.ts` becomes a single code block, and `data.limit` gives the reason. The same text always gives the
 * same tree and keys.
 * @param read parses the markdown of a region; tests pass another parser to compare the two
 */
export function parseDocument(markdown: string, read: (region: Region) => Markdown = parseMarkdown): DocumentNode {
  const limit = pageLimit(markdown)
  if (limit !== null) return verbatimDocument(markdown, limit, SCHEMA_VERSION)
  const page: Page = { source: markdown, read, lineOf: lineFinder(markdown), definitions: new Map() }
  let nodes: BlockNode[]
  try {
    nodes = parseRegion(page, wholeRegion(markdown), 0)
    settlePositions(nodes, 0, markdown.length, markdown)
  } catch {
    // The text exhausted the parser's stack.
    return verbatimDocument(
      markdown,
      'It is nested too deeply to be parsed. Nest lists and quotes less deeply.',
      SCHEMA_VERSION,
    )
  }
  if (assignKeys(nodes, MAX_NODES) < 0)
    return verbatimDocument(
      markdown,
      `It has more than ${MAX_NODES} blocks, links and texts. Split it into smaller pages.`,
      SCHEMA_VERSION,
    )
  return { object: 'document', data: { schemaVersion: SCHEMA_VERSION }, nodes }
}

function parseRegion(page: Page, region: Region, depth: number): BlockNode[] {
  const root = page.read(region)
  if (region.text.includes(']:')) findDefinitions(root, page.definitions)
  return blocksOf(root.children ?? [], new RegionContext(page, region, depth))
}

/** Collects link definitions. If a label is defined more than once, the first definition wins. */
function findDefinitions(root: Markdown, definitions: Map<string, Markdown>): void {
  const pending = [...(root.children ?? [])].reverse()
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'definition' && node.identifier !== undefined && !definitions.has(node.identifier))
      definitions.set(node.identifier, node)
    if (node.children && node.type !== 'paragraph') for (const child of node.children.toReversed()) pending.push(child)
  }
}

/** A region of a page at a nesting depth. */
class RegionContext implements ConversionContext {
  #deeper: ConversionContext | null = null

  constructor(
    readonly page: Page,
    readonly region: Region,
    readonly depth: number,
  ) {}

  get definitions(): Map<string, Markdown> {
    return this.page.definitions
  }

  position(start: number, end: number): Position {
    const from = toSource(this.region, start)
    return { start: from, end: Math.max(from, endToSource(this.region, end)), line: this.page.lineOf(from) }
  }

  slice(position: Position): string {
    return this.page.source.slice(position.start, position.end)
  }

  deeper(): ConversionContext {
    this.#deeper ??= new RegionContext(this.page, this.region, this.depth + 1)
    return this.#deeper
  }

  blocks(nodes: readonly Markdown[]): BlockNode[] {
    return blocksOf(nodes, this.deeper())
  }

  part(start: number, end: number): BlockNode[] {
    return parseRegion(this.page, partOf(this.region, start, end), this.depth + 1)
  }
}

function blocksOf(nodes: readonly Markdown[], context: ConversionContext): BlockNode[] {
  if (context.depth <= MAX_DEPTH && !mayHaveTags(nodes)) {
    const blocks: BlockNode[] = []
    for (const node of nodes) for (const one of markdownBlocks(node, context)) blocks.push(one)
    return blocks
  }
  const items = toItems(nodes, context.region.text)
  return new PairedItems(items, context).range(0, items.length, context)
}

/** The items of one level with their pairs, which are turned into blocks. */
class PairedItems {
  readonly #pairing: ReturnType<typeof pairItems>

  constructor(
    readonly items: readonly Item[],
    readonly context: ConversionContext,
  ) {
    this.#pairing = pairItems(items)
  }

  /** Returns the blocks of the items `from` to `to`. The context is that of their depth. */
  range(from: number, to: number, context: ConversionContext): BlockNode[] {
    const { items } = this
    const { end, implied } = this.#pairing
    const first = items[from]
    const last = items[to - 1]
    if (!first || !last || from >= to) return []
    if (context.depth > MAX_DEPTH) return [rawBlock(context, context.position(first.start, last.end))]
    const out: BlockNode[] = []
    for (let i = from; i < to; i++) {
      const item = required(items[i])
      const until = end[i] ?? -1
      if (item.kind !== 'open' || until < 0) {
        out.push(...alone(item, context))
        continue
      }
      const position = context.position(
        item.start,
        implied[i] ? required(items[until - 1]).end : required(items[until]).end,
      )
      const close = implied[i] ? null : required(items[until])
      out.push(
        item.name === DETAILS
          ? this.#expandable(item, i, until, position, context)
          : this.#tagged(item, close, position, this.range(i + 1, until, context.deeper())),
      )
      i = implied[i] ? until - 1 : until
    }
    return out
  }

  #tagged(
    item: Item & { kind: 'open' | 'close' },
    close: Item | null,
    position: Position,
    children: BlockNode[],
  ): BlockNode {
    const { context } = this
    const tag = item.tag ?? { name: item.name, closing: false, body: '' }
    const row = findTag(item.name)
    const known = row ? knownBlock(row, tag, children, position) : null
    const at = {
      position,
      open: context.position(item.start, item.end),
      close: close ? context.position(close.start, close.end) : null,
    }
    return known ?? unknownBlock(tag, children, at, context)
  }

  #expandable(
    item: Item & { kind: 'open' | 'close' },
    index: number,
    until: number,
    position: Position,
    context: ConversionContext,
  ): BlockNode {
    const summary = this.items[index + 1]
    const titled = summary?.kind === 'summary' && until > index + 1
    const title = titled ? [summaryBlock(summary, context)] : []
    const children = this.range(index + (titled ? 2 : 1), until, context.deeper())
    const attributes = item.html?.attributes ?? {}
    const data = { title: plainText(title), open: attributes['open'] !== undefined, attributes }
    return block('expandable', position, data, [...title, ...children])
  }
}

function summaryBlock(item: Item & { kind: 'summary' }, context: ConversionContext): BlockNode {
  const inner = context.region.text.slice(item.inner.start, item.inner.end)
  return block('expandable-title', context.position(item.start, item.end), {}, htmlInlines(inner, context))
}

/** Returns the blocks of an item without a partner. */
function alone(item: Item, context: ConversionContext): BlockNode[] {
  if (item.kind === 'node') return markdownBlocks(item.node, context)
  if (item.kind === 'part') return context.part(item.start, item.end)
  const position = context.position(item.start, item.end)
  if (item.kind === 'summary' || !item.tag)
    return [block('html', position, { html: context.slice(position) }, [text(context.slice(position))])]
  const row = item.kind === 'open' ? findTag(item.name) : null
  const known = row && row.end !== 'required' ? knownBlock(row, item.tag, [], position) : null
  return [known ?? unknownBlock(item.tag, [], { position, open: position, close: null }, context)]
}

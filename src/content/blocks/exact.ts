/**
 * The exact parser: micromark with Bindery's syntax, in windows. It supports every construct and takes about a hundred
 * times as long as the native parser.
 */
import type { Literal } from 'mdast'
import { gfm } from 'micromark-extension-gfm'
import { fromMarkdown, type Extension as FromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import type { Construct, Extension, ParseContext } from 'micromark-util-types'
import { readWindows, SENTINEL } from '../windows.js'
import type { Scan } from './limits.js'
import type { Markdown } from '../gfm/tree.js'
import { blockSyntax } from './syntax.js'

/** A node of Bindery's syntax (`syntax.ts`). Its value is its source. */
interface Sourced<T extends string> extends Literal {
  type: T
}

declare module 'mdast' {
  interface RootContentMap {
    tag: Sourced<'tag'>
    templateExpression: Sourced<'templateExpression'>
    mathText: Sourced<'mathText'>
    mathFlow: Sourced<'mathFlow'>
  }
}

type Enter = NonNullable<FromMarkdown['enter']>[string]
const literal = (type: (typeof KINDS)[number]): Enter =>
  function (token) {
    this.enter({ type, value: '' }, token)
  }
const leave: Enter = function (token) {
  const node = this.stack.at(-1)
  if (node && 'value' in node) node.value = this.sliceSerialize(token)
  this.exit(token)
}
const KINDS = ['tag', 'templateExpression', 'mathText', 'mathFlow'] as const
const ours: FromMarkdown = {
  enter: Object.fromEntries(KINDS.map((kind) => [kind, literal(kind)])),
  exit: Object.fromEntries(KINDS.map((kind) => [kind, leave])),
}

const GFM = gfm()
const GFM_TREE = gfmFromMarkdown()

/** Minimum length of a window, in characters. */
const WINDOW = 4096

/** The labels that are defined anywhere in the text, in the parser's normalized form. */
interface Labels {
  definitions: string[]
  footnotes: string[]
}

/**
 * A construct that never matches. It runs before all others and gives the parser the labels that other windows define.
 */
function withLabels(labels: Labels): Extension {
  const passLabels: Construct = {
    tokenize(_, __, nok) {
      const parser: ParseContext & { gfmFootnotes?: string[] } = this.parser
      parser.defined = labels.definitions
      parser.gfmFootnotes = labels.footnotes
      return nok
    },
  }
  return { document: { null: passLabels, 91: passLabels } }
}

/**
 * Parses a text: CommonMark, GFM, and the nodes `tag`, `templateExpression`, `mathText` and `mathFlow` with their
 * source as value. `least` is the minimum window length (see `windows.ts`); it does not change the result.
 */
export function parseExactly(
  text: string,
  { off, lastFence }: Pick<Scan, 'off' | 'lastFence'>,
  least = WINDOW,
): Markdown {
  const labels: Labels = { definitions: [], footnotes: [] }
  const count = (): number => labels.definitions.length + labels.footnotes.length
  let line = 0
  const windows = readWindows(text, least, (start, end, sentinel) => {
    const before = { definitions: labels.definitions.length, footnotes: labels.footnotes.length }
    const window = { start, end, sentinel, lastFence: lastFence - line }
    const nodes = parseWindow(text, window, off, labels)
    if (nodes === null) {
      labels.definitions.length = before.definitions
      labels.footnotes.length = before.footnotes
      return null
    }
    line += countLines(text, start, end)
    return { window, nodes, known: count() }
  })
  const all = count()
  const children = windows.flatMap(({ window, nodes, known }) => {
    // Labels that a later window defines can turn brackets in this window into links.
    if (known === all || !text.slice(window.start, window.end).includes('[')) return nodes
    return (
      parseWindow(text, window, off, { definitions: [...labels.definitions], footnotes: [...labels.footnotes] }) ??
      nodes
    )
  })
  return { type: 'root', children }
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i)
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) lines++
  }
  return lines
}

/**
 * Returns the nodes of a window, with offsets into the whole text. Returns null if a node is still open at the end of
 * the window.
 */
function parseWindow(
  text: string,
  { start, end, sentinel, lastFence }: { start: number; end: number; sentinel: boolean; lastFence: number },
  off: readonly string[],
  labels: Labels,
): Markdown[] | null {
  const root = fromMarkdown(text.slice(start, end) + (sentinel ? SENTINEL : ''), {
    extensions: [GFM, blockSyntax(off, lastFence), withLabels(labels)],
    mdastExtensions: [GFM_TREE, ours],
  }) as unknown as Markdown
  const nodes = root.children ?? []
  if (sentinel) {
    const last = nodes.pop()
    if (last?.type !== 'paragraph' || last.position?.start.offset !== end - start) return null
  }
  if (start > 0) shift(nodes, start)
  return nodes
}

function shift(nodes: readonly Markdown[], by: number): void {
  const pending = [...nodes]
  for (let node = pending.pop(); node; node = pending.pop()) {
    const { position } = node
    if (position?.start.offset !== undefined) position.start.offset += by
    if (position?.end.offset !== undefined) position.end.offset += by
    if (node.children) for (const child of node.children) pending.push(child)
  }
}

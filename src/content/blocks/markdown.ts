import { gfm } from 'micromark-extension-gfm'
import { fromMarkdown, type Extension as FromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { scan } from './limits.js'
import type { Region } from './region.js'
import { blockSyntax } from './syntax.js'

/** A node of the markdown tree, of any kind. */
export interface Markdown {
  type: string
  value?: string
  children?: Markdown[]
  position?: { start: { offset?: number }; end: { offset?: number } }
  url?: string
  title?: string | null
  alt?: string | null
  depth?: number
  ordered?: boolean | null
  start?: number | null
  checked?: boolean | null
  spread?: boolean | null
  lang?: string | null
  meta?: string | null
  identifier?: string
  label?: string | null
  referenceType?: string
  align?: Array<string | null>
}

type Enter = NonNullable<FromMarkdown['enter']>[string]
const literal = (type: string): Enter =>
  function (token) {
    this.enter({ type, value: '' } as never, token)
  }
const leave: Enter = function (token) {
  const node = this.stack.at(-1) as unknown as Markdown
  node.value = this.sliceSerialize(token)
  this.exit(token)
}
const KINDS = ['tag', 'templateExpression', 'mathText', 'mathFlow']
const ours: FromMarkdown = {
  enter: Object.fromEntries(KINDS.map((kind) => [kind, literal(kind)])),
  exit: Object.fromEntries(KINDS.map((kind) => [kind, leave])),
}

/** Parses the text of a region: CommonMark, GFM, and nodes `tag`, `templateExpression`, `mathText`, `mathFlow` with their source as value. */
export function parseMarkdown(region: Region): Markdown {
  const { off, lastFence, tooMany } = scan(region.text)
  if (tooMany) return { type: 'root', children: [{ type: 'verbatim', position: { start: { offset: 0 }, end: { offset: region.text.length } } }] }
  return fromMarkdown(region.text, {
    extensions: [gfm(), blockSyntax(off, lastFence)],
    mdastExtensions: [gfmFromMarkdown(), ours],
  }) as unknown as Markdown
}

/** Offsets of a node in its region; a node that a transform made has none and answers null. */
export function findOffsets(node: Markdown): { start: number; end: number } | null {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  return start === undefined || end === undefined ? null : { start, end }
}

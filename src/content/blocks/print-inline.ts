/** Prints inline nodes as markdown phrasing. */
import { required } from '../../kernel/defined.js'
import type { Markdown } from '../gfm/tree.js'
import type { Inline, Mark } from './node.js'
import { inlineTags, markTags, stringOf, urlOf } from './print-html.js'
import { isKnownTag } from './tags.js'
import { ownMember } from '../../kernel/guards.js'

/** The context for printing an inline node. */
export interface Printing {
  /** URLs of link definitions, by lower-case label. */
  definitions: ReadonlyMap<string, string>
  /** Whether the node is in a table cell, which cannot contain line ends. */
  cell?: true
}

/** A node that is printed without escaping. */
export const raw = (value: string): Markdown => ({ type: 'verbatim', value })

/** A text or node with its marks. `marks` is null if it has no text, and then takes the surrounding marks. */
interface InlinePart {
  marks: Mark[] | null
  text?: string
  node?: Inline & { object: 'inline' }
}

const same = (a: Mark | undefined, b: Mark | undefined): boolean =>
  a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b)

function shared(a: Mark[] | null, b: Mark[] | null): Mark[] | null {
  if (a === null || b === null) return a ?? b
  let length = 0
  while (length < a.length && same(a[length], b[length])) length++
  return a.slice(0, length)
}

/**
 * Returns the marks that are written around an inline node; null if it contains no text. Code marks are written within
 * it, because nothing else has a meaning between backticks.
 */
function marksAround(nodes: readonly Inline[]): Mark[] | null {
  const marks = marksOf(nodes)
  if (marks === null) return null
  const code = marks.findIndex(({ type }) => type === 'code')
  return code < 0 ? marks : marks.slice(0, code)
}

/** Returns the marks that all text in the nodes has in common; null if there is no text. */
function marksOf(nodes: readonly Inline[]): Mark[] | null {
  return nodes.reduce<Mark[] | null>(
    (marks, node) =>
      node.object === 'text'
        ? node.leaves.reduce<Mark[] | null>((some, leaf) => (leaf.text === '' ? some : shared(some, leaf.marks)), marks)
        : shared(marks, marksOf(node.nodes)),
    null,
  )
}

/** Converts inline nodes to markdown phrasing. `skip` is the number of outer marks that are already written. */
export function phrasing(nodes: readonly Inline[], printing: Printing, skip = 0): Markdown[] {
  const parts = nodes.flatMap((node): InlinePart[] => {
    if (node.object === 'inline') return [{ marks: marksAround(node.nodes), node }]
    return node.leaves.flatMap(({ text, marks }) => (text === '' ? [] : [{ marks, text }]))
  })
  parts.forEach((part, index) => {
    if (part.marks !== null) return
    const after = parts.slice(index + 1).find((one) => one.marks !== null)?.marks
    part.marks = shared(parts[index - 1]?.marks ?? [], after ?? [])
  })
  return group(
    parts.map((part, index) => ({ ...part, marks: outside(part, parts[index - 1], parts[index + 1]) })),
    skip,
    new Set(),
    printing,
  )
}

/**
 * Returns the marks that are written around a part. The marks of a link's text stay within the link, unless the
 * adjacent text has them too.
 */
function outside(
  { marks, node }: InlinePart,
  before: InlinePart | undefined,
  after: InlinePart | undefined,
): Mark[] | null {
  if (marks === null || node?.type !== 'link' || typeof node.data['html'] === 'string') return marks
  const adjacent = [before, after].map((part) => shared(marks, part?.marks ?? [])?.length ?? 0)
  return marks.slice(0, Math.max(...adjacent))
}

const MARKDOWN: Record<string, string> = { bold: 'strong', italic: 'emphasis', strikethrough: 'delete' }

function group(
  parts: readonly InlinePart[],
  depth: number,
  active: ReadonlySet<string>,
  printing: Printing,
): Markdown[] {
  const out: Markdown[] = []
  for (let i = 0; i < parts.length; ) {
    const part = required(parts[i])
    const mark = part.marks?.[depth]
    if (!mark) {
      out.push(...(part.node ? element(part.node, printing, depth) : words(part.text ?? '')))
      i++
      continue
    }
    let end = i + 1
    while (end < parts.length && same(parts[end]?.marks?.[depth], mark)) end++
    const code = mark.type === 'code' && end === i + 1 && part.text !== undefined && part.marks?.length === depth + 1
    const type = MARKDOWN[mark.type]
    if (code && !/[\r\n]/.test(part.text ?? '')) out.push({ type: 'inlineCode', value: part.text ?? '' })
    else {
      const children = group(parts.slice(i, end), depth + 1, new Set([...active, mark.type]), printing)
      const tags = markTags(mark)
      if (type && !active.has(mark.type)) out.push({ type, children })
      else out.push(raw(tags.open), ...children, raw(tags.close))
    }
    i = end
  }
  return out
}

/** Converts a text. Expressions of other template languages (`{{ x }}`, `{% x %}` within a line) are not escaped. */
function words(text: string): Markdown[] {
  return text.split(/(\{\{[^{}%\r\n|]*\}\}|(?<=[^\s{])[ ]?\{%[^{}%\r\n|]*%\})/).flatMap((part, index): Markdown[] => {
    const name = /^[ ]?\{%-?\s*([\w/.-]*)/.exec(part)?.[1]
    if (part === '') return []
    return index % 2 === 1 && !(name !== undefined && isKnownTag(name)) ? [raw(part)] : [{ type: 'text', value: part }]
  })
}

function element(node: Inline & { object: 'inline' }, printing: Printing, depth: number): Markdown[] {
  const { type, data } = node
  const inner = () => phrasing(node.nodes, printing, depth)
  const label = stringOf(data['label'])
  const html = typeof data['html'] === 'string'
  if (type === 'html-inline') return [raw(stringOf(data['html']))]
  if (type === 'math') return [raw(`$$${stringOf(data['formula'])}$$`)]
  if (type === 'footnote-reference') return [{ type: 'footnoteReference', identifier: label, label }]
  if (type === 'hard-break' && !html && !printing.cell) return [{ type: 'break' }]
  const title = data['mention'] === true ? 'mention' : stringOf(data['title'])
  const target = { url: urlOf(data), ...(title ? { title } : {}) }
  const reference = data['reference']
  const used = stringOf(ownMember(reference, 'label'))
  const defined = printing.definitions.get(used.toLowerCase().replace(/\s+/g, ' ').trim()) === target.url
  const link = defined
    ? { identifier: used, label: used, referenceType: stringOf(ownMember(reference, 'type')) || 'full' }
    : target
  if (type === 'link' && !html) return [{ type: defined ? 'linkReference' : 'link', ...link, children: inner() }]
  if (type === 'annotation' && !html)
    return [
      { type: 'link', ...target, children: inner() },
      { type: 'footnoteReference', identifier: label, label },
    ]
  if (type === 'inline-image' && !html && !data['srcDark'] && !data['size'] && !data['width'] && !data['height'])
    return [{ type: defined ? 'imageReference' : 'image', ...link, alt: stringOf(data['alt']) }]
  const tags = inlineTags(node) ?? { open: '', close: '' }
  return [raw(tags.open), ...inner(), ...(tags.close ? [raw(tags.close)] : [])]
}

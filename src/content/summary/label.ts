/** Changes the title or target of an entry within its line. */
import { required } from '../../kernel/defined.js'
import type { Link, LinkReference, PhrasingContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { type TargetStyle, encodeHeading, encodePlainTitle, encodeTarget, encodeTitle, nestedGroup } from './encode.js'
import { splitLoose } from './inline.js'
import type { Block } from './scan.js'

/** A replacement of `text.slice(start, end)`. */
interface Splice {
  start: number
  end: number
  text: string
}

export const splice = (text: string, { start, end, text: put }: Splice): string =>
  text.slice(0, start) + put + text.slice(end)

/** Returns the source of a block's inline content, without the blocks in it. */
function sourceOf(text: string, block: Block): string {
  if (!block.text.includes('\n')) return text.slice(block.textStart, block.textStart + block.text.length)
  return text.slice(block.textStart, block.ownEnd).trimEnd()
}

function linkIn(nodes: readonly PhrasingContent[]): Link | LinkReference | null {
  for (const node of nodes) {
    if (node.type === 'link' || node.type === 'linkReference') return node
    const found = 'children' in node ? linkIn(node.children) : null
    if (found) return found
  }
  return null
}

interface Label {
  node: Link | LinkReference | null
  /** The range of the text between the brackets in the source. */
  from: number
  to: number
  /** The end of the whole inline content. */
  end: number
}

function labelOf(source: string, definitions: ReadonlyMap<string, string>): Label {
  const known = definitions.size === 0 ? '' : `\n\n${[...definitions.values()].join('\n')}`
  const first = fromMarkdown(source + known).children[0]
  const children = first?.type === 'paragraph' || first?.type === 'heading' ? first.children : []
  const end = Math.min(first?.position?.end.offset ?? source.length, source.length)
  const node = linkIn(children)
  if (!node) return { node, from: 0, to: end, end }
  const start = required(required(node.position).start.offset)
  return { node, from: start + 1, to: node.children.at(-1)?.position?.end.offset ?? start + 1, end }
}

/**
 * Returns the splice that replaces a title. Markup in the old title is lost; the target, link title and anchor are
 * preserved.
 */
export function titleSplice(
  text: string,
  block: Block,
  definitions: ReadonlyMap<string, string>,
  title: string,
): Splice {
  const source = sourceOf(text, block)
  const at = (start: number, end: number, put: string): Splice => ({
    start: block.textStart + start,
    end: block.textStart + end,
    text: put,
  })
  // An underlined heading starts like a paragraph.
  const heading = text.slice(block.start, block.textStart).includes('#') ? encodeHeading : encodePlainTitle
  if (block.kind === 'group') return at(0, source.search(/[ \t]*<a\s|$/i), heading(title))
  const { node, from, to, end } = labelOf(source, definitions)
  if (node?.type === 'linkReference' && node.referenceType !== 'full') {
    return at(
      required(required(node.position).start.offset),
      required(required(node.position).end.offset),
      `[${encodeTitle(title)}][${node.label ?? node.identifier}]`,
    )
  }
  if (node && source[from - 1] === '<')
    return at(
      from - 1,
      required(required(node.position).end.offset),
      `[${encodeTitle(title)}](${source.slice(from, to)})`,
    )
  if (node) return at(from, to, encodeTitle(title))
  const loose = splitLoose(source)
  return loose
    ? at(1, loose.title.length + 1, encodeTitle(title))
    : at(0, nestedGroup(source)?.start ?? end, encodePlainTitle(title))
}

/**
 * Returns the splice that replaces, adds (to an item without a link) or removes (`href: null`) an entry's target. The
 * link title is preserved.
 */
export function targetSplice(
  text: string,
  block: Block,
  definitions: ReadonlyMap<string, string>,
  { title, href, habit }: { title: string; href: string | null; habit: TargetStyle },
): Splice {
  const source = sourceOf(text, block)
  const at = (start: number, end: number, put: string): Splice => ({
    start: block.textStart + start,
    end: block.textStart + end,
    text: put,
  })
  const { node, from, to, end } = labelOf(source, definitions)
  const loose = node ? null : splitLoose(source)
  if (href === null) return at(0, node ? required(required(node.position).end.offset) : end, encodePlainTitle(title))
  const target = encodeTarget(href, habit)
  if (loose) return at(loose.targetStart, loose.targetStart + loose.target.length, target)
  if (!node) return at(0, end, `[${encodeTitle(title)}](${target})`)
  const destination = node.type === 'link' ? destinationIn(source, to) : null
  if (destination) return at(destination.from, destination.to, target)
  const whole = source[from - 1] === '<' ? encodeTitle(title) : source.slice(from, to)
  return at(from - 1, required(required(node.position).end.offset), `[${whole}](${target})`)
}

/**
 * Returns the range of the link destination after the `]` at `bracket`: `<…>`, or up to white space or the closing
 * parenthesis.
 */
function destinationIn(source: string, bracket: number): { from: number; to: number } | null {
  const opening = /\]\([ \t\r\n]*/y
  opening.lastIndex = bracket
  if (!opening.test(source)) return null
  const from = opening.lastIndex
  if (source[from] === '<') {
    const angle = /<(?:[^<>\\\r\n]|\\.)*>/y
    angle.lastIndex = from
    return angle.test(source) ? { from, to: angle.lastIndex } : null
  }
  let depth = 0
  let to = from
  for (; to < source.length; to++) {
    const char = required(source[to])
    if (char === '\\') to++
    else if (char <= ' ' || (char === ')' && depth === 0)) break
    else if (char === '(') depth++
    else if (char === ')') depth--
  }
  return { from, to: Math.min(to, source.length) }
}

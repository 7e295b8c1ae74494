/** Converts phrasing (text, links, images, inline HTML) to inline nodes. */
import { required } from '../../kernel/defined.js'
import type { ConversionContext } from './context.js'
import { decodeReferences, type HtmlToken, pairTokens, tokenizeHtml } from './html.js'
import { voidElement, wrapElement } from './inline-html.js'
import { MAX_DEPTH } from './limits.js'
import { findOffsets, type Markdown } from '../gfm/tree.js'
import { append, type Inline, inline, type Mark, mark, plainText, text } from './node.js'
import { referenceOf } from './reference.js'

const MARKS: Record<string, string> = { strong: 'bold', emphasis: 'italic', delete: 'strikethrough' }

/** Returns a node's HTML token. An html node contains one tag; anything else in it counts as a comment. */
function asToken(node: Markdown): HtmlToken {
  const token = node.type === 'html' ? tokenizeHtml(node.value ?? '')[0] : undefined
  return token && token.type !== 'text'
    ? token
    : { type: node.type === 'html' ? 'comment' : 'text', name: '', attributes: {}, start: 0, end: 0 }
}

function sourceText(node: Markdown, context: ConversionContext): string {
  const at = findOffsets(node)
  return node.value ?? (at ? context.region.text.slice(at.start, at.end) : '')
}

function linkData(node: Markdown, context: ConversionContext): Record<string, unknown> | null {
  const target = node.identifier === undefined ? node : context.definitions.get(node.identifier)
  if (!target) return null
  const title = target.title ?? undefined
  const data: Record<string, unknown> = { ref: referenceOf(target.url ?? '') }
  if (title === 'mention') data['mention'] = true
  else if (title !== undefined) data['title'] = title
  if (node.identifier !== undefined)
    data['reference'] = { label: node.label ?? node.identifier, type: node.referenceType }
  return data
}

const NO_TOKENS: readonly HtmlToken[] = []
const NO_PAIRS: readonly number[] = []
const NOTE_LINK = /^#user-content-fn-/

/** Converts phrasing to inline nodes. HTML tags are paired among siblings; a tag without a partner is kept as written. */
export function inlines(
  nodes: readonly Markdown[],
  context: ConversionContext,
  marks: Mark[] = [],
  depth = 0,
): Inline[] {
  const [only] = nodes
  if (nodes.length === 1 && only?.type === 'text') return only.value ? [text(only.value, marks)] : []
  const tokens = nodes.some((node) => node.type === 'html') ? nodes.map(asToken) : NO_TOKENS
  const pairs = tokens.length > 0 ? pairTokens(tokens) : NO_PAIRS
  return range(0, nodes.length, marks, depth)

  function range(from: number, to: number, marks: Mark[], depth: number): Inline[] {
    const out: Inline[] = []
    for (let i = from; i < to; i++) {
      const node = required(nodes[i])
      const next = nodes[i + 1]
      const partner = pairs[i] ?? -1
      if (node.type === 'html' && partner > i && depth < MAX_DEPTH) {
        const raw = { open: node.value ?? '', close: nodes[partner]?.value ?? '' }
        for (const converted of wrapElement(required(tokens[i]), raw, marks, (inner) =>
          range(i + 1, partner, inner, depth + 1),
        ))
          append(out, converted)
        i = partner
      } else if (node.type === 'html') append(out, voidElement(required(tokens[i]), node.value ?? ''))
      else if (node.type === 'link' && isAnnotation(node, next)) {
        append(
          out,
          inline(
            'annotation',
            { label: next?.label ?? next?.identifier, ref: referenceOf(node.url ?? '') },
            inner(node, context, marks, depth),
          ),
        )
        i++
      } else if (node.type === 'text') {
        if (node.value) append(out, text(node.value, marks))
      } else for (const converted of convert(node, context, marks, depth)) append(out, converted)
    }
    return out
  }
}

function inner(node: Markdown, context: ConversionContext, marks: Mark[], depth: number): Inline[] {
  if (depth < MAX_DEPTH) return inlines(node.children ?? [], context, marks, depth + 1)
  return [text(sourceText(node, context), marks)]
}

/** Converts a node that is not HTML. */
function convert(node: Markdown, context: ConversionContext, marks: Mark[], depth: number): Inline[] {
  const markType = MARKS[node.type]
  if (markType) return inner(node, context, [...marks, mark(markType)], depth)
  switch (node.type) {
    case 'text':
      return node.value ? [text(node.value, marks)] : []
    case 'inlineCode':
      return [text(node.value ?? '', [...marks, mark('code')])]
    case 'break':
      return [inline('hard-break', {})]
    case 'mathText':
      return [
        inline('math', { formula: (node.value ?? '').slice(2, -2) }, [text((node.value ?? '').slice(2, -2), marks)]),
      ]
    case 'footnoteReference':
      return [inline('footnote-reference', { label: node.label ?? node.identifier })]
    case 'link':
    case 'linkReference': {
      const data = linkData(node, context)
      return data ? [inline('link', data, inner(node, context, marks, depth))] : inner(node, context, marks, depth)
    }
    case 'image':
    case 'imageReference': {
      const data = linkData(node, context)
      return [inline('inline-image', { ...data, alt: node.alt ?? '' })]
    }
    default:
      return [text(sourceText(node, context), marks)]
  }
}

const isAnnotation = (link: Markdown, next: Markdown | undefined): boolean =>
  next?.type === 'footnoteReference' && NOTE_LINK.test(link.url ?? '')

/** Converts HTML (of a table cell or caption) to inline nodes, as if each tag were in a paragraph. */
export function htmlInlines(html: string, context: ConversionContext): Inline[] {
  const nodes = tokenizeHtml(html).map((token): Markdown => {
    const value = html.slice(token.start, token.end)
    return token.type === 'text'
      ? { type: 'text', value: decodeReferences(value).replace(/\s+/g, ' ') }
      : { type: 'html', value }
  })
  const list = trimmed(inlines(nodes, context))
  const only = list[0]
  return list.length === 1 && only?.object === 'inline' && only.type === 'line' ? only.nodes : list
}

/** Removes white space and line breaks at both ends. */
function trimmed(list: Inline[]): Inline[] {
  const idle = (node: Inline | undefined): boolean =>
    node !== undefined && (node.object === 'text' ? plainText([node]).trim() === '' : node.type === 'hard-break')
  let from = 0
  let to = list.length
  while (from < to && idle(list[from])) from++
  while (to > from && idle(list[to - 1])) to--
  return list.slice(from, to)
}

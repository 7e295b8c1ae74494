import type { Context } from './context.js'
import { decodeReferences, type HtmlToken, pairTokens, tokenizeHtml } from './html.js'
import { voidElement, wrapElement } from './inline-html.js'
import { MAX_DEPTH } from './limits.js'
import { findOffsets, type Markdown } from './markdown.js'
import { append, type Inline, inline, type Mark, mark, plainText, text } from './node.js'
import { referenceOf } from './reference.js'

const MARKS: Record<string, string> = { strong: 'bold', emphasis: 'italic', delete: 'strikethrough' }

/** One html node holds one tag; anything else in it is taken as a comment. */
function asToken(node: Markdown): HtmlToken {
  const token = node.type === 'html' ? tokenizeHtml(node.value ?? '')[0] : undefined
  return token && token.type !== 'text' ? token : { type: node.type === 'html' ? 'comment' : 'text', name: '', attributes: {}, start: 0, end: 0 }
}

function sourceText(node: Markdown, context: Context): string {
  const at = findOffsets(node)
  return node.value ?? (at ? context.region.text.slice(at.start, at.end) : '')
}

function linkData(node: Markdown, context: Context): Record<string, unknown> | null {
  const target = node.identifier === undefined ? node : context.definitions.get(node.identifier)
  if (!target) return null
  const title = target.title ?? undefined
  return {
    ref: referenceOf(target.url ?? ''),
    ...(title === undefined || title === 'mention' ? {} : { title }),
    ...(title === 'mention' ? { mention: true } : {}),
    ...(node.identifier === undefined ? {} : { reference: { label: node.label ?? node.identifier, type: node.referenceType } }),
  }
}

const NOTE_LINK = /^#user-content-fn-/

/** Converts phrasing to inline nodes and text leaves. HTML tags pair among siblings; those without a partner stay verbatim. */
export function inlines(nodes: readonly Markdown[], context: Context, marks: Mark[] = [], depth = 0): Inline[] {
  const tokens = nodes.map(asToken)
  const pairs = pairTokens(tokens)
  return range(0, nodes.length, marks, depth)

  function range(from: number, to: number, marks: Mark[], depth: number): Inline[] {
    const out: Inline[] = []
    for (let i = from; i < to; i++) {
      const node = nodes[i] as Markdown
      const token = tokens[i] as HtmlToken
      const partner = pairs[i] ?? -1
      if (node.type === 'html' && partner > i && depth < MAX_DEPTH) {
        const raw = { open: node.value ?? '', close: nodes[partner]?.value ?? '' }
        for (const made of wrapElement(token, raw, marks, (inner) => range(i + 1, partner, inner, depth + 1))) append(out, made)
        i = partner
      } else if (node.type === 'html') append(out, voidElement(token, node.value ?? ''))
      else if (node.type === 'link' && isAnnotation(node, nodes[i + 1])) {
        append(
          out,
          inline('annotation', { label: nodes[i + 1]?.label ?? nodes[i + 1]?.identifier, ref: referenceOf(node.url ?? '') }, children(node, marks, depth)),
        )
        i++
      } else for (const made of one(node, marks, depth)) append(out, made)
    }
    return out
  }

  function children(node: Markdown, marks: Mark[], depth: number): Inline[] {
    if (depth < MAX_DEPTH) return inlines(node.children ?? [], context, marks, depth + 1)
    return [text(sourceText(node, context), marks)]
  }

  function one(node: Markdown, marks: Mark[], depth: number): Inline[] {
    const markType = MARKS[node.type]
    if (markType) return children(node, [...marks, mark(markType)], depth)
    switch (node.type) {
      case 'text':
        return node.value ? [text(node.value, marks)] : []
      case 'inlineCode':
        return [text(node.value ?? '', [...marks, mark('code')])]
      case 'break':
        return [inline('hard-break', {})]
      case 'mathText':
        return [inline('math', { formula: (node.value ?? '').slice(2, -2) }, [text((node.value ?? '').slice(2, -2), marks)])]
      case 'footnoteReference':
        return [inline('footnote-reference', { label: node.label ?? node.identifier })]
      case 'link':
      case 'linkReference': {
        const data = linkData(node, context)
        return data ? [inline('link', data, children(node, marks, depth))] : children(node, marks, depth)
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
}

const isAnnotation = (link: Markdown, next: Markdown | undefined): boolean => next?.type === 'footnoteReference' && NOTE_LINK.test(link.url ?? '')

/** Converts a piece of HTML (a table cell, a caption) to inlines, as if each tag stood in a paragraph. */
export function htmlInlines(html: string, context: Context): Inline[] {
  const nodes = tokenizeHtml(html).map((token): Markdown => {
    const value = html.slice(token.start, token.end)
    return token.type === 'text' ? { type: 'text', value: decodeReferences(value).replace(/\s+/g, ' ') } : { type: 'html', value }
  })
  const list = trimmed(inlines(nodes, context))
  const only = list[0]
  return list.length === 1 && only?.object === 'inline' && only.type === 'line' ? only.nodes : list
}

/** Without white space and line breaks at both ends. */
function trimmed(list: Inline[]): Inline[] {
  const idle = (node: Inline | undefined): boolean =>
    node !== undefined && (node.object === 'text' ? plainText([node]).trim() === '' : node.type === 'hard-break')
  let from = 0
  let to = list.length
  while (from < to && idle(list[from])) from++
  while (to > from && idle(list[to - 1])) to--
  return list.slice(from, to)
}

/**
 * Processes the HTML that authors wrote between and around blocks: parses it like a browser, reduces it to the allow
 * list, and resolves its links and images.
 */
import type { Root, RootContent } from 'hast'
import { raw } from 'hast-util-raw'
import { allowed } from './allow-list.js'
import { h } from './element.js'
import type { Html, HtmlElement, RenderContext } from './types.js'

/** A piece of HTML as written, or nodes that were rendered from adjacent blocks. */
export type Piece = { html: string } | { nodes: Html[] }

/**
 * Joins HTML as written with rendered nodes. The HTML may open an element in one piece and close it in another, but it
 * cannot close an element around all pieces. For parsing, an empty element represents each rendered node.
 */
export function joinHtml(pieces: readonly Piece[], context: RenderContext): Html[] {
  if (!pieces.some((piece) => 'html' in piece)) return pieces.flatMap((piece) => ('nodes' in piece ? piece.nodes : []))
  const slots: Html[][] = []
  const children = pieces.map((piece): RootContent => {
    if ('html' in piece) return { type: 'raw', value: piece.html } as unknown as RootContent
    slots.push(piece.nodes)
    return h('bindery-slot', { dataSlot: String(slots.length - 1) })
  })
  const parsed = raw({ type: 'root', children }) as Root
  const clean = allowed(
    { type: 'root', children: parsed.children.filter((child) => child.type !== 'doctype') },
    context.options.medium === 'site' ? 'siteAuthors' : 'authors',
  )
  const used = new Set<number>()
  const joined = settle(clean.children, { slots, used, context })
  // Nodes that the HTML swallowed (an unclosed comment, a table) are still shown.
  return [...joined, ...slots.flatMap((nodes, index) => (used.has(index) ? [] : nodes))]
}

interface Joining {
  slots: Html[][]
  used: Set<number>
  context: RenderContext
}

function settle(nodes: readonly Html[], joining: Joining): Html[] {
  return nodes.flatMap((node): Html[] => {
    if (node.type !== 'element') return [node]
    if (node.tagName === 'bindery-slot') {
      const index = Number(node.properties['dataSlot'])
      // The parser moves content after an unclosed element into that element.
      const after = settle(node.children, joining)
      if (joining.used.has(index)) return after
      joining.used.add(index)
      return [...(joining.slots[index] ?? []), ...after]
    }
    const resolvedNode = resolved({ ...node, children: settle(node.children, joining) }, joining.context)
    return resolvedNode ? [resolvedNode] : []
  })
}

function resolved(node: HtmlElement, { options }: RenderContext): HtmlElement | null {
  const properties = { ...node.properties }
  const { href, src, id } = properties
  // IDs of the interface of sites start with `ui~`.
  if (typeof id === 'string') properties['id'] = options.idPrefix + id.replace(/^ui~+/, '')
  if (typeof href === 'string') {
    const target = options.targets.link(href)
    if (target) properties['href'] = target.href
    else delete properties['href']
  }
  if (node.tagName === 'source') return null
  if (node.tagName === 'img') {
    const found = typeof src === 'string' ? options.targets.image(src) : null
    if (found === null)
      return missingImage(
        String(properties['alt'] ?? ''),
        typeof src === 'string' ? src : '',
        options.targets.link.bind(options.targets),
      )
    properties['src'] = found
  }
  if (node.tagName === 'details' && options.layOpen) properties['open'] = true
  return { ...node, properties }
}

/** Returns a replacement for an image that cannot be loaded: its text, as a link to the image if possible. */
export function missingImage(alt: string, url: string, link: (url: string) => { href: string } | null): HtmlElement {
  const href = url.startsWith('data:') ? undefined : link(url)?.href
  const words = alt || (url.startsWith('data:') ? 'Picture' : url)
  return h('span', { className: ['missing-picture'] }, href === undefined ? words : h('a', { href }, words))
}

/** Renders texts, links and other inline nodes as HTML. */
import { plainText } from '../content/blocks/node.js'
import { repeatsTarget } from '../content/placeholder-label.js'
import type { InlineNode, TextNode } from '../content/types.js'
import { joinHtml, missingImage, type Piece } from './author-html.js'
import { h } from './element.js'
import { iconMark } from './icons.js'
import { formula } from './math.js'
import { type Data, type Html, type Inline, type InlineRenderer, type RenderContext, textOf, urlOf } from './types.js'

const MARKS = new Map(
  Object.entries({
    bold: 'strong',
    italic: 'em',
    strikethrough: 's',
    underline: 'u',
    code: 'code',
    keyboard: 'kbd',
    superscript: 'sup',
    subscript: 'sub',
  }),
)
const COLOR = /^(?:[a-z]{3,20}|#[0-9a-f]{3,8}|\$[a-z]+(?:-\d+)?)$/i

/** Renders inline nodes. HTML as written is joined with the content between its tags. */
export function renderInlines(nodes: readonly Inline[], context: RenderContext): Html[] {
  const pieces = nodes.map((node): Piece => {
    if (node.object === 'text') return { nodes: textLeaves(node, context) }
    return node.type === 'html-inline' ? { html: textOf(node.data, 'html') } : { nodes: inline(node, context) }
  })
  return joinHtml(pieces, context)
}

function textLeaves(node: TextNode, { medium }: RenderContext): Html[] {
  return node.leaves.flatMap((leaf): Html[] => {
    if (leaf.text === '') return []
    let made: Html = { type: 'text', value: leaf.text }
    for (const mark of leaf.marks.toReversed()) {
      if (mark.type === 'color') made = medium.color(mark.data, made)
      else made = h(MARKS.get(mark.type) ?? 'span', mark.type === 'code' ? { dir: 'ltr' } : {}, made)
    }
    return [made]
  })
}

/** Renders colored text in print. */
export const printColor = (data: Data, content: Html): Html => h('mark', { style: colors(data) }, content)

function colors(data: Data): string {
  const declared = (name: string, property: string): string => {
    const value = textOf(data, name)
    return COLOR.test(value) ? `${property}:${value.replace(/^\$([a-z]+).*$/i, '$1')};` : ''
  }
  const background = declared('background', 'background-color')
  return `${declared('color', 'color')}${background || 'background-color:transparent;'}`
}

const shown = (html: Html | null): Html[] => (html === null ? [] : [html])

/** The inline nodes in print. */
export const printInlines: ReadonlyMap<string, InlineRenderer> = new Map<string, InlineRenderer>(
  Object.entries({
    link: (node, context) => shown(linkOf(node, context, node.data['mention'] === true ? 'mention' : '')),
    button: (node, context) =>
      shown(linkOf(node, context, textOf(node.data, 'style') === 'secondary' ? 'button secondary' : 'button')),
    'inline-image': (node, context) => [picture(node.data, context)],
    icon: (node) => [iconMark(textOf(node.data, 'icon'))],
    expression: (node, context) => [h('code', { className: ['expression'] }, context.inlines(node.nodes))],
    math: (node) => [formula(textOf(node.data, 'formula'), false)],
    'hard-break': () => [h('br')],
    line: (node, context) => [h('span', { className: ['text-line'] }, context.inlines(node.nodes)), h('br')],
    anchor: (node, context) => [
      h(
        'a',
        { id: textOf(node.data, 'id') && context.options.idPrefix + textOf(node.data, 'id') },
        context.inlines(node.nodes),
      ),
    ],
    'footnote-reference': (node, context) => [noteMark(textOf(node.data, 'label'), context)],
    annotation: (node, context) => [
      h('span', { className: ['annotation'] }, context.inlines(node.nodes)),
      noteMark(textOf(node.data, 'label'), context),
    ],
  } satisfies Record<string, InlineRenderer>),
)

const inline: InlineRenderer = (node, context) =>
  context.medium.inlines.get(node.type)?.(node, context) ?? context.inlines(node.nodes)

/** Whether the label of a link stands for the title of its target: it is empty, a mention, or the path of the target. */
export const standsForTitle = ({ nodes, data }: InlineNode): boolean => {
  const isText = nodes.every((one) => one.object === 'text')
  const label = plainText(nodes)
  return isText && (label.trim() === '' || data['mention'] === true || repeatsTarget(label, urlOf(data)))
}

function linkOf(node: InlineNode, context: RenderContext, className: string): Html | null {
  const target = context.options.targets.link(urlOf(node.data))
  const isPlaceholder = standsForTitle(node)
  if (!target && isPlaceholder) return null
  const inner =
    isPlaceholder && (target?.title !== undefined || plainText(node.nodes).trim() === '')
      ? [{ type: 'text', value: target?.title ?? urlOf(node.data) } as const]
      : context.inlines(node.nodes)
  const classes = className ? className.split(' ') : []
  if (!target) return h('span', { className: ['broken-link', ...classes] }, inner)
  return h('a', { href: target.href, className: classes, title: textOf(node.data, 'title') }, inner)
}

const SIZE = /^\d{1,4}(?:\.\d{1,3})?%?(?:px)?$/

/** Renders an image. */
export function picture(data: Data, context: RenderContext): Html {
  const { targets } = context.options
  const url = textOf(data, 'src') || urlOf(data)
  const src = targets.image(url)
  const alt = textOf(data, 'alt')
  if (src === null) return missingImage(alt, url, (one) => targets.link(one))
  const size = (name: string): string => (SIZE.test(textOf(data, name)) ? textOf(data, name) : '')
  const img = h('img', {
    src,
    width: size('width'),
    height: size('height'),
    title: textOf(data, 'title'),
    className: textOf(data, 'size') === 'line' ? ['in-line'] : [],
  })
  img.properties['alt'] = alt
  const dark = context.options.layOpen ? null : targets.image(urlOf(data, 'refDark') || textOf(data, 'srcDark'))
  return dark === null
    ? img
    : h('picture', {}, h('source', { srcSet: dark, media: '(prefers-color-scheme: dark)' }), img)
}

/** Renders the number of a footnote as a link to it. */
function noteMark(label: string, { notes, options }: RenderContext): Html {
  const number = String(notes.number(label))
  return h('sup', { className: ['note-mark'] }, h('a', { href: `#${options.idPrefix}note-${number}` }, number))
}

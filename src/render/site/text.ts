/** Renders running text on pages of sites: headings, paragraphs, lists, footnotes. */
import { anchorOf } from '../../content/outline/anchors.js'
import type { BlockNode } from '../../content/types.js'
import { NOT_IN_PARAGRAPH, uniqueId } from '../blocks.js'
import { directionOfMost, h, textIn } from '../element.js'
import { inlinesIn as inlineNodesIn } from '../../content/blocks/node.js'
import { type BlockRenderer, type Html, type HtmlElement, type RenderContext, textOf } from '../types.js'
import { ENGLISH, fill } from './words.js'

const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|iw|ps|sd|ug|ur|yi|ckb|ku-arab)\b/i

/** Whether a language is written from right to left. */
export const isRightToLeft = (lang: string | undefined): boolean => lang !== undefined && RIGHT_TO_LEFT.test(lang)

/** Returns the words of one kind in the language of the interface. */
export function word(context: RenderContext, name: keyof typeof ENGLISH, value?: string | number): string {
  const text = context.options.site?.words?.[name] ?? ENGLISH[name]
  return value === undefined ? text : fill(text, value)
}

/** Returns the direction of an element if it differs from that of the page. */
export function directionIn(nodes: readonly Html[], { options }: RenderContext): 'rtl' | 'ltr' | null {
  const found = directionOfMost(nodes)
  return found === (isRightToLeft(options.lang) ? 'rtl' : 'ltr') ? null : found
}

type Attributes = Parameters<typeof h>[1]

/** Creates an element with text or blocks of the author, in their direction. */
export const written = (tag: string, attributes: Attributes, content: Html[], context: RenderContext): HtmlElement =>
  h(tag, { ...attributes, dir: directionIn(content, context) }, content)

export const inside = (node: BlockNode, context: RenderContext): Html[] => context.blocks(node.nodes)
export const inlinesIn = (node: BlockNode, context: RenderContext): Html[] => context.inlines(inlineNodesIn(node))

/** Creates the element around several blocks of a container. */
export const flow = (content: Html[], context: RenderContext, ...more: string[]): HtmlElement =>
  written('div', { className: ['flow', ...more] }, content, context)

const isElement = (node: Html): node is HtmlElement => node.type === 'element'

/** Renders a paragraph. One that contains only buttons becomes a row of them. */
export function paragraph(content: Html[], context: RenderContext): Html[] {
  if (content.length === 0) return []
  if (content.some((one) => isElement(one) && NOT_IN_PARAGRAPH.has(one.tagName)))
    return [written('div', {}, content, context)]
  const shown = content.filter((one) => !(one.type === 'text' && one.value.trim() === ''))
  const isButton = (one: Html): boolean =>
    isElement(one) && (one.tagName === 'br' || [one.properties['className']].flat().includes('btn'))
  if (shown.length > 0 && shown.every(isButton))
    return [
      h(
        'p',
        { className: ['buttons'] },
        shown.filter((one) => !(isElement(one) && one.tagName === 'br')),
      ),
    ]
  return [written('p', {}, content, context)]
}

function heading(level: number): BlockRenderer {
  return (node, context) => {
    const content = inlinesIn(node, context)
    const text = textIn(content).trim()
    const id = uniqueId((textOf(node.data, 'id') || anchorOf(text)).replace(/^ui~+/, ''), context)
    context.headings.push({ id, level, text })
    const label = word(context, 'section')
    // The style sheet adds the symbol, so that the text of the heading does not contain it.
    const anchor = h('a', { className: ['anchor'], href: `#${id}`, ariaLabel: label })
    // The title is the only heading of the first level. Screen readers expect that no level is skipped.
    const shown = Math.max(2, Math.min(level, context.level + 1))
    context.level = shown
    const className = shown < level ? [`h${level}`] : []
    return [h(`h${shown}`, { id, className, dir: directionIn(content, context) }, content, anchor)]
  }
}

function listItem(node: BlockNode, context: RenderContext): Html[] {
  const content = tight(inside(node, context))
  const { checked } = node.data
  if (typeof checked !== 'boolean') return [written('li', {}, content, context)]
  const label = word(context, checked ? 'done' : 'open')
  const box = h('input', { type: 'checkbox', disabled: true, checked, ariaLabel: label })
  return [h('li', {}, box, written('div', {}, content, context))]
}

/** Returns the content of an item, in which a single paragraph becomes the text of the item itself. */
function tight(content: Html[]): Html[] {
  const [first, ...rest] = content
  const isPlain =
    first !== undefined &&
    isElement(first) &&
    first.tagName === 'p' &&
    first.properties['className'] === undefined &&
    rest.every((one) => isElement(one) && ['ul', 'ol', 'div'].includes(one.tagName))
  return isPlain ? [...first.children, ...rest] : content
}

const noteId = (context: RenderContext, number: number): string => `${context.options.idPrefix}ui~note-${number}`
const markId = (context: RenderContext, number: number): string => `${context.options.idPrefix}ui~mark-${number}`

/** Renders the number of a footnote as a link to it. */
export function noteMark(label: string, context: RenderContext): Html {
  const number = context.notes.number(label)
  const id = markId(context, number)
  const first = !context.ids.has(id)
  context.ids.add(id)
  const link = h('a', { href: `#${noteId(context, number)}`, id: first ? id : null }, String(number))
  return h('sup', { className: ['note-mark'] }, link)
}

/** Renders the footnotes at the end of a page. */
export function footnotes(context: RenderContext): Html[] {
  const list = context.notes.list()
  if (list.length === 0) return []
  const items = list.map(({ number, content }) => {
    const back = h('a', { href: `#${markId(context, number)}`, ariaLabel: word(context, 'back') }, '↩')
    return written('li', { id: noteId(context, number), value: String(number) }, [...tight(content), back], context)
  })
  return [h('section', { className: ['footnotes'], ariaLabel: word(context, 'notes') }, h('ol', {}, items))]
}

export const textBlocks: Record<string, BlockRenderer> = {
  paragraph: (node, context) => paragraph(inlinesIn(node, context), context),
  blockquote: (node, context) => [written('blockquote', {}, inside(node, context), context)],
  'list-unordered': (node, context) => [written('ul', {}, inside(node, context), context)],
  'list-ordered'(node, context) {
    const { start } = node.data
    const first = typeof start === 'number' && start !== 1 ? start : null
    return [written('ol', { start: first }, inside(node, context), context)]
  },
  'list-tasks': (node, context) => [written('ul', { className: ['tasks'] }, inside(node, context), context)],
  'list-item': listItem,
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((level) => [`heading-${level}`, heading(level)])),
}

/** Renders container blocks on pages of sites: hints, tabs, steps, columns, expandables, updates, prompts. */
import type { BlockNode } from '../../content/types.js'
import { containerBlocks } from '../container-blocks.js'
import { changeOf } from '../blocks.js'
import { h, textIn } from '../element.js'
import { type BlockRenderer, type Html, type RenderContext, textOf } from '../types.js'
import { chosenIcon, symbol } from './icon.js'
import { directionIn, flow, inlinesIn, inside, word, written } from './text.js'
import { hasOwn } from '../../kernel/guards.js'
import { required } from '../../kernel/defined.js'

const HINTS = { info: 'info', success: 'good', warning: 'warn', danger: 'danger' } as const
const DATE = /^\d{4}-\d{2}-\d{2}/
/** Columns have widths in twelfths. */
const TWELFTHS = 12

const text = (value: string): Html => ({ type: 'text', value })

function hint(node: BlockNode, context: RenderContext): Html[] {
  const given = textOf(node.data, 'style')
  const style = hasOwn(HINTS, given) ? given : 'info'
  const icon = chosenIcon(textOf(node.data, 'icon'), context) ?? symbol(HINTS[style], context)
  const attributes = { className: ['hint', style], role: 'note', ariaLabel: word(context, style) }
  return [h('aside', attributes, icon, flow(inside(node, context), context))]
}

/**
 * Renders all tabs with their titles, and a row of their titles. The style sheet shows only the first one if scripts
 * run.
 */
function tabs(node: BlockNode, context: RenderContext): Html[] {
  const items = node.nodes.filter((one): one is BlockNode => one.object === 'block' && one.type === 'tabs-item')
  const titleOf = ({ data }: BlockNode): Html[] => [
    ...[chosenIcon(textOf(data, 'icon'), context)].filter((icon) => icon !== null),
    text(textOf(data, 'title')),
  ]
  return tabSet(
    items.map((item) => ({ title: titleOf(item), content: inside(item, context), change: changeOf(item) })),
    context,
  )
}

/** Renders a set of tabs. */
export function tabSet(
  items: readonly { title: Html[]; content: Html[]; change?: string | null }[],
  context: RenderContext,
  ...more: string[]
): Html[] {
  const buttons = items.map(({ title, change = null }) =>
    h('button', { type: 'button', dir: directionIn(title, context), dataChange: change }, title),
  )
  const panels = items.map(({ title, content, change = null }) =>
    h(
      'div',
      { className: ['tab', 'flow'], dataTitle: textIn(title), dataChange: change },
      h('p', { className: ['tab-title'], dir: directionIn(title, context) }, title),
      content,
    ),
  )
  return [h('div', { className: ['tabs', ...more] }, h('div', { className: ['tablist'] }, buttons), panels)]
}

function step(node: BlockNode, context: RenderContext): Html[] {
  const title = textOf(node.data, 'title')
  const shown = title === '' ? [] : [written('p', { className: ['step-title'] }, [text(title)], context)]
  return [h('li', {}, flow([...shown, ...inside(node, context)], context))]
}

function columns(node: BlockNode, context: RenderContext): Html[] {
  const items = node.nodes.filter((one): one is BlockNode => one.object === 'block' && one.type === 'column')
  const given = items.map(({ data }) => {
    const width = Number.parseFloat(textOf(data, 'width'))
    return width > 0 && width <= 100 ? width : null
  })
  const free = given.filter((width) => width === null).length
  const rest = Math.max(0, 100 - given.reduce<number>((sum, width) => sum + (width ?? 0), 0))
  const made = items.map((item, index) => {
    const share = ((given[index] ?? (rest || 100 / items.length) / free) / 100) * TWELFTHS
    const valign = textOf(item.data, 'valign')
    const width = free === items.length ? null : String(Math.min(TWELFTHS, Math.max(1, Math.round(share))))
    return h(
      'div',
      { className: ['flow', ...(/^(?:middle|bottom)$/.test(valign) ? [valign] : [])], dataWidth: width },
      inside(item, context),
    )
  })
  return [h('div', { className: ['columns', 'wide'] }, made)]
}

/** Returns a date in the reader's format. */
function dateIn(date: string, { options }: RenderContext): string {
  const time = DATE.test(date) ? Date.parse(`${date.slice(0, 10)}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(time)) return date
  const style = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const
  try {
    return new Intl.DateTimeFormat(options.lang ?? options.site?.locale ?? 'en', style).format(time)
  } catch {
    // The language is unknown.
    return new Intl.DateTimeFormat('en', style).format(time)
  }
}

function update(node: BlockNode, context: RenderContext): Html[] {
  const date = textOf(node.data, 'date')
  const tags = textOf(node.data, 'tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .map((tag) => h('span', { className: ['tag'] }, tag))
  const when = h('time', { dateTime: DATE.test(date) ? date : null }, dateIn(date, context))
  return [h('section', { className: ['update'] }, when, flow(withTags(inside(node, context), tags), context))]
}

/** Puts the tags of an update after its title, if it starts with one. */
function withTags(content: Html[], tags: Html[]): Html[] {
  const [first, ...rest] = content
  if (tags.length === 0) return content
  if (first?.type !== 'element' || !/^h[2-6]$/.test(first.tagName))
    return [h('p', { className: ['tags'] }, tags), ...content]
  const anchor = required(first.children.at(-1))
  const title = { ...first, children: [...first.children.slice(0, -1), text(' '), ...tags, anchor] }
  return [title, ...rest]
}

function expandable(node: BlockNode, context: RenderContext): Html[] {
  const [first, ...rest] = node.nodes
  const titled = first?.object === 'block' && first.type === 'expandable-title'
  const title = titled ? inlinesIn(first, context) : []
  const summary = h(
    'summary',
    { dir: directionIn(title, context) },
    symbol('right', context, 'flip'),
    h('span', {}, title),
  )
  const content = flow(context.blocks(titled ? rest : node.nodes), context)
  const element = h('details', { className: ['more'], open: node.data['open'] === true }, summary, content)
  context.expandables.push({ element, title: textIn(title).trim() })
  return [element]
}

function prompt(node: BlockNode, context: RenderContext): Html[] {
  const icon = chosenIcon(textOf(node.data, 'icon'), context) ?? symbol('bolt', context)
  const about = textOf(node.data, 'description')
  const copy = h(
    'button',
    { className: ['btn'], type: 'button', dataCopy: true },
    symbol('copy', context),
    word(context, 'copyPrompt'),
  )
  const bar = h('div', { className: ['prompt-bar'] }, icon, written('p', {}, [text(about)], context), copy)
  const isOpen = /^(?:true|1)$/.test(textOf(node.data, 'defaultExpanded')) || node.data['defaultExpanded'] === true
  const details = h(
    'details',
    { open: isOpen },
    h('summary', {}, word(context, 'prompt')),
    flow(inside(node, context), context, 'copied'),
  )
  return [h('div', { className: ['prompt'] }, bar, details)]
}

export const siteContainers: Record<string, BlockRenderer> = {
  hint,
  tabs,
  'tabs-item': (node, context) => inside(node, context),
  stepper: (node, context) => [h('ol', { className: ['stepper'] }, inside(node, context))],
  'stepper-step': step,
  columns,
  column: (node, context) => inside(node, context),
  updates: (node, context) => [h('div', { className: ['updates'] }, inside(node, context))],
  update,
  expandable,
  prompt,
  if: containerBlocks['if'] as BlockRenderer,
}

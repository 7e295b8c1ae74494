/** Renders container blocks: hints, tabs, steps, columns, expandables, updates, prompts, conditions. */
import { inlinesIn } from '../content/blocks/node.js'
import { conditionHolds } from '../content/conditions/holds.js'
import type { BlockNode } from '../content/types.js'
import { h, holder, textIn } from './element.js'
import { iconMark } from './icons.js'
import { type BlockRenderer, type Html, type RenderContext, textOf } from './types.js'

const inside = (node: BlockNode, context: RenderContext): Html[] => context.blocks(node.nodes)
const box =
  (...className: string[]): BlockRenderer =>
  (node, context) => [holder('div', { className }, inside(node, context))]

const HINTS: Record<string, string> = { info: 'Info', success: 'Success', warning: 'Warning', danger: 'Danger' }
const DATE = /^\d{4}-\d{2}-\d{2}/

function titleLine(title: string, icon: string, className: string): Html[] {
  if (title === '' && icon === '') return []
  return [h('p', { className: [className], dir: 'auto' }, icon ? [iconMark(icon), ' '] : null, title)]
}

export const containerBlocks: Record<string, BlockRenderer> = {
  hint(node, context) {
    const given = textOf(node.data, 'style')
    const style = Object.hasOwn(HINTS, given) ? given : 'info'
    return [
      holder('aside', { className: ['hint', style], role: 'note', ariaLabel: HINTS[style] }, inside(node, context)),
    ]
  },
  // All tabs are shown with their titles. A client can hide all but one without a request.
  tabs: box('tabs'),
  'tabs-item': (node, context) => [
    h(
      'section',
      { className: ['tab'] },
      titleLine(textOf(node.data, 'title'), textOf(node.data, 'icon'), 'tab-title'),
      h('div', { className: ['tab-body'] }, inside(node, context)),
    ),
  ],
  stepper: (node, context) => [holder('ol', { className: ['stepper'] }, inside(node, context))],
  'stepper-step': (node, context) => [
    h('li', { dir: 'auto' }, titleLine(textOf(node.data, 'title'), '', 'step-title'), inside(node, context)),
  ],
  columns: box('columns'),
  column(node, context) {
    const width = Number.parseFloat(textOf(node.data, 'width'))
    const style = width > 0 && width <= 100 ? `flex-basis:${width}%` : ''
    return [h('div', { className: ['column'], style }, inside(node, context))]
  },
  updates: box('updates'),
  update(node, context) {
    const date = textOf(node.data, 'date')
    const tags = textOf(node.data, 'tags')
    const when = date === '' ? null : h('time', { dateTime: DATE.test(date) ? date : null }, date)
    return [
      h(
        'section',
        { className: ['update'] },
        h('p', { className: ['update-date'] }, when, tags ? ` · ${tags}` : null),
        inside(node, context),
      ),
    ]
  },
  expandable(node, context) {
    const [first, ...rest] = node.nodes
    const titled = first?.object === 'block' && first.type === 'expandable-title'
    const title = titled ? context.inlines(inlinesIn(first)) : []
    const open = context.options.layOpen || node.data['open'] === true
    const summary = h('summary', { dir: 'auto' }, title)
    const element = h('details', { open }, summary, context.blocks(titled ? rest : node.nodes))
    context.expandables.push({ element, title: textIn(title).trim() })
    return [element]
  },
  prompt: (node, context) => [
    h(
      'div',
      { className: ['prompt'] },
      titleLine(textOf(node.data, 'description'), textOf(node.data, 'icon'), 'prompt-title'),
      inside(node, context),
    ),
  ],
  if(node, context) {
    const { conditional } = context.options
    if (conditional === 'hide') return []
    const expression = textOf(node.data, 'expression').trim()
    if (conditional !== 'show') return conditionHolds(expression, conditional.claims) ? inside(node, context) : []
    return [
      h(
        'div',
        { className: ['conditional'], dataExpression: expression },
        h('p', { className: ['condition'] }, 'Shown if ', h('code', { dir: 'ltr' }, expression)),
        inside(node, context),
      ),
    ]
  },
}

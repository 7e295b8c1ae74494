/** Shows the source of a page that cannot be rendered. */
import { toHtml } from 'hast-util-to-html'
import { h } from './element.js'
import type { Rendered } from './types.js'

/** Renders a page as its source. */
export const renderSource = (markdown: string): Rendered => ({
  html: toHtml(h('div', { className: ['page'] }, h('pre', { className: ['code', 'wrap'], dir: 'auto' }, markdown))),
  headings: [],
  title: null,
})

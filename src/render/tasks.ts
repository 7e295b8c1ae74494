/** The tasks of the threads: text tasks, and rendering a page. */
import { parseDocument } from '../content/blocks/parse.js'
import { tasks as textTasks } from '../content/work/tasks.js'
import { renderPage } from './page.js'
import { renderSource } from './source.js'
import { type TargetTable, tableTargets } from './targets.js'
import type { Rendered, RenderOptions } from './types.js'

/** The options for rendering in another thread. */
export type RenderOrder = Omit<RenderOptions, 'targets'> & { targets: TargetTable }

/** Renders markdown whose includes and variables are already filled in. */
export function renderMarkdown(markdown: string, order: RenderOrder): Rendered {
  try {
    return renderPage(parseDocument(markdown), { ...order, targets: tableTargets(order.targets, order.idPrefix) })
  } catch (error) {
    // HTML that is nested too deeply exhausted the stack.
    if (error instanceof RangeError) return renderSource(markdown)
    throw error
  }
}

/** The tasks for the thread pool. */
export const tasks = {
  ...textTasks,
  /** Returns a line of JSON with the facts about the page, then its HTML, which the service does not have to parse. */
  render(markdown: string, order: string): string {
    const { html, ...known } = renderMarkdown(markdown, JSON.parse(order) as RenderOrder)
    return `${JSON.stringify(known)}\n${html}`
  },
}

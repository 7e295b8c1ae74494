/** The tasks of the threads: those on texts, and the rendering of a page. */
import { parseDocument } from '../content/blocks/parse.js'
import { tasks as textTasks } from '../content/work/tasks.js'
import { renderPage } from './page.js'
import { renderSource } from './source.js'
import { type TargetTable, tableTargets } from './targets.js'
import type { Rendered, RenderOptions } from './types.js'

/** The options of a rendering that is asked for from another thread. */
export type RenderOrder = Omit<RenderOptions, 'targets'> & { targets: TargetTable }

/** Renders markdown, of which includes and variables are filled in. */
export function renderMarkdown(markdown: string, order: RenderOrder): Rendered {
  try {
    return renderPage(parseDocument(markdown), { ...order, targets: tableTargets(order.targets, order.idPrefix) })
  } catch (error) {
    // HTML that is nested too deeply has exhausted the stack.
    if (error instanceof RangeError) return renderSource(markdown)
    throw error
  }
}

/** The table of tasks for the pool of threads. */
export const tasks = {
  ...textTasks,
  /** A line of JSON with what is known of the page, then its HTML, which the service need not parse. */
  render(markdown: string, order: string): string {
    const { html, ...known } = renderMarkdown(markdown, JSON.parse(order) as RenderOrder)
    return `${JSON.stringify(known)}\n${html}`
  },
}

/** Renders the block tree of a page as HTML. The code is pure: the options provide everything outside of the page. */
import { defined, required } from '../kernel/defined.js'
import { toHtml } from 'hast-util-to-html'
import { isVerbatimPage } from '../content/blocks/verbatim.js'
import { anchorOf } from '../content/outline/anchors.js'
import type { DocumentNode } from '../content/types.js'
import { allowed } from './allow-list.js'
import { footnotes, headingId, paragraph, printBlocks, renderBlocks, uniqueId } from './blocks.js'
import { MAX_CODE_OF_PAGE } from './code.js'
import { holder, textIn } from './element.js'
import { printColor, printInlines, renderInlines } from './inlines.js'
import { changesByBlock, withHistory } from './site/history.js'
import { site } from './site/medium.js'
import type { Html, Inline, Medium, Notes, RenderContext, Rendered, RenderOptions } from './types.js'

const print: Medium = {
  blocks: printBlocks,
  inlines: printInlines,
  paragraph,
  color: printColor,
  end: footnotes,
}

/**
 * Renders a page as HTML without scripts. Whatever its author wrote, the result contains only elements, attributes and
 * kinds of addresses from `allow-list.ts`, and every text is escaped. Throws `RangeError` if its HTML is nested deeper
 * than the stack allows.
 */
export function renderPage(document: DocumentNode, options: RenderOptions): Rendered {
  const context = contextOf(document, options)
  const [first, ...rest] = document.nodes
  const title =
    options.takeTitle && first?.type === 'heading-1' ? textIn(renderInlines(inlinesOf(first), context)).trim() : null
  const isSite = options.medium === 'site'
  // A site shows the title above the page. No other heading gets its ID.
  const titleId = title && first && isSite ? uniqueId(headingId(first, title), context) : undefined
  const whole = document.nodes.length === 1 && first !== undefined && isVerbatimPage(first)
  if (whole) context.highlight.left = 0
  const blocks = renderBlocks(title ? rest : document.nodes, context)
  const history = options.site?.history
  const shown = history ? withHistory(blocks, history, context) : blocks
  const content = [...shown, ...context.medium.end(context)]
  nameExpandables(context)
  const { headings } = context
  if (isSite) {
    const tree = allowed({ type: 'root', children: content }, 'site')
    return {
      html: toHtml(tree),
      headings,
      title: title || null,
      icons: [...context.icons],
      origins: [...context.origins],
      ...defined({ titleId }),
    }
  }
  const page = holder('div', { className: ['page'], lang: options.lang }, content)
  const tree = allowed({ type: 'root', children: [page] }, 'print')
  return { html: toHtml(tree, { closeSelfClosing: true }), headings, title: title || null }
}

/** Gives expandable sections the IDs that follow from their titles, unless a heading has the ID. */
function nameExpandables(context: RenderContext): void {
  for (const { element, title } of context.expandables) {
    const wanted = anchorOf(title)
    if (title !== '' && !context.ids.has(context.options.idPrefix + wanted))
      element.properties['id'] = uniqueId(wanted, context)
  }
}

/** Returns the inline nodes of a heading. */
const inlinesOf = ({ nodes }: DocumentNode['nodes'][number]): Inline[] =>
  nodes.filter((node) => node.object !== 'block')

function contextOf({ nodes }: DocumentNode, options: RenderOptions): RenderContext {
  const history = options.site?.history
  const context: RenderContext = {
    options,
    headings: [],
    ids: new Set(),
    expandables: [],
    notes: notesOf(),
    highlight: { left: MAX_CODE_OF_PAGE },
    icons: new Set(),
    origins: new Set(),
    changes: history ? changesByBlock(nodes, history) : new Map(),
    level: 1,
    medium: options.medium === 'site' ? site : print,
    blocks: (nodes) => renderBlocks(nodes, context),
    inlines: (nodes) => renderInlines(nodes, context),
  }
  return context
}

function notesOf(): Notes {
  const numbers = new Map<string, number>()
  const contents = new Map<string, Html[]>()
  const number = (label: string): number => {
    if (!numbers.has(label)) numbers.set(label, numbers.size + 1)
    return required(numbers.get(label))
  }
  return {
    number,
    add(label, content) {
      if (!contents.has(label)) contents.set(label, content)
    },
    list: () =>
      [...contents]
        .map(([label, content]) => ({ label, number: number(label), content }))
        .sort((a, b) => a.number - b.number),
  }
}

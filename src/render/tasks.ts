/** The tasks of the threads: text tasks, and rendering a page. */
import { positionIn } from '../content/blocks/block.js'
import { commentTargetsOf } from '../content/blocks/comment-targets.js'
import { meaningOf } from '../content/blocks/meaning.js'
import { parseDocument, SCHEMA_VERSION } from '../content/blocks/parse.js'
import { lineFinder } from '../content/blocks/region.js'
import { printDocument } from '../content/blocks/print.js'
import { readPage } from '../content/front-matter.js'
import { decodeText } from '../content/text.js'
import type { DocumentNode } from '../content/types.js'
import { tasks as textTasks } from '../content/work/tasks.js'
import { TextTooCostly } from '../content/work/text-work.js'
import { renderChanges } from './changes.js'
import { renderPage, renderRanges } from './page.js'
import { compareVersions, visibleNodes } from './seen.js'
import { renderSource } from './source.js'
import { sourcePlaces } from './source-places.js'
import { suggestibleBlocks } from './suggestible.js'
import { type TargetTable, tableTargets } from './targets.js'
import type { Rendered, RenderOptions } from './types.js'

/** The options for rendering in another thread. */
export type RenderOrder = Omit<RenderOptions, 'targets'> & {
  targets: TargetTable
  /** Two versions of the text: only blocks that the first one lacks are rendered. Absent = all blocks. */
  change?: { before: string; at: string }
}

/** Renders markdown whose includes and variables are already filled in. */
export function renderMarkdown(markdown: string, order: RenderOrder): Rendered {
  try {
    return renderPage(documentOf(markdown, order), {
      ...order,
      targets: tableTargets(order.targets, order.idPrefix),
    })
  } catch (error) {
    // HTML that is nested too deeply exhausted the stack.
    if (error instanceof RangeError) return renderSource(markdown)
    throw error
  }
}

/**
 * Returns the blocks to render. With a history or numbers, these are the blocks that the reader sees, so that each can
 * have a note or a number.
 */
function documentOf(markdown: string, order: RenderOrder): DocumentNode {
  const { change, site } = order
  if (change) return changedIn(seenIn(markdown, order), change, order)
  return site?.history || site?.numbered ? seenIn(markdown, order) : parseDocument(markdown)
}

/** Returns the text that its reader sees. */
function seenIn(markdown: string, { conditional }: RenderOrder): DocumentNode {
  const document = parseDocument(markdown)
  return typeof conditional === 'object'
    ? { ...document, nodes: visibleNodes(document.nodes, conditional.claims) }
    : document
}

/**
 * Omits the blocks that a change did not add, and those that are no longer as it left them. Blocks are compared as their
 * reader sees them, so that a change of what is hidden in them leaves no trace.
 */
function changedIn(document: DocumentNode, change: Required<RenderOrder>['change'], order: RenderOrder): DocumentNode {
  const meaningsIn = (text: string) => new Set(seenIn(text, order).nodes.map(meaningOfBlock))
  const [before, at] = [meaningsIn(change.before), meaningsIn(change.at)]
  const isAdded = (block: string): boolean => at.has(block) && !before.has(block)
  return { ...document, nodes: document.nodes.filter((node) => isAdded(meaningOfBlock(node))) }
}

/** Returns what a block means to readers. It stays the same if the block moves. */
const meaningOfBlock = (block: DocumentNode['nodes'][number]): string =>
  meaningOf({ object: 'document', data: { schemaVersion: SCHEMA_VERSION }, nodes: [block] })

/** A block at the top level of a page. */
export interface PageBlock {
  /** The key of the block in the page, to which comments refer. */
  node: string
  type: string
  /** Identifies the block in other versions of the page, with the number of earlier blocks with the same text. */
  digest: string
  occurrence: number
  /** Offsets in the markdown, in UTF-16 units. */
  start: number
  end: number
  /** The first and the last line, from 1. */
  lines: [number, number]
}

function blocksOf(markdown: string): PageBlock[] {
  const document = parseDocument(markdown)
  const targets = new Map(
    commentTargetsOf(document).flatMap((one) => (one.record === undefined ? [[one.node, one] as const] : [])),
  )
  const lineAt = lineFinder(markdown)
  return document.nodes.map((node): PageBlock => {
    const { start = 0, end = start } = positionIn(node)
    const { digest = '', occurrence = 0 } = targets.get(node.key) ?? {}
    return {
      node: node.key,
      type: node.type,
      digest,
      occurrence,
      start,
      end,
      lines: [lineAt(start), lineAt(Math.max(start, end - 1))],
    }
  })
}

/** Maximum length of the HTML of a page's blocks, which the service parses as JSON. */
const MAX_BLOCKS_HTML = 4 * 1024 * 1024

/** The tasks for the thread pool. */
export const tasks = {
  ...textTasks,
  /** Returns the markdown of the blocks that a visitor with these claims (JSON) sees. */
  visible(markdown: string, claims: string): string {
    const tree = parseDocument(markdown)
    return printDocument({ ...tree, nodes: visibleNodes(tree.nodes, JSON.parse(claims)) })
  },
  /**
   * Returns the last change of each block that is visible with these claims, as JSON: the number of the change that
   * added its present form, or -1 if it is older than all changes. With the claims `null`, of all blocks.
   * @param markdown the text after change 0
   * @param earlier the versions before each of the changes, newest first: texts, or files with their front matter
   */
  lastChanges(markdown: string, claims: string, ...earlier: (string | Uint8Array)[]): string {
    const visitor: Readonly<Record<string, unknown>> | null = JSON.parse(claims)
    const texts = earlier.map((one) => (typeof one === 'string' ? one : readPage(decodeText(one), '').markdown))
    const meaningsIn = (text: string): string[] => {
      const { nodes } = parseDocument(text)
      return (visitor === null ? nodes : visibleNodes(nodes, visitor)).map(meaningOfBlock)
    }
    const before = texts.map((text) => new Set(meaningsIn(text)))
    return JSON.stringify(meaningsIn(markdown).map((block) => before.findIndex((blocks) => !blocks.has(block))))
  },
  /**
   * Compares the blocks of two versions of a page that are visible with these claims (JSON). Returns `ComparedVersions`
   * as JSON.
   */
  changedSince: (markdown: string, claims: string, before: string): string =>
    JSON.stringify(compareVersions(before, markdown, JSON.parse(claims))),
  /** Returns a line of JSON with the facts about the page, then its HTML, which the service does not have to parse. */
  render(markdown: string, order: string): string {
    const { html, ...known } = renderMarkdown(markdown, JSON.parse(order))
    return `${JSON.stringify(known)}\n${html}`
  },
  /**
   * Returns the blocks whose source a reader may get, as JSON (`SuggestibleBlock[]`).
   * @param filled the markdown with includes and variables filled in
   */
  suggestible(markdown: string, filled: string, order: string): string {
    const { targets, idPrefix, ...options }: RenderOrder = JSON.parse(order)
    const seen = seenIn(filled, { ...options, targets, idPrefix })
    const given = { ...options, idPrefix, targets: tableTargets(targets, idPrefix) }
    return JSON.stringify(suggestibleBlocks(markdown, { seen, filled }, given))
  },
  /** Returns the blocks at the top level of a page, as JSON. */
  blocks: (markdown: string): string => JSON.stringify(blocksOf(markdown)),
  /** Returns the sources of the blocks that suggestions may change, as JSON (`SourcePlace[]`). */
  sources: (markdown: string): string => JSON.stringify(sourcePlaces(markdown)),
  /** Compares two versions of a page (`PageVersion` as JSON) and returns their blocks (`RenderedChange[]`) as JSON. */
  changes(before: string, after: string, order: string): string {
    const { targets, idPrefix, ...options }: RenderOrder = JSON.parse(order)
    const json = JSON.stringify(
      renderChanges(JSON.parse(before), JSON.parse(after), {
        ...options,
        idPrefix,
        targets: tableTargets(targets, idPrefix),
      }),
    )
    if (json.length > MAX_BLOCKS_HTML) throw new TextTooCostly(`It takes more than ${MAX_BLOCKS_HTML} bytes as HTML.`)
    return json
  },
  /** Returns the HTML of ranges of blocks as JSON. `starts` (JSON) are the offsets at which the ranges start. */
  ranges(markdown: string, starts: string, order: string): string {
    const { targets, idPrefix, ...options }: RenderOrder = JSON.parse(order)
    const json = JSON.stringify(
      renderRanges(parseDocument(markdown), JSON.parse(starts), {
        ...options,
        idPrefix,
        targets: tableTargets(targets, idPrefix),
      }),
    )
    if (json.length > MAX_BLOCKS_HTML) throw new TextTooCostly('Its HTML is too long to be shown block by block.')
    return json
  },
}

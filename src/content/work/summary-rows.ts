// The format in which threads return a table of contents: lines that are parsed one at a time.
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { Summary, SummaryNode } from '../types.js'
import { TextTooCostly } from './text-work.js'

/** Number of rows in one line, which is parsed at once. */
const ROWS = 500
/**
 * Maximum number of entries and groups in a table of contents. Each open revision of the space keeps all of them in
 * memory.
 */
export const MAX_ENTRIES = 25_000
/** Maximum number of diagnostics for a table of contents. Further ones are dropped. */
const MAX_DIAGNOSTICS = 1_000

type Row = [depth: number, node: Omit<SummaryNode, 'children'>]

/**
 * Encodes a table of contents as lines of JSON that are quick to parse: its diagnostics, then its nodes, depth first.
 * Throws `TextTooCostly` if it has more than `MAX_ENTRIES`.
 */
export function summaryLines({ nodes, diagnostics }: Summary): string {
  const lines = [JSON.stringify(diagnostics.slice(0, MAX_DIAGNOSTICS))]
  let rows: Row[] = []
  let count = 0
  const flush = (): void => {
    if (rows.length > 0) lines.push(JSON.stringify(rows))
    rows = []
  }
  const work = nodes.map((node) => ({ node, depth: 0 })).reverse()
  for (let item = work.pop(); item; item = work.pop()) {
    if (++count > MAX_ENTRIES) throw new TextTooCostly(`It has more than ${MAX_ENTRIES} entries and groups.`)
    const { children, ...node } = item.node
    rows.push([item.depth, node])
    if (rows.length === ROWS) flush()
    for (const child of children.toReversed()) work.push({ node: child, depth: item.depth + 1 })
  }
  flush()
  return lines.join('\n')
}

/** Decodes the result of `summaryLines`. Calls `pause` between lines. */
export async function summaryFromLines(bytes: Uint8Array, pause: () => Promise<void>): Promise<Summary> {
  const summary: Summary = { nodes: [], diagnostics: [] }
  /** The last node at each depth. */
  const open: SummaryNode[] = []
  for (let start = 0, line = 0; start < bytes.length; line++) {
    const found = bytes.indexOf(10, start)
    const end = found < 0 ? bytes.length : found
    const read: unknown = JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
    if (line === 0) summary.diagnostics = read as Diagnostic[]
    else for (const [depth, bare] of read as Row[]) add({ ...bare, children: [] }, depth)
    start = end + 1
    await pause()
  }
  return summary

  function add(node: SummaryNode, depth: number): void {
    const siblings = depth === 0 ? summary.nodes : open[depth - 1]?.children
    siblings?.push(node)
    open[depth] = node
  }
}

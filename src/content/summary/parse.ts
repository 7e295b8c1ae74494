import { parse } from 'yaml'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { Summary, SummaryNode } from '../types.js'
import { checkNesting } from '../yaml-depth.js'
import { parseInline } from './inline.js'
import { type Block, MAX_DEPTH, type Scan, scanSummary } from './scan.js'

/**
 * Reads a table of contents ('SUMMARY.md' in the content format). Never throws: what it cannot use is a diagnostic,
 * which names the line and leaves the file to the caller.
 */
export function parseSummary(text: string): Summary {
  return summaryOf(scanSummary(text))
}

/** The nodes of a scan: one per block, in the same places. */
export function summaryOf(scan: Scan): Summary {
  const diagnostics: Diagnostic[] = []
  if (scan.tooDeep !== undefined) {
    const message = `Entries are nested deeper than ${MAX_DEPTH} levels; those are shown at that level. Nest them less deeply.`
    diagnostics.push({ code: 'unsupported-entry', line: scan.tooDeep, message })
  }
  const nodeOf = (block: Block): SummaryNode => {
    const node = ownOf(block, scan, diagnostics)
    node.children = block.children.map(nodeOf)
    return node
  }
  return { nodes: scan.blocks.map(nodeOf), diagnostics }
}

function ownOf(block: Block, scan: Scan, diagnostics: Diagnostic[]): SummaryNode {
  const { line, start, end } = block
  const { title, href, slug, more } = parseInline(inlineOf(block), scan.definitions)
  const place = { line, start, end, children: [] }
  if (block.kind === 'group') return { type: 'group', title, href, ...(slug === undefined ? {} : { slug }), ...place }
  if (block.yaml !== undefined && href === null) {
    const computed = computedOf(block.yaml)
    if (computed) return { type: 'computed', title, href: null, ...place, computed }
    diagnostics.push({ code: 'invalid-yaml', line, message: 'The yaml block of this entry is not a computed page; it needs a `type` and valid yaml.' })
  } else if (more)
    diagnostics.push({ code: 'unsupported-entry', line, message: 'The entry holds several links; the first is used. Give each an entry of its own.' })
  else if (title === '' && href === null)
    diagnostics.push({ code: 'unsupported-entry', line, message: 'The entry has neither a title nor a target. Give it one.' })
  return { type: 'entry', title, href, ...place }
}

/** A heading's text is never a block of its own. */
const inlineOf = ({ kind, text }: Block): string => (kind === 'group' && /^[#>+\-~=*\d]/.test(text) ? `# ${text.replaceAll('\n', ' ')}` : text)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function computedOf(yaml: string): SummaryNode['computed'] | null {
  try {
    checkNesting(yaml)
    const value: unknown = parse(yaml, { logLevel: 'silent' })
    if (!isRecord(value) || typeof value.type !== 'string') return null
    return { type: value.type, props: isRecord(value.props) ? value.props : {}, dependencies: isRecord(value.dependencies) ? value.dependencies : {} }
  } catch {
    return null
  }
}

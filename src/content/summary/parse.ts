/** Parses a table of contents. */
import { parse } from 'yaml'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { Summary, SummaryNode } from '../types.js'
import { checkNesting } from '../yaml-depth.js'
import { nestedGroup } from './encode.js'
import { parseInline } from './inline.js'
import { type Block, MAX_DEPTH, type Scan, scanSummary } from './scan.js'
import { defined } from '../../kernel/defined.js'
import { isRecord } from '../../kernel/guards.js'

/** Parses SUMMARY.md. Never throws: invalid content gives a diagnostic with its line; the caller adds the file. */
export function parseSummary(text: string): Summary {
  return summaryOf(scanSummary(text))
}

/** Returns the nodes of a scan. They correspond one to one to its blocks. */
export function summaryOf(scan: Scan): Summary {
  const diagnostics: Diagnostic[] = []
  if (scan.tooDeep !== undefined) {
    const message = `Entries are nested deeper than ${MAX_DEPTH} levels, and are shown at level ${MAX_DEPTH}. Nest them less deeply.`
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
  const { title, href, slug, more } = parseInline(
    inlineOf(block),
    scan.definitions,
    block.kind === 'group' ? 'whole' : 'of-link',
  )
  const place = { line, start, end, children: [] }
  if (block.kind === 'group') return { type: 'group', title, href, ...defined({ slug }), ...place }
  if (block.yaml !== undefined && href === null) {
    const computed = computedOf(block.yaml)
    if (computed) return { type: 'computed', title, href: null, ...place, computed }
    diagnostics.push({
      code: 'invalid-yaml',
      line,
      message: 'The yaml block of this entry does not describe a computed page. Write valid YAML with a `type`.',
    })
  } else if (more)
    diagnostics.push({
      code: 'unsupported-entry',
      line,
      message: 'The entry has several links; only the first is used. Give each link a separate entry.',
    })
  else if (title === '' && href === null)
    diagnostics.push({
      code: 'unsupported-entry',
      line,
      message: 'The entry has neither a title nor a target. Add one, or remove the entry.',
    })
  const nested = href === null ? nestedGroup(block.text)?.slug : undefined
  return { type: 'entry', title, href, ...defined({ slug: nested }), ...place }
}

/**
 * Returns a block's inline markdown. A heading's text is marked as a heading, so that `1. First` is not taken for a
 * list.
 */
const inlineOf = ({ kind, text }: Block): string =>
  kind === 'group' && /^[#>+\-~=*\d]/.test(text) ? `# ${text.replaceAll('\n', ' ')}` : text

function computedOf(yaml: string): SummaryNode['computed'] | null {
  try {
    checkNesting(yaml)
    const value: unknown = parse(yaml, { logLevel: 'silent' })
    if (!isRecord(value) || typeof value.type !== 'string') return null
    return {
      type: value.type,
      props: isRecord(value.props) ? value.props : {},
      dependencies: isRecord(value.dependencies) ? value.dependencies : {},
    }
  } catch {
    return null
  }
}

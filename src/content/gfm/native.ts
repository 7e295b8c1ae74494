/**
 * The native parser for CommonMark and GFM. It gives the same tree and offsets as the parser in TypeScript in about a
 * hundredth of the time.
 */
import { optionalLibrary } from '../../kernel/optional-library.js'
import { hasLongTitle } from './long-titles.js'
import type { Markdown } from './tree.js'

type Parse = (text: string) => Markdown

const FEATURES = { gfm: true, math: false, frontmatter: false, directive: false } as const

const library = optionalLibrary<typeof import('satteri')>('satteri')
const parse: Parse | null =
  library && ((text) => library.markdownToMdast(text, { features: FEATURES }) as unknown as Markdown)

/** Whether the native parser can be loaded on this machine. If not, the parser in TypeScript does all the work. */
export const isNative = parse !== null

/**
 * Runs of one delimiter that are too long. The parser recurses into each pair, and an exhausted stack would end the
 * process.
 */
const LONG_RUNS = ['*', '_', '~'].map((delimiter) => delimiter.repeat(200))
/** Maximum number of character references in one paragraph. They take the parser quadratic time. */
const MAX_ENTITIES = 1_000
/** Maximum length of a line with a non-ASCII character. The parser scans the line for each node in it. */
const MAX_LINE = 16_000
/** Maximum number of bare addresses in one paragraph. They take the parser quadratic time. */
const MAX_ADDRESSES = 2_000
const ADDRESS = /:\/\/|www\.|@/gi
const BEYOND_ASCII = /[\u0080-\uffff]/
/** Characters that the two parsers read differently: non-text characters, and line ends of old systems. */
const AMBIGUOUS = /\0|\r(?!\n)/

/**
 * Parses a text. Offsets are UTF-16 units into it. Returns null for a text that only the exact parser reads safely, or
 * that the two parsers read differently. The caller must ensure that the text is not too costly (`blocks/limits.ts`,
 * `blocks/weight.ts`), because a call cannot be interrupted.
 */
export function parseNatively(text: string): Markdown | null {
  if (
    parse === null ||
    AMBIGUOUS.test(text) ||
    !isWellFormed(text) ||
    LONG_RUNS.some((run) => text.includes(run)) ||
    hasManyEntities(text) ||
    hasLongTitle(text) ||
    hasSlowLines(text)
  )
    return null
  const root = parse(text)
  return settle(root, text) ? root : null
}

const isWellFormed = (text: string): boolean => text.isWellFormed()

function hasManyEntities(text: string): boolean {
  let count = 0
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) if (++count > MAX_ENTITIES) return true
  return false
}

function hasSlowLines(text: string): boolean {
  if (text.length <= MAX_LINE && (text.length <= MAX_ADDRESSES || (text.match(ADDRESS)?.length ?? 0) <= MAX_ADDRESSES))
    return false
  let addresses = 0
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const line = text.slice(start, end)
    if (line.length > MAX_LINE && BEYOND_ASCII.test(line)) return true
    addresses = line.trim() === '' ? 0 : addresses + (line.match(ADDRESS)?.length ?? 0)
    if (addresses > MAX_ADDRESSES) return true
    start = end + 1
  }
  return false
}

/**
 * Adjusts the tree to that of the exact parser. The paragraph of a task starts at its check box if it does not start
 * with text. Returns false if anything other than a paragraph has a check box, which the exact parser does not read as
 * a task. Also returns false if a list ends after its line, or a node ends within a line end (as an open fence in a
 * quote does).
 */
function settle(root: Markdown, text: string): boolean {
  const pending = [root]
  for (let node = pending.pop(); node; node = pending.pop()) {
    const first = node.children?.[0]
    const isTask = node.type === 'listItem' && typeof node.checked === 'boolean'
    if (isTask && first?.type !== 'paragraph') return false
    const end = node.position?.end.offset ?? 0
    const last = text.charCodeAt(end - 1)
    if ((last === 10 && node.type === 'list') || (last === 13 && text.charCodeAt(end) === 10)) return false
    if (isTask && first?.position && first.children?.[0]?.type !== 'text') {
      const box = text.lastIndexOf('[', (first.position.start.offset ?? 0) - 1)
      if (box >= (node.position?.start.offset ?? 0)) first.position.start.offset = box
    }
    if (node.children && node.type !== 'paragraph') for (const child of node.children) pending.push(child)
  }
  return true
}

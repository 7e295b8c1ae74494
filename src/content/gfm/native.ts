/** The native parser of CommonMark and GFM: about a hundredth of the time of the one in TypeScript, with the same tree and offsets. */
import { optionalLibrary } from '../../kernel/optional-library.js'
import { hasLongTitle } from './long-titles.js'
import type { Markdown } from './tree.js'

type Parse = (text: string) => Markdown

const FEATURES = { gfm: true, math: false, frontmatter: false, directive: false } as const

const library = optionalLibrary<typeof import('satteri')>('satteri')
const parse: Parse | null =
  library && ((text) => library.markdownToMdast(text, { features: FEATURES }) as unknown as Markdown)

/** Whether the native parser can be loaded on this machine. If it cannot, the one in TypeScript does all the work. */
export const isNative = parse !== null

/** Longest run of one delimiter. The parser recurses into each pair, and an exhausted stack would end the process. */
const LONG_RUNS = ['*', '_', '~'].map((delimiter) => delimiter.repeat(200))
/** Most character references in one paragraph: the parser takes quadratic time for them. */
const MAX_ENTITIES = 1_000
/** Longest line with a character beyond ASCII: the parser looks through it for each node in it. */
const MAX_LINE = 16_000
/** Most bare addresses in one paragraph: the parser takes quadratic time for them. */
const MAX_ADDRESSES = 2_000
const ADDRESS = /:\/\/|www\.|@/gi
const BEYOND_ASCII = /[\u0080-\uffff]/
/** What the two parsers read differently: characters that are not text, line ends of old systems. */
const ODD = /\0|\r(?!\n)/

/**
 * Parses a text; offsets are UTF-16 units into it. Returns null for a text that only the other parser reads safely or in the same
 * way. The caller has made sure that the text is not too costly (`blocks/limits.ts`, `blocks/weight.ts`): a call cannot be interrupted.
 */
export function parseNatively(text: string): Markdown | null {
  if (
    parse === null ||
    ODD.test(text) ||
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

const isWellFormed = (text: string): boolean => (text as unknown as { isWellFormed(): boolean }).isWellFormed()

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
 * Lets the paragraph of a task begin at its check box if it does not begin with text, as the other parser does. Returns false if
 * anything but a paragraph has a check box, which is not a task to the other parser, or if a list ends after its line, or a node
 * within a line end (with an open fence in a quote).
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

/** Rewrites only the changed blocks of a page's markdown, so that an edit leaves all other bytes alone. */
import type { BlockNode, DocumentNode } from '../types.js'
import { DocumentError } from './document-error.js'
import { fingerprint } from './meaning.js'
import { restyled } from './restyle.js'
import type { Position } from './block.js'

interface Edit {
  start: number
  end: number
  text: string
}

/** How much of a changed block is kept. */
export interface PatchWay {
  /** Whether to look into a block whose own data is unchanged, and to replace only its children. */
  deep: boolean
  /** Whether a block that is replaced keeps how its author wrote what is unchanged in it. */
  restyle: boolean
}

/** Blocks that are always replaced as a whole, since their children cannot be written on their own. */
const WHOLE = new Set(['table', 'table-row', 'images', 'image', 'unknown-block', 'code', 'expandable-title'])

/** The rest of a line, if the next one is not blank. */
const NEXT_LINE = /^[ \t]*(?:\r\n|\n)[ \t]*[^ \t\r\n]/

const blocks = (nodes: BlockNode['nodes']): BlockNode[] =>
  nodes.flatMap((node) => (node.object === 'block' ? [node] : []))
const place = (node: BlockNode): Position | null => {
  const at = node.data['position'] as Partial<Position> | undefined
  return typeof at?.start === 'number' && typeof at.end === 'number' ? (at as Position) : null
}
/** A block's own data, without its children. */
const own = (node: BlockNode): string =>
  fingerprint({ ...node, nodes: [], data: { ...node.data, ...(node.type === 'expandable' ? { title: '' } : {}) } })

/**
 * Changes the source of a tree (`base`) to that of another tree (`next`) by replacing only the blocks that differ. Blocks are paired
 * by their positions.
 * @param write prints a block as markdown, in the style of `like`
 */
export function patchSource(
  source: string,
  base: DocumentNode,
  next: DocumentNode,
  write: (node: BlockNode, path: string, like: string) => string,
  { deep, restyle }: PatchWay,
): string {
  const edits: Edit[] = []
  const eol = /\r\n/.test(source) && !/[^\r]\n/.test(source) ? '\r\n' : '\n'
  function siblings(before: BlockNode[], after: BlockNode[], path: string, top: boolean): boolean {
    let from = 0
    const pairs = after.map((node): number => {
      const at = place(node)
      const found = at
        ? before.findIndex(
            (old, index) => index >= from && place(old)?.start === at.start && place(old)?.end === at.end,
          )
        : -1
      if (found >= 0) from = found + 1
      return found
    })
    if (!top && (before.length !== after.length || pairs.some((pair) => pair < 0))) return false
    const used = new Set(pairs)
    before.forEach((old, index) => {
      if (used.has(index)) return
      const at = place(old) as Position
      const following = before[index + 1]
      const preceding = before[index - 1]
      if (following) edits.push({ start: at.start, end: (place(following) as Position).start, text: '' })
      else
        edits.push({
          start: preceding && used.has(index - 1) ? (place(preceding) as Position).end : at.start,
          end: at.end,
          text: '',
        })
    })
    let last = -1
    after.forEach((node, index) => {
      const pair = pairs[index] as number
      if (pair < 0) {
        const text = write(node, `${path}/${index}`, source).replace(/\r?\n/g, eol)
        const old = before[last]
        const at = old ? (place(old) as Position).end : before[0] ? (place(before[0]) as Position).start : source.length
        // Without a blank line, the text that follows would be the end of this block.
        const gap = NEXT_LINE.test(source.slice(at)) && (pairs[index + 1] ?? 0) >= 0 ? eol : ''
        edits.push({
          start: at,
          end: at,
          text: old ? `${eol}${eol}${text}${gap}` : `${text}${eol}${before[0] ? eol : ''}`,
        })
        return
      }
      if (last >= 0 && pair > last + 1)
        edits.push(...apart(source, before[last] as BlockNode, before[pair] as BlockNode))
      last = pair
      change(before[pair] as BlockNode, node, `${path}/${index}`)
    })
    return true
  }

  function change(old: BlockNode, node: BlockNode, path: string): void {
    if (fingerprint(old) === fingerprint(node)) return
    const inner = blocks(old.nodes)
    const fit =
      deep &&
      old.type === node.type &&
      inner.length > 0 &&
      inner.length === old.nodes.length &&
      !WHOLE.has(old.type) &&
      own(old) === own(node)
    const mark = edits.length
    if (fit && siblings(inner, blocks(node.nodes), `${path}/nodes`, false)) return
    edits.length = mark
    if (deep && old.type === 'table' && node.type === 'table' && rows(old, node, path)) return
    const { start, end } = place(old) as Position
    const like = source.slice(start, end)
    const written = write(node, path, like)
    const contained = (text: string): string => prefixed(text, source, start, eol)
    const was = restyle ? writtenBefore(old, path, like) : null
    const kept = was === null ? null : restyled(like, was, written, contained)
    edits.push({ start, end, text: kept ?? contained(written) })
  }

  /** How a block of the source is printed; null for one that could only be read. */
  function writtenBefore(old: BlockNode, path: string, like: string): string | null {
    try {
      return write(old, path, like)
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      return null
    }
  }

  /** A table with pipes has a line for each row: those that are the same stay as they are aligned. */
  function rows(old: BlockNode, node: BlockNode, path: string): boolean {
    const [before, after] = [blocks(old.nodes), blocks(node.nodes)]
    const at = place(old) as Position
    const like = source.slice(at.start, at.end)
    const linesOf = (table: string): string[] => table.split('\n').toSpliced(1, 1)
    const written = linesOf(write(node, path, like))
    const was = linesOf((restyle ? writtenBefore(old, path, like) : null) ?? '')
    if (
      before.length !== after.length ||
      written.length !== after.length ||
      !written[0]!.startsWith('|') ||
      like.startsWith('<')
    )
      return false
    before.forEach((row, index) => {
      const at = place(row)
      if (!at || fingerprint(row) === fingerprint(after[index]!)) return
      const kept = was[index]
        ? restyled(source.slice(at.start, at.end), was[index]!, written[index]!, (text) => text)
        : null
      edits.push({ start: at.start, end: at.end, text: kept ?? written[index]! })
    })
    return true
  }

  siblings(base.nodes, next.nodes, 'nodes', true)
  return applyEdits(source, edits)
}

/** Of two lists that become neighbours, the second one gets other markers, or they would be one list. */
function apart(source: string, one: BlockNode, other: BlockNode): Edit[] {
  const markerAt = (item: BlockNode): { start: number; end: number; mark: string } => {
    const start = (place(item) as Position).start
    const number = /^\d*/.exec(source.slice(start, start + 10))![0].length
    return { start: start + number, end: start + number + 1, mark: source.charAt(start + number) }
  }
  if (!one.type.startsWith('list-') || !other.type.startsWith('list-') || !one.nodes[0] || !other.nodes[0]) return []
  const { mark } = markerAt(blocks(one.nodes)[0]!)
  if (markerAt(blocks(other.nodes)[0]!).mark !== mark) return []
  const instead = mark === '.' ? ')' : mark === ')' ? '.' : mark === '*' ? '-' : '*'
  return blocks(other.nodes).map((item) => ({ ...markerAt(item), text: instead }))
}

/** Puts before every line but the first what containers (quotes, indentation) put before the line at `at`. */
function prefixed(text: string, source: string, at: number, eol: string): string {
  const line = source.slice(Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1, at)
  const prefix = line.replace(/[^>\t ]/g, ' ')
  return text
    .split(/\r?\n/)
    .map((one, index) => (index === 0 ? one : one === '' ? prefix.trimEnd() : prefix + one))
    .join(eol)
}

function applyEdits(source: string, edits: Edit[]): string {
  edits.sort((a, b) => a.start - b.start || a.end - b.end)
  let out = ''
  let at = 0
  for (const edit of edits) {
    out += source.slice(at, Math.max(at, edit.start)) + edit.text
    at = Math.max(at, edit.end)
  }
  return out + source.slice(at)
}

/** Rewrites only the changed blocks of a page's markdown, so that an edit preserves all other bytes. */
import { required } from '../../kernel/defined.js'
import type { BlockNode, DocumentNode } from '../types.js'
import { DocumentError } from './document-error.js'
import { fingerprint } from './meaning.js'
import { restyled } from './restyle.js'
import { type Position, positionOf } from './block.js'
import { isRecord } from '../../kernel/guards.js'

interface Edit {
  start: number
  end: number
  text: string
}

/** The parts of a changed block that are preserved. */
export interface PatchMode {
  /** Whether to replace only the children of a block whose own data is unchanged. */
  deep: boolean
  /** Whether a replaced block preserves the author's spelling of its unchanged parts. */
  restyle: boolean
}

/** Blocks that are always replaced as a whole, because their children cannot be written separately. */
const WHOLE = new Set(['table', 'table-row', 'images', 'image', 'unknown-block', 'code', 'expandable-title'])

/** Matches the rest of a line if the next line is not blank. */
const NEXT_LINE = /^[ \t]*(?:\r\n|\n)[ \t]*[^ \t\r\n]/

const blocks = (nodes: BlockNode['nodes']): BlockNode[] =>
  nodes.flatMap((node) => (node.object === 'block' ? [node] : []))
const place = (node: BlockNode): Omit<Position, 'line'> | null => {
  const { start, end } = isRecord(node.data['position']) ? node.data['position'] : {}
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null
}
/** Returns a block's own data, without its children. */
const own = (node: BlockNode): string =>
  fingerprint({ ...node, nodes: [], data: { ...node.data, ...(node.type === 'expandable' ? { title: '' } : {}) } })

/** Prints a block as markdown, in the style of `like`. */
type WriteBlock = (node: BlockNode, path: string, like: string) => string

/**
 * Changes the source of a tree (`base`) to the source of another tree (`next`) by replacing only the blocks that
 * differ. Blocks are paired by their positions.
 */
export function patchSource(
  source: string,
  base: DocumentNode,
  next: DocumentNode,
  write: WriteBlock,
  mode: PatchMode,
): string {
  const patch = new Patch(source, write, mode)
  patch.siblings(base.nodes, next.nodes, 'nodes', true)
  return applyEdits(source, patch.edits)
}

/** The edits of a source. */
class Patch {
  readonly edits: Edit[] = []
  readonly #eol: string

  constructor(
    readonly source: string,
    readonly write: WriteBlock,
    readonly mode: PatchMode,
  ) {
    this.#eol = /\r\n/.test(source) && !/[^\r]\n/.test(source) ? '\r\n' : '\n'
  }

  /** Changes the blocks of one level. Below the top, returns false if they do not correspond one to one. */
  siblings(before: BlockNode[], after: BlockNode[], path: string, top: boolean): boolean {
    const pairs = pairsOf(before, after)
    if (!top && (before.length !== after.length || pairs.some((pair) => pair < 0))) return false
    this.#remove(before, new Set(pairs))
    let last = -1
    for (const [index, node] of after.entries()) {
      const pair = pairs[index] ?? -1
      const old = before[pair]
      if (!old) {
        this.#insert(node, `${path}/${index}`, before, last, (pairs[index + 1] ?? 0) >= 0)
        continue
      }
      const preceding = before[last]
      if (preceding && pair > last + 1) this.edits.push(...apart(this.source, preceding, old))
      last = pair
      this.#change(old, node, `${path}/${index}`)
    }
    return true
  }

  /** Removes the blocks that have no pair. */
  #remove(before: BlockNode[], paired: ReadonlySet<number>): void {
    before.forEach((old, index) => {
      if (paired.has(index)) return
      const at = positionOf(old)
      const following = before[index + 1]
      const preceding = before[index - 1]
      if (following) this.edits.push({ start: at.start, end: positionOf(following).start, text: '' })
      else
        this.edits.push({
          start: preceding && paired.has(index - 1) ? positionOf(preceding).end : at.start,
          end: at.end,
          text: '',
        })
    })
  }

  /** Inserts a new block after the block `last` of the source (-1: before the first one). */
  #insert(node: BlockNode, path: string, before: BlockNode[], last: number, isBeforeOld: boolean): void {
    const { source } = this
    const eol = this.#eol
    const text = this.write(node, path, source).replace(/\r?\n/g, eol)
    const old = before[last]
    const at = old ? positionOf(old).end : before[0] ? positionOf(before[0]).start : source.length
    // Without a blank line, the following text would become the end of this block.
    const gap = NEXT_LINE.test(source.slice(at)) && isBeforeOld ? eol : ''
    this.edits.push({
      start: at,
      end: at,
      text: old ? `${eol}${eol}${text}${gap}` : `${text}${eol}${before[0] ? eol : ''}`,
    })
  }

  #change(old: BlockNode, node: BlockNode, path: string): void {
    if (fingerprint(old) === fingerprint(node)) return
    const { deep } = this.mode
    const inner = blocks(old.nodes)
    const fit =
      deep &&
      old.type === node.type &&
      inner.length > 0 &&
      inner.length === old.nodes.length &&
      !WHOLE.has(old.type) &&
      own(old) === own(node)
    const mark = this.edits.length
    if (fit && this.siblings(inner, blocks(node.nodes), `${path}/nodes`, false)) return
    this.edits.length = mark
    if (deep && old.type === 'table' && node.type === 'table' && this.#rows(old, node, path)) return
    this.#replace(old, node, path)
  }

  #replace(old: BlockNode, node: BlockNode, path: string): void {
    const { start, end } = positionOf(old)
    const like = this.source.slice(start, end)
    const written = this.write(node, path, like)
    const contained = (text: string): string => prefixed(text, this.source, start, this.#eol)
    const was = this.mode.restyle ? this.#writtenBefore(old, path, like) : null
    const kept = was === null ? null : restyled(like, was, written, contained)
    this.edits.push({ start, end, text: kept ?? contained(written) })
  }

  /** Prints a block of the source. Returns null for a block that can be read but not printed. */
  #writtenBefore(old: BlockNode, path: string, like: string): string | null {
    try {
      return this.write(old, path, like)
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error
      return null
    }
  }

  /**
   * Rewrites only the changed rows of a pipe table. It has one line per row, so unchanged rows keep their alignment.
   */
  #rows(old: BlockNode, node: BlockNode, path: string): boolean {
    const [before, after] = [blocks(old.nodes), blocks(node.nodes)]
    const at = positionOf(old)
    const like = this.source.slice(at.start, at.end)
    const linesOf = (table: string): string[] => table.split('\n').toSpliced(1, 1)
    const written = linesOf(this.write(node, path, like))
    const was = linesOf((this.mode.restyle ? this.#writtenBefore(old, path, like) : null) ?? '')
    if (
      before.length !== after.length ||
      written.length !== after.length ||
      !required(written[0]).startsWith('|') ||
      like.startsWith('<')
    )
      return false
    before.forEach((row, index) => {
      const at = place(row)
      if (!at || fingerprint(row) === fingerprint(required(after[index]))) return
      const kept = was[index]
        ? restyled(this.source.slice(at.start, at.end), required(was[index]), required(written[index]), (text) => text)
        : null
      this.edits.push({ start: at.start, end: at.end, text: kept ?? required(written[index]) })
    })
    return true
  }
}

/** Returns the index of the block at the same position in `before` for each block of `after`, in order; -1 if none. */
function pairsOf(before: BlockNode[], after: BlockNode[]): number[] {
  let from = 0
  return after.map((node): number => {
    const at = place(node)
    const found = at
      ? before.findIndex((old, index) => index >= from && place(old)?.start === at.start && place(old)?.end === at.end)
      : -1
    if (found >= 0) from = found + 1
    return found
  })
}

/** If two lists become adjacent, gives the second one other markers. With the same markers they would be one list. */
function apart(source: string, one: BlockNode, other: BlockNode): Edit[] {
  const markerAt = (item: BlockNode): { start: number; end: number; mark: string } => {
    const start = required(place(item)).start
    const number = required(/^\d*/.exec(source.slice(start, start + 10)))[0].length
    return { start: start + number, end: start + number + 1, mark: source.charAt(start + number) }
  }
  if (!one.type.startsWith('list-') || !other.type.startsWith('list-') || !one.nodes[0] || !other.nodes[0]) return []
  const { mark } = markerAt(required(blocks(one.nodes)[0]))
  if (markerAt(required(blocks(other.nodes)[0])).mark !== mark) return []
  const instead = mark === '.' ? ')' : mark === ')' ? '.' : mark === '*' ? '-' : '*'
  return blocks(other.nodes).map((item) => ({ ...markerAt(item), text: instead }))
}

/** Adds the container prefix (quotes, indentation) of the line at `at` to every line except the first. */
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

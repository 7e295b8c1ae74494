// Keeps the scan of a table of contents up to date during edits.
import { required } from '../../kernel/defined.js'
import { type Line, linesOf } from './lines.js'
import { type Block, type Scan, Scanner, scanSummary } from './scan.js'

/**
 * Scans a text after each of a series of edits. Only the range that an edit changed is scanned again, so that a
 * thousand edits of ten thousand lines cost as much as a few scans. The previous scan is modified, not copied: a caller
 * that still needs its blocks must copy them first.
 */
export class Rescanner {
  #text: string | null = null
  #scan: Scan = { blocks: [], definitions: new Map(), breaks: [] }

  /** Returns the same scan as `scanSummary`. */
  readonly scan = (text: string): Scan => {
    if (text === this.#text) return this.#scan
    const known = this.#text === null ? null : rescanned(this.#scan, this.#text, text)
    this.#scan = known ?? scanSummary(text)
    this.#text = text
    return this.#scan
  }
}

/** The range in which the old and the new text differ. */
interface Window {
  start: number
  oldEnd: number
  /** The difference in length between the new and the old text. */
  grown: number
}

/** Returns the greatest number up to which `holds` is true, by bisection. */
function most(limit: number, holds: (from: number, to: number) => boolean): number {
  let [low, high] = [0, limit + 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (holds(low, middle)) low = middle
    else high = middle
  }
  return low
}

function windowOf(before: string, after: string): Window {
  const shorter = Math.min(before.length, after.length)
  let start = most(shorter, (from, to) => before.slice(from, to) === after.slice(from, to))
  const atEnd = (text: string, from: number, to: number): string => text.slice(text.length - to, text.length - from)
  const tail = most(shorter - start, (from, to) => atEnd(before, from, to) === atEnd(after, from, to))
  // The range must start at the start of a line.
  while (start > 0 && !/[\r\n]/.test(required(before[start - 1]))) start--
  if (before[start - 1] === '\r') start--
  return { start, oldEnd: before.length - tail, grown: after.length - before.length }
}

/** Returns the index of the last block that starts before an offset, or -1. */
function lastBefore(blocks: readonly Block[], offset: number): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (required(blocks[middle]).start < offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

interface Step {
  list: Block[]
  index: number
  block: Block
}

/** Returns the blocks around an offset, outermost first. The last one is the last block that starts before it. */
function stepsTo(scan: Scan, offset: number): Step[] {
  const steps: Step[] = []
  for (let list = scan.blocks; ; ) {
    const index = lastBefore(list, offset)
    if (index < 0) return steps
    const block = required(list[index])
    steps.push({ list, index, block })
    list = block.children
  }
}

/**
 * Returns the first block at or after an offset that is a sibling of one of `steps`; `depth` is the index of that step.
 */
function nextOf(steps: readonly Step[], offset: number): { block: Block; depth: number; index: number } | null {
  for (let depth = steps.length - 1; depth >= 0; depth--) {
    const { list, index } = required(steps[depth])
    const next = Math.max(index, lastBefore(list, offset)) + 1
    if (list[next]) return { block: list[next], depth, index: next }
  }
  return null
}

/**
 * Updates the scan of `before` to that of `after`. Returns null if that is not possible; the scan must then be
 * discarded.
 */
function rescanned(scan: Scan, before: string, after: string): Scan | null {
  const window = windowOf(before, after)
  const steps = stepsTo(scan, window.start)
  const first = steps.at(-1)
  if (!first || isUneven(scan) || first.block.kind === 'paragraph') return null
  // An underlined heading may have lost its underline.
  if (first.block.kind === 'group' && !/^\ufeff? {0,3}#/.test(after.slice(first.block.start, first.block.start + 5)))
    return null
  const next = nextOf(steps, window.oldEnd)
  const from = first.block.start
  const to = next ? next.block.start + window.grown : after.length
  const region = after.slice(from, next ? lineEnd(after, to) : after.length)
  if (before.slice(endBefore(first, steps), from).trim() !== '' || from >= to) return null

  const holders = steps.slice(0, -1).map((step) => step.block)
  const open = holders.slice(0, next?.depth ?? 0)
  if (
    holders.some(
      (block) =>
        block.kind === 'paragraph' || block.end !== Math.max(block.ownEnd, required(block.children.at(-1)).end),
    )
  )
    return null
  const ends = open.map((block) => block.end)
  const tails = steps
    .slice(0, next ? next.depth + 1 : 0)
    .map(({ list, index }, depth) => list.slice(depth === required(next).depth ? required(next).index : index + 1))
  for (const [depth, { list, index }] of steps.entries()) list.length = depth === steps.length - 1 ? index : index + 1
  for (const block of holders.slice(open.length).reverse())
    block.end = Math.max(block.ownEnd, block.children.at(-1)?.end ?? 0)
  const breaks = scan.breaks.filter((start) => next && start >= next.block.start)
  scan.breaks = scan.breaks.filter((start) => start < from)

  const group = holders[0]?.kind === 'group' ? holders[0] : null
  const scanner = new Scanner(after, { result: scan, items: holders.filter((block) => block.kind === 'item'), group })
  const lines = linesOf(region).map((line): Line => placed(line, from, first.block.line))
  for (const line of lines) scanner.take(line)
  if (!next) scanner.finish()
  else if (!meets(required(steps[next.depth]).list, next.block, to)) return null
  if (isUneven(scan)) return null

  const lineBy = next ? required(lines.at(-1)).number - next.block.line : 0
  for (const [depth, tail] of tails.entries()) {
    for (const block of tail) shift(block, window.grown, lineBy)
    required(steps[depth]).list.push(...tail)
  }
  for (const [i, block] of open.entries()) block.end = required(ends[i]) + window.grown
  scan.breaks.push(...breaks.map((start) => start + window.grown))
  return scan
}

/** Whether the meaning of a line may depend on more than the blocks around it. */
const isUneven = (scan: Scan): boolean =>
  scan.definitions.size > 0 || scan.tooDeep !== undefined || scan.lifted === true

/** Returns the end of the block before this one. Only white space may be between them. */
function endBefore({ list, index, block }: Step, steps: readonly Step[]): number {
  const previous = list[index - 1]
  return previous?.end ?? steps.at(-2)?.block.ownEnd ?? block.start
}

/** Whether the line at `to` was scanned as the same block as before. If so, the new block is removed again. */
function meets(list: Block[], old: Block, to: number): boolean {
  const now = list.at(-1)
  if (
    now?.start !== to ||
    now.kind !== old.kind ||
    now.indent !== old.indent ||
    now.content !== old.content ||
    now.marker !== old.marker
  )
    return false
  list.pop()
  return true
}

const placed = ({ number, start, textEnd, end }: Line, by: number, line: number): Line => ({
  ...{ number: number + line - 1, start: start + by },
  ...{ textEnd: textEnd + by, end: end + by },
})

function lineEnd(text: string, at: number): number {
  const ending = /\r\n|\n|\r/g
  ending.lastIndex = at
  return ending.test(text) ? ending.lastIndex : text.length
}

function shift(block: Block, by: number, lines: number): void {
  block.line += lines
  block.start += by
  block.ownEnd += by
  block.end += by
  block.textStart += by
  for (const child of block.children) shift(child, by, lines)
}

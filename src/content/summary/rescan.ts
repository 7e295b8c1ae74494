import { type Line, linesOf } from './lines.js'
import { type Block, type Scan, Scanner, scanSummary } from './scan.js'

/**
 * Scans versions of a text one after the other. What an edit left alone is not read again: a thousand edits of a text of ten thousand lines
 * cost a few scans. The scan that was answered before is changed, not copied: who still needs blocks of it copies them.
 */
export class Rescanner {
  #text: string | null = null
  #scan: Scan = { blocks: [], definitions: new Map(), breaks: [] }

  /** What `scanSummary` answers for the text. */
  readonly scan = (text: string): Scan => {
    if (text === this.#text) return this.#scan
    const known = this.#text === null ? null : rescanned(this.#scan, this.#text, text)
    this.#scan = known ?? scanSummary(text)
    this.#text = text
    return this.#scan
  }
}

/** A range of the old text and what it became; all before and after it is the same. */
interface Window {
  start: number
  oldEnd: number
  /** How much longer the text is now. */
  grown: number
}

/** The greatest number for which `holds` does; it holds up to there. */
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
  // What a line is depends on the ones before it: the range begins with a line.
  while (start > 0 && !/[\r\n]/.test(before[start - 1]!)) start--
  if (before[start - 1] === '\r') start--
  return { start, oldEnd: before.length - tail, grown: after.length - before.length }
}

/** Index of the last block that begins before an offset, or -1. */
function lastBefore(blocks: readonly Block[], offset: number): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (blocks[middle]!.start < offset) low = middle + 1
    else high = middle
  }
  return low - 1
}

interface Step {
  list: Block[]
  index: number
  block: Block
}

/** The last block before an offset, with those that hold it, outermost first. */
function stepsTo(scan: Scan, offset: number): Step[] {
  const steps: Step[] = []
  for (let list = scan.blocks; ; ) {
    const index = lastBefore(list, offset)
    if (index < 0) return steps
    const block = list[index]!
    steps.push({ list, index, block })
    list = block.children
  }
}

/** The next block in the text that begins at or after an offset and is a sibling of one of these; `depth` is that of its list. */
function nextOf(steps: readonly Step[], offset: number): { block: Block; depth: number; index: number } | null {
  for (let depth = steps.length - 1; depth >= 0; depth--) {
    const { list, index } = steps[depth]!
    const next = Math.max(index, lastBefore(list, offset)) + 1
    if (list[next]) return { block: list[next], depth, index: next }
  }
  return null
}

/** Changes the scan of `before` to that of `after`. Null where that cannot be done piece by piece; the scan is then spoiled. */
function rescanned(scan: Scan, before: string, after: string): Scan | null {
  const window = windowOf(before, after)
  const steps = stepsTo(scan, window.start)
  const first = steps.at(-1)
  if (!first || isUneven(scan) || first.block.kind === 'paragraph') return null
  // A heading that the line below it makes one may be none now.
  if (first.block.kind === 'group' && !/^\ufeff? {0,3}#/.test(after.slice(first.block.start, first.block.start + 5))) return null
  const next = nextOf(steps, window.oldEnd)
  const from = first.block.start
  const to = next ? next.block.start + window.grown : after.length
  const region = after.slice(from, next ? lineEnd(after, to) : after.length)
  if (before.slice(endBefore(first, steps), from).trim() !== '' || from >= to) return null

  const holders = steps.slice(0, -1).map((step) => step.block)
  const open = holders.slice(0, next?.depth ?? 0)
  if (holders.some((block) => block.kind === 'paragraph' || block.end !== Math.max(block.ownEnd, block.children.at(-1)!.end))) return null
  const ends = open.map((block) => block.end)
  const tails = steps.slice(0, next ? next.depth + 1 : 0).map(({ list, index }, depth) => list.slice(depth === next!.depth ? next!.index : index + 1))
  for (const [depth, { list, index }] of steps.entries()) list.length = depth === steps.length - 1 ? index : index + 1
  for (const block of holders.slice(open.length).reverse()) block.end = Math.max(block.ownEnd, block.children.at(-1)?.end ?? 0)
  const breaks = scan.breaks.filter((start) => next && start >= next.block.start)
  scan.breaks = scan.breaks.filter((start) => start < from)

  const group = holders[0]?.kind === 'group' ? holders[0] : null
  const scanner = new Scanner(after, { result: scan, items: holders.filter((block) => block.kind === 'item'), group })
  const lines = linesOf(region).map((line): Line => placed(line, from, first.block.line))
  for (const line of lines) scanner.take(line)
  if (!next) scanner.finish()
  else if (!meets(steps[next.depth]!.list, next.block, to)) return null
  if (isUneven(scan)) return null

  const lineBy = next ? lines.at(-1)!.number - next.block.line : 0
  for (const [depth, tail] of tails.entries()) {
    for (const block of tail) shift(block, window.grown, lineBy)
    steps[depth]!.list.push(...tail)
  }
  for (const [i, block] of open.entries()) block.end = ends[i]! + window.grown
  scan.breaks.push(...breaks.map((start) => start + window.grown))
  return scan
}

/** What a place in the text means hangs on more than the blocks that hold it. */
const isUneven = (scan: Scan): boolean => scan.definitions.size > 0 || scan.tooDeep !== undefined || scan.lifted === true

/** Where what stands before a block in its list ends: between there and the block must be nothing. */
function endBefore({ list, index, block }: Step, steps: readonly Step[]): number {
  const previous = list[index - 1]
  return previous?.end ?? steps.at(-2)?.block.ownEnd ?? block.start
}

/** Whether the line at `to` was read as the block that stood there before; it is taken away again. */
function meets(list: Block[], old: Block, to: number): boolean {
  const now = list.at(-1)
  if (now?.start !== to || now.kind !== old.kind || now.indent !== old.indent || now.content !== old.content || now.marker !== old.marker) return false
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

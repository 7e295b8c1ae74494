/** Merges two edits of one page, block by block. A block that only one side changed takes that side's text. */
import { diffArrays } from 'diff'

/** An edit of a text. The offsets count in the text before it. */
export interface TextEdit {
  from: number
  to: number
  insert: string
}

/** Blocks that both sides changed differently. */
export interface BlockConflict {
  base: string
  mine: string
  theirs: string
  /** The position of the block in my text. */
  from: number
  to: number
}

/** A merge of three texts. */
export interface BlockMerge {
  /** The edits that insert the other side's blocks into my text. Blocks in conflict stay mine. */
  edits: TextEdit[]
  conflicts: BlockConflict[]
}

/** Maximum number of changed blocks. Beyond it, everything between the first and the last change is one block. */
const MAX_CHANGED_BLOCKS = 4_000

/**
 * Splits a text into blocks and the blank lines between them. Fenced code is one block; lines of a front matter, and
 * tags such as `{% hint %}`, are one block each.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let current = ''
  let kind: 'text' | 'blank' | 'fence' | 'head' = 'text'
  let fence = ''
  const flush = (): void => {
    if (current !== '') blocks.push(current)
    current = ''
  }
  for (const [at, line] of (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const bare = line.trim()
    if (kind === 'fence') {
      current += line
      if (bare.startsWith(fence) && /^(`+|~+)$/.test(bare)) {
        flush()
        kind = 'text'
      }
      continue
    }
    const opened = /^(?:`{3,}|~{3,})/.exec(bare)?.[0]
    const isFence = at === 0 && bare === '---'
    const inHead: boolean = kind === 'head'
    const single: boolean = inHead || isFence || /^\{%.*%\}$/.test(bare)
    const next: 'text' | 'blank' | 'fence' = opened !== undefined ? 'fence' : bare === '' && !inHead ? 'blank' : 'text'
    if (single || next !== kind) flush()
    current += line
    if (single) {
      flush()
      kind = isFence || (inHead && bare !== '---') ? 'head' : 'text'
      continue
    }
    fence = opened ?? ''
    kind = next
  }
  flush()
  return blocks
}

/** A change of a list of blocks: the blocks `from` to `to` became `with`. */
interface Change {
  from: number
  to: number
  with: readonly string[]
}

/** Returns the changes between two lists of blocks. */
function changesBetween(before: readonly string[], after: readonly string[]): Change[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let tail = 0
  while (
    tail < before.length - start &&
    tail < after.length - start &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++
  const old = before.slice(start, before.length - tail)
  const now = after.slice(start, after.length - tail)
  if (old.length === 0 && now.length === 0) return []
  const parts = diffArrays(old, now, { maxEditLength: MAX_CHANGED_BLOCKS })
  if (!parts) return [{ from: start, to: start + old.length, with: now }]
  const changes: Change[] = []
  let at = start
  let open: { from: number; to: number; with: string[] } | null = null
  for (const { value, added, removed } of parts) {
    if (!added && !removed) {
      open = null
      at += value.length
      continue
    }
    if (!open) {
      open = { from: at, to: at, with: [] }
      changes.push(open)
    }
    if (added) open.with.push(...value)
    else {
      at += value.length
      open.to = at
    }
  }
  return changes
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])
/** Whether two changes cannot both be made. Changes of neighboring blocks can. */
const collide = (a: Change, b: Change): boolean =>
  a.from === a.to && b.from === b.to ? a.from === b.from : a.from < b.to && b.from < a.to

/** Merges two texts with the text that both are based on. Line ends must be line feeds. */
export function mergeBlocks(base: string, mine: string, theirs: string): BlockMerge {
  const blocks = blocksOf(base)
  const own = changesBetween(blocks, blocksOf(mine))
  const other = changesBetween(blocks, blocksOf(theirs))
  const edits: TextEdit[] = []
  const conflicts: BlockConflict[] = []
  const offsets = offsetsOf(blocks)
  const offset = (index: number): number => offsets[index] ?? 0
  let next = 0
  /** The difference in length between my text and the base, before the current block. */
  let shift = 0
  const grow = ({ from, to, with: put }: Change): number => put.join('').length - (offset(to) - offset(from))
  for (let at = 0; at < other.length; at++) {
    const change = other[at] as Change
    while (next < own.length && isBefore(own[next] as Change, change)) shift += grow(own[next++] as Change)
    const group = { mine: [] as Change[], theirs: [change], from: change.from, to: change.to }
    for (;;) {
      const mineNext = own[next + group.mine.length]
      const theirsNext = other[at + group.theirs.length]
      const touches = (one: Change | undefined): one is Change =>
        one !== undefined && collide(one, { from: group.from, to: group.to, with: [] })
      const [found, to] = touches(mineNext)
        ? [mineNext, group.mine]
        : group.mine.length > 0 && touches(theirsNext)
          ? [theirsNext, group.theirs]
          : [null, null]
      if (!found) break
      to.push(found)
      group.from = Math.min(group.from, found.from)
      group.to = Math.max(group.to, found.to)
    }
    at += group.theirs.length - 1
    const from = offset(group.from) + shift
    const was = blocks.slice(group.from, group.to)
    const [ours, theirsText] = [applied(was, group.mine, group.from), applied(was, group.theirs, group.from)]
    const to = from + ours.join('').length
    if (group.mine.length === 0) edits.push({ from, to, insert: theirsText.join('') })
    else if (!isSame(ours, theirsText))
      conflicts.push({ base: was.join(''), mine: ours.join(''), theirs: theirsText.join(''), from, to })
    for (const one of group.mine) shift += grow(one)
    next += group.mine.length
  }
  return { edits, conflicts }
}

/** Whether a change of mine is before one of theirs and does not collide with it. */
const isBefore = (mine: Change, theirs: Change): boolean => mine.to <= theirs.from && !collide(mine, theirs)

function applied(was: readonly string[], changes: readonly Change[], start: number): string[] {
  const result: string[] = []
  let at = 0
  for (const { from, to, with: put } of changes) {
    result.push(...was.slice(at, from - start), ...put)
    at = to - start
  }
  return [...result, ...was.slice(at)]
}

function offsetsOf(blocks: readonly string[]): number[] {
  const offsets = [0]
  for (const block of blocks) offsets.push((offsets.at(-1) ?? 0) + block.length)
  return offsets
}

/** A block of the page as the server has it. */
interface OldBlock {
  node: string
  source: string
}

/** Another text for a block. Null = the block is to be removed, which a suggestion cannot say. */
export interface BlockEdit {
  node: string
  markdown: string | null
}

/**
 * Returns the edits that lead from one list of blocks to another. A new block is added to the one before it, or to the
 * one after it at the start of the page. Null if the lists are too different, or no block can take a new one.
 */
export function editsBetween(old: readonly OldBlock[], now: readonly string[]): BlockEdit[] | null {
  const parts = diffArrays(
    old.map(({ source }) => source),
    [...now],
    { maxEditLength: MAX_CHANGED_BLOCKS },
  )
  if (!parts) return null
  const texts: string[][] = old.map(() => [])
  /** New blocks before the first old one. */
  const first: string[] = []
  let at = 0
  let replaced: number[] = []
  for (const { value, added, removed } of parts) {
    if (removed) replaced = value.map(() => at++)
    else if (added) {
      for (const [index, text] of value.entries()) {
        const place = replaced[index] ?? replaced.at(-1) ?? at - 1
        ;(texts[place] ?? first).push(text)
      }
      replaced = []
    } else {
      replaced = []
      for (const text of value) texts[at++]?.push(text)
    }
  }
  if (first.length > 0 && texts.length === 0) return null
  texts[0]?.unshift(...first)
  return old.flatMap(({ node, source }, index): BlockEdit[] => {
    const text = (texts[index] ?? []).join('\n\n')
    return text === source ? [] : [{ node, markdown: text.trim() === '' ? null : text }]
  })
}

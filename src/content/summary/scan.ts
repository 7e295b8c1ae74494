/** The scanner of SUMMARY.md: splits the text into the groups, list items and paragraphs of the tree. */
import { required } from '../../kernel/defined.js'
import type { Block, Scan } from './block.js'
import { chaptersOf, isChapter } from './chapters.js'
import { frontMatterLines, type Line, linesOf } from './lines.js'
import { dedent, indentation } from './edit-lines.js'

export type { Block, Scan } from './block.js'

/**
 * Maximum nesting. Deeper items become siblings of the deepest allowed one, because code that reads the tree may
 * recurse.
 */
export const MAX_DEPTH = 64

const MARKER = /^(?:[*+-]|\d{1,9}[.)])(?=[ \t]|$)/
const BREAK = /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const HEADING = /^(#{1,6})(?:[ \t]|$)/
const FENCE = /^(`{3,})([^`]*)$|^(~{3,})(.*)$/
const DEFINITION = /^\[([^\]\\]{1,999})\]:[ \t]*\S/
const UNDERLINE = /^(=+|-+)[ \t]*$/

/** Returns a reference label in CommonMark's normalized form. */
export const normalizeLabel = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase()

interface Fence {
  char: string
  length: number
  base: number
  item: Block | null
  lines: string[]
  yaml: boolean
}

/** The state of a scan that starts in the middle of a text: see `rescan.ts`. */
interface Resume {
  result: Scan
  /** The items that may contain the next line, outermost first, and the group. */
  items: Block[]
  group: Block | null
}

/** Scans the lines of a table of contents into blocks, one by one. */
export class Scanner {
  readonly result: Scan = { blocks: [], definitions: new Map(), breaks: [] }
  private items: Block[] = []
  private group: Block | null = null
  private paragraph: Block[] = []
  /** Whether the first paragraph of the deepest item may continue. */
  private open = false
  private fence: Fence | null = null
  /** The number of items that contain an open comment. */
  private comment: number | null = null
  private titled = false

  constructor(
    private readonly text: string,
    from?: Resume,
  ) {
    if (!from) return
    this.result = from.result
    this.items = from.items
    this.group = from.group
    this.titled = true
  }

  run(): Scan {
    const lines = linesOf(this.text)
    for (let i = frontMatterLines(this.text, lines); i < lines.length; i++) this.take(required(lines[i]))
    return this.finish()
  }

  /** Closes all open blocks. */
  finish(): Scan {
    this.endFence()
    this.endParagraph()
    this.closeTo(0)
    return this.result
  }

  take(line: Line): void {
    const raw = this.text.slice(line.start, line.textEnd)
    const { position, column } = indentation(raw)
    const rest = raw.slice(position).trimEnd()
    if (this.comment !== null) this.remark(line, rest, this.comment)
    else if (this.fence && this.inFence(line, raw, rest, column)) {
      return
    } else if (rest === '') {
      this.open = false
      this.endParagraph()
    } else this.block(line, rest, line.start + position, column)
  }

  private inFence(line: Line, raw: string, rest: string, column: number): boolean {
    const fence = required(this.fence)
    if (rest !== '' && fence.item && column < fence.base) {
      this.endFence()
      return false
    }
    if (rest !== '') this.extend(line)
    if (rest.length >= fence.length && rest === fence.char.repeat(rest.length) && column - fence.base < 4)
      this.endFence()
    else fence.lines.push(dedent(raw, fence.base))
    return true
  }

  private endFence(): void {
    const { fence } = this
    if (fence?.item && fence.yaml && fence.item.yaml === undefined) fence.item.yaml = fence.lines.join('\n')
    this.fence = null
  }

  private block(line: Line, rest: string, at: number, column: number): void {
    const inside = this.insideOf(column)
    const shallow = column - (this.items[inside - 1]?.content ?? 0) < 4
    const fence = shallow ? FENCE.exec(rest) : null
    if (this.paragraph.length > 0 && column < 4 && UNDERLINE.test(rest)) this.underline(line, rest)
    else if (shallow && BREAK.test(rest)) this.break(line, inside)
    else if (shallow && HEADING.test(rest)) this.heading(line, rest, at, inside)
    else if (fence) {
      this.enter(inside, line)
      this.startFence(fence)
    } else if (rest.startsWith('<!--')) {
      this.endParagraph()
      this.open = false
      this.remark(line, rest, inside)
    } else if (this.isItem(rest)) this.item(line, rest, at, column, inside)
    else this.prose(line, rest, at, inside)
  }

  /** Returns the number of open items that contain a line at this column. */
  private insideOf(column: number): number {
    let depth = this.items.length
    while (depth > 0 && required(this.items[depth - 1]).content > column) depth--
    return depth
  }

  private isItem(rest: string): boolean {
    const marker = MARKER.exec(rest)?.[0]
    if (marker === undefined) return false
    return (
      this.paragraph.length === 0 || (marker.length < rest.length && (marker.length === 1 || /^1[.)]$/.test(marker)))
    )
  }

  private enter(inside: number, line: Line): void {
    this.endParagraph()
    this.closeTo(inside)
    this.open = false
    this.extend(line)
  }

  private startFence(found: RegExpExecArray): void {
    const mark = found[1] ?? required(found[3])
    const item = this.items.at(-1) ?? null
    const info = (found[2] ?? found[4] ?? '').trim().toLowerCase()
    this.fence = {
      char: required(mark[0]),
      length: mark.length,
      base: item?.content ?? 0,
      item,
      lines: [],
      yaml: /^ya?ml\b/.test(info),
    }
  }

  private break(line: Line, inside: number): void {
    this.enter(inside, line)
    if (inside > 0) return
    this.group = null
    this.result.breaks.push(line.start)
  }

  private underline(line: Line, rest: string): void {
    const heading = this.paragraph
    this.paragraph = []
    const first = required(heading[0])
    this.openGroup(rest[0] === '=' ? 1 : 2, {
      ...first,
      text: heading.map((block) => block.text).join('\n'),
      ownEnd: line.end,
      end: line.end,
      marker: '##',
    })
  }

  private heading(line: Line, rest: string, at: number, inside: number): void {
    this.enter(inside, line)
    if (inside > 0) return
    const marker = required(HEADING.exec(rest)?.[1])
    const lead = indentation(rest, marker.length).position
    const text = rest
      .slice(lead)
      .replace(/(^|[ \t])#+$/, '')
      .trimEnd()
    const { number, start, end } = line
    this.openGroup(marker.length, {
      ...{ kind: 'group', line: number, start, ownEnd: end, end, indent: 0, content: 0 },
      ...{ marker, text, textStart: at + lead, children: [] },
    })
  }

  /**
   * Opens a group. The first H1 is the title; later ones are parts (mdBook). A heading without text ends the group
   * (legacy GitBook).
   */
  private openGroup(level: number, block: Block): void {
    this.closeTo(0)
    this.group = null
    const isTitle = level === 1 && !this.titled && this.result.blocks.length === 0
    this.titled = true
    if (isTitle) return
    if (block.text === '') this.result.breaks.push(block.start)
    else this.result.blocks.push((this.group = { ...block, kind: 'group', content: 0 }))
  }

  private item(line: Line, rest: string, at: number, column: number, inside: number): void {
    this.endParagraph()
    this.closeTo(inside)
    if (this.items.length >= MAX_DEPTH) {
      this.result.tooDeep ??= line.number
      this.closeTo(MAX_DEPTH - 1)
    }
    const marker = required(MARKER.exec(rest))[0]
    let [position, content] = afterMarker(rest, 0, column)
    // An item that starts with an item (`* * [x](y)`) is one entry.
    for (
      let inner = 1;
      inner < MAX_DEPTH && MARKER.test(rest.slice(position)) && !BREAK.test(rest.slice(position));
      inner++
    ) {
      ;[position, content] = afterMarker(rest, position, content)
    }
    const { number, start, end } = line
    const text = rest.slice(position)
    const block: Block = {
      kind: 'item',
      line: number,
      start,
      ownEnd: end,
      end,
      indent: column,
      content,
      marker,
      text,
      textStart: at + position,
      children: [],
    }
    const parent = this.items.at(-1) ?? this.group
    ;(parent?.children ?? this.result.blocks).push(block)
    this.items.push(block)
    const fence = FENCE.exec(text)
    this.open = !fence
    if (!fence) return
    block.text = ''
    this.startFence(fence)
  }

  private prose(line: Line, rest: string, at: number, inside: number): void {
    const definition = DEFINITION.exec(rest)
    if (definition) {
      const label = normalizeLabel(required(definition[1]))
      if (!this.result.definitions.has(label)) this.result.definitions.set(label, rest)
      return
    }
    const top = this.items.at(-1)
    if (top && this.open) {
      top.text += top.text === '' ? rest : `\n${rest}`
      this.extend(line)
    } else if (inside > 0) {
      this.closeTo(inside)
      this.extend(line)
    } else {
      this.closeTo(0)
      const { number, start, end } = line
      this.paragraph.push({
        ...{ kind: 'paragraph', line: number, start, ownEnd: end, end, indent: 0, content: 0 },
        ...{ marker: '', text: rest, textStart: at, children: [] },
      })
    }
  }

  /**
   * Adds a comment line to the items that contain it. It ends no item: the following lines may be nested in the items
   * before it.
   */
  private remark(line: Line, rest: string, inside: number): void {
    this.extend(line, this.items[inside - 1] ?? null)
    this.comment = rest.includes('-->') ? null : inside
  }

  /** Adds the line to the deepest open item, or to another one. */
  private extend(line: Line, top: Block | null = this.items.at(-1) ?? null): void {
    if (!top) return
    top.end = line.end
    if (top.children.length === 0) top.ownEnd = line.end
  }

  /**
   * Ends a paragraph. If each of its lines consists of links, the links are chapters outside of lists (mdBook). After
   * the list of a part, they do not belong to that part.
   */
  private endParagraph(): void {
    const lines = this.paragraph
    this.paragraph = []
    if (lines.length === 0 || !lines.every(({ text }) => isChapter(text))) return
    if (this.group?.marker === '#' && this.group.children.length > 0) this.group = null
    for (const block of lines.flatMap(chaptersOf)) {
      ;(this.group?.children ?? this.result.blocks).push(block)
      if (this.group) this.group.end = block.end
    }
  }

  private closeTo(depth: number): void {
    while (this.items.length > depth) {
      const item = required(this.items.pop())
      const parent = this.items.at(-1) ?? this.group
      if (parent) parent.end = Math.max(parent.end, item.end)
      if (item.yaml !== undefined || item.text.replace(/<!--[\s\S]*?(?:-->|$)/g, '').trim() !== '') continue
      const siblings = parent?.children ?? this.result.blocks
      siblings.pop()
      this.result.lifted = true
      for (const child of item.children) siblings.push(child)
    }
    if (depth === 0) this.open = false
  }
}

function afterMarker(rest: string, from: number, column: number): [position: number, content: number] {
  const marker = required(MARKER.exec(rest.slice(from)))[0]
  const after = indentation(rest, from + marker.length, column + marker.length)
  const gap = after.column - column - marker.length
  return [after.position, column + marker.length + (after.position < rest.length && gap < 5 ? gap : 1)]
}

/** Finds the headings, items and paragraphs of links, in linear time. Never throws. */
export const scanSummary = (text: string): Scan => new Scanner(text).run()

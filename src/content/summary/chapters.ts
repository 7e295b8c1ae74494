/** Chapters outside of lists (mdBook): lines that consist of links. */
import { required } from '../../kernel/defined.js'
import type { PhrasingContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Block } from './block.js'
import { eolOf } from './edit-lines.js'

const CHAPTER = /^\[.*\]\(.*\)$|^\[[^\]]+\](?:\[[^\]]*\])?$/

/**
 * Maximum number of characters of a line that is split. A longer line stays one chapter, because parsing it may take
 * quadratic time.
 */
const MAX_LENGTH = 1000

/** Whether a line outside of lists is a chapter. */
export const isChapter = (text: string): boolean => CHAPTER.test(text)

/** Splits a line into one block per link, like mdBook. A line with one link stays one block. */
export function chaptersOf(line: Block): Block[] {
  const { text } = line
  if (text.length > MAX_LENGTH || text.indexOf('](') === text.lastIndexOf('](')) return [line]
  const [paragraph] = fromMarkdown(text).children
  const links = paragraph?.type === 'paragraph' ? paragraph.children.filter(hasLink) : []
  if (links.length < 2) return [line]
  const starts = links.map(({ position }) => required(required(position).start.offset))
  return links.map(({ position }, i) => {
    const [from, next] = [required(starts[i]), starts[i + 1]]
    const to = next === undefined ? line.end : line.textStart + next
    const own = { start: i === 0 ? line.start : line.textStart + from, ownEnd: to, end: to }
    const inline = { text: text.slice(from, required(position).end.offset), textStart: line.textStart + from }
    return { ...line, ...own, ...inline, shared: true, children: [] }
  })
}

/** Whether a node is a link, or emphasis around one. */
const hasLink = (node: PhrasingContent): boolean =>
  node.type === 'link' || ('children' in node && node.children.some(hasLink))

const textEnd = ({ textStart, text }: Block): number => textStart + text.length

/** Removes a chapter that shares its line, and the text between it and its neighbor. */
export function cutChapter(text: string, siblings: readonly Block[], index: number): string {
  const block = required(siblings[index])
  const previous = siblings[index - 1]
  return previous?.line === block.line
    ? text.slice(0, textEnd(previous)) + text.slice(textEnd(block))
    : text.slice(0, block.textStart) + text.slice(block.end)
}

/**
 * Adds a line break before the sibling at `index` if it shares a line with the previous sibling. Other lines can then be
 * inserted between the two.
 */
export function breakBefore(text: string, siblings: readonly Block[], index: number): string {
  const [previous, next] = [siblings[index - 1], siblings[index]]
  if (!previous?.shared || next?.line !== previous.line) return text
  return text.slice(0, textEnd(previous)) + eolOf(text) + text.slice(next.textStart)
}

/** Returns the block without the rest of the line that it shares. */
export const withoutNeighbors = (block: Block): Block =>
  block.shared ? { ...block, start: block.textStart, ownEnd: textEnd(block), end: textEnd(block) } : block

// The context that the converters of single blocks share while a page is parsed.
import type { BlockNode } from '../types.js'
import type { Markdown } from '../gfm/tree.js'
import type { Position } from './block.js'
import type { Region } from './region.js'

/** The text that is being parsed, and functions that parse nested content. */
export interface ConversionContext {
  region: Region
  /** Link definitions by normalized identifier. */
  definitions: Map<string, Markdown>
  depth: number
  /** Returns the position in the page of a range of the region. */
  position(start: number, end: number): Position
  /** Returns the source at a position in the page. */
  slice(position: Position): string
  /** Returns the same context one level deeper. */
  deeper(): ConversionContext
  /** Returns the blocks of sibling nodes, one level deeper. */
  blocks(nodes: readonly Markdown[]): BlockNode[]
  /** Parses a range of the region that is markdown within HTML, one level deeper. */
  part(start: number, end: number): BlockNode[]
}

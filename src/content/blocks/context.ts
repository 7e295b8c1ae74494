// What the converters of single blocks share while a page becomes a tree.
import type { BlockNode } from '../types.js'
import type { Markdown } from '../gfm/tree.js'
import type { Position } from './block.js'
import type { Region } from './region.js'

/** What converters get: the text that is being parsed, and functions to parse what is nested in it. */
export interface ConversionContext {
  region: Region
  /** Link definitions by normalised identifier. */
  definitions: Map<string, Markdown>
  depth: number
  /** The position in the page of a range of the region. */
  position(start: number, end: number): Position
  /** The source at a position in the page. */
  slice(position: Position): string
  /** The same context, one level deeper. */
  deeper(): ConversionContext
  /** The blocks of sibling nodes, one level deeper. */
  blocks(nodes: readonly Markdown[]): BlockNode[]
  /** The blocks of a range of the region that is markdown within HTML, one level deeper. */
  part(start: number, end: number): BlockNode[]
}

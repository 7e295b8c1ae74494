import type { BlockNode } from '../types.js'
import type { Markdown } from './markdown.js'
import type { Position } from './node.js'
import type { Region } from './region.js'

/** What converters are given: the text at hand, and the way down. */
export interface Context {
  region: Region
  /** Link definitions by normalised identifier. */
  definitions: Map<string, Markdown>
  depth: number
  /** Position in the page of a range of the region. */
  position(start: number, end: number): Position
  /** Source of a range of the region. */
  slice(position: Position): string
  /** The same, one level deeper. */
  deeper(): Context
  /** Blocks of sibling nodes, one level deeper. */
  blocks(nodes: readonly Markdown[]): BlockNode[]
  /** Blocks of a part of the region that is markdown within HTML, one level deeper. */
  part(start: number, end: number): BlockNode[]
}

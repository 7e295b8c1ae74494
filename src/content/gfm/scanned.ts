/** What a parser finds in markdown that may name something else. */
import type { ReferenceKind, TargetEncoding } from '../reference.js'

/** UTF-16 offsets into the page; `end` is exclusive. */
export type Span = readonly [start: number, end: number]

export type Target = readonly [kind: ReferenceKind, start: number, end: number, encoding: TargetEncoding]

export interface Scanned {
  /** Targets of markdown's own syntax, as they are written. */
  targets: readonly Target[]
  /** Fences, indented blocks and spans of code, in which there are no references. */
  code: readonly Span[]
  /** Blocks and tags of HTML. */
  html: readonly Span[]
}

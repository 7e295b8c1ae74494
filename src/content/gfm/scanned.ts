/** The parts of markdown that may contain references, as a parser found them. */
import type { ReferenceKind, TargetEncoding } from '../reference.js'

/** UTF-16 offsets into the page; `end` is exclusive. */
export type Span = readonly [start: number, end: number]

export type Target = readonly [kind: ReferenceKind, start: number, end: number, encoding: TargetEncoding]

export interface ScannedMarkdown {
  /** Targets in markdown syntax, as written. */
  targets: readonly Target[]
  /** Fences, indented blocks and code spans, which contain no references. */
  code: readonly Span[]
  /** HTML blocks and tags. */
  html: readonly Span[]
}

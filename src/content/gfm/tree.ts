/** The tree of the markdown parsers (mdast). */

/** A node of the markdown tree (mdast), of any type. */
export interface Markdown {
  type: string
  value?: string
  children?: Markdown[]
  position?: { start: { offset?: number }; end: { offset?: number } }
  url?: string
  title?: string | null
  alt?: string | null
  depth?: number
  ordered?: boolean | null
  start?: number | null
  checked?: boolean | null
  spread?: boolean | null
  lang?: string | null
  meta?: string | null
  identifier?: string
  label?: string | null
  referenceType?: string
  align?: Array<string | null>
}

/** Returns the offsets of a node in its region; null for a node that a transform created. */
export function findOffsets(node: Markdown): { start: number; end: number } | null {
  const start = node.position?.start.offset
  const end = node.position?.end.offset
  return start === undefined || end === undefined ? null : { start, end }
}

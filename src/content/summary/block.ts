/**
 * A heading, list item or link paragraph of a table of contents, found by CommonMark's container rules.
 * An own scanner, since micromark needs six seconds for one list of 10,000 items; tests hold the two against each other.
 */
export interface Block {
  kind: 'group' | 'item' | 'paragraph'
  line: number
  /** Where its first line begins, where its own lines end, and where all that is nested in it ends. */
  start: number
  ownEnd: number
  end: number
  /** Columns before the marker, and before the content. */
  indent: number
  content: number
  /** `*`, `-`, `+`, `1.`, `##`; '' for a paragraph. */
  marker: string
  /** Inline markdown, lines joined by a line feed; where it begins in the text. */
  text: string
  textStart: number
  /** The item's fenced yaml block. */
  yaml?: string
  children: Block[]
}

export interface Scan {
  blocks: Block[]
  /** Link reference definitions by normalised label: the whole line. */
  definitions: Map<string, string>
  /** Line of the first item that was nested deeper than `MAX_DEPTH`. */
  tooDeep?: number
  /** Offsets of the lines that end a group. */
  breaks: number[]
  /** There was an item without text: its children stand in its place. */
  lifted?: true
}

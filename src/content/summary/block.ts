/**
 * A heading, list item or paragraph of links in a table of contents, by CommonMark's rules for containers. Bindery uses
 * its own scanner because micromark takes six seconds for a list of 10,000 items; tests compare the two.
 */
export interface Block {
  kind: 'group' | 'item' | 'paragraph'
  line: number
  /** The start of its first line, the end of its lines, and the end of everything nested in it. */
  start: number
  ownEnd: number
  end: number
  /** The columns of the marker and of the content. */
  indent: number
  content: number
  /** `*`, `-`, `+`, `1.`, `##`; '' for a paragraph. */
  marker: string
  /** Its inline markdown, with lines joined by line feeds, and the offset of its start in the text. */
  text: string
  textStart: number
  /** Whether the block is one of several chapters on one line. It starts at the end of the previous chapter. */
  shared?: true
  /** The item's fenced yaml block. */
  yaml?: string
  children: Block[]
}

export interface Scan {
  blocks: Block[]
  /** Link reference definitions by normalized label: the whole line. */
  definitions: Map<string, string>
  /** The line of the first item that is nested deeper than `MAX_DEPTH`. */
  tooDeep?: number
  /** Offsets of the lines that end a group. */
  breaks: number[]
  /** Whether there was an item without text that was replaced with its children. */
  lifted?: true
}

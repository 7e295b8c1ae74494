/**
 * A heading, list item or paragraph of links in a table of contents, by CommonMark's rules for containers. We have a scanner of our
 * own, since micromark takes six seconds for a list of 10,000 items; tests compare the two.
 */
export interface Block {
  kind: 'group' | 'item' | 'paragraph'
  line: number
  /** Where its first line begins, where its own lines end, and where everything nested in it ends. */
  start: number
  ownEnd: number
  end: number
  /** The columns of the marker and of the content. */
  indent: number
  content: number
  /** `*`, `-`, `+`, `1.`, `##`; '' for a paragraph. */
  marker: string
  /** Its inline markdown, with lines joined by line feeds, and where that begins in the text. */
  text: string
  textStart: number
  /** Whether the block is one of several chapters on one line. It begins where the one before it ends. */
  shared?: true
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
  /** Whether there was an item without text, which its children have replaced. */
  lifted?: true
}

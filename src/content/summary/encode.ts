// Writes titles and targets of the table of contents as the file writes them elsewhere.
import type { SummaryNode } from '../types.js'

/** How a file writes targets with spaces or parentheses: in angle brackets or percent-encoded. */
export type TargetHabit = 'angle' | 'percent'

/** `percent` if targets in the file contain `%20`, and none contains a space. */
export function habitOf(nodes: readonly SummaryNode[]): TargetHabit {
  let percent = false
  const waiting = [...nodes]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.href?.includes(' ')) return 'angle'
    percent ||= node.href?.includes('%20') ?? false
    for (const child of node.children) waiting.push(child)
  }
  return percent ? 'percent' : 'angle'
}

const percentEncode = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/**
 * A link destination that CommonMark reads as `href`. With the habit `percent`, spaces and parentheses are percent-encoded, which
 * does not change the target; control characters always are, since destinations cannot contain them.
 */
export function encodeTarget(href: string, habit: TargetHabit): string {
  const safe = href.replace(/[\x00-\x1f\x7f]/g, percentEncode)
  const escaped = safe.replace(/[\\<>]/g, '\\$&').replace(/&(?=#|\w+;)/g, '\\&')
  if (!/[ ()]/.test(escaped)) return escaped
  return habit === 'percent' ? escaped.replace(/[ ()]/g, percentEncode) : `<${escaped}>`
}

/** A title as inline markdown that reads back as the same text. White space is collapsed, as it is when reading. */
export function encodeTitle(title: string): string {
  return title
    .replace(/[\x00-\x20\x7f]+/g, ' ')
    .replace(/^ | $/g, '')
    .replace(/[\\[\]`<]/g, '\\$&')
    .replace(/&(?=#|\w+;)/g, '\\&')
    .replace(/\*+/g, (marks, at: number, whole: string) =>
      around(whole, at, marks.length, /^ ?$/) ? marks : marks.replace(/\*/g, '\\*'),
    )
    .replace(/_+/g, (marks, at: number, whole: string) =>
      around(whole, at, marks.length, /^[A-Za-z0-9]$/) ? marks : marks.replace(/_/g, '\\_'),
    )
}

/** Whether the characters on both sides match: stars between spaces, and underscores within a word, are not markup. */
const around = (text: string, at: number, length: number, pattern: RegExp): boolean =>
  pattern.test(text[at - 1] ?? '') && pattern.test(text[at + length] ?? '')

/** A title without a link. Characters that would begin a list, quote, heading, fence or rule are escaped. */
export function encodePlainTitle(title: string): string {
  const text = encodeTitle(title)
  return text.replace(/^(\d{1,9})(?=[.)](?: |$))/, '$1\\').replace(/^(?=[#>+\-~=*])/, '\\')
}

/** A heading's text. A run of `#` at the end is escaped; after the marks of a heading, nothing begins another block. */
export const encodeHeading = (title: string): string => encodeTitle(title).replace(/(^| )(#+)$/, '$1\\$2')

/** The content of an entry: a link, or a title alone. */
export const encodeEntry = (title: string, href: string | null, habit: TargetHabit): string =>
  href === null ? encodePlainTitle(title) : `[${encodeTitle(title)}](${encodeTarget(href, habit)})`

const NESTED_GROUP = /[ \t]*<span id="([^"<>&\s]{1,200})"><\/span>[ \t]*$/

/** The slug of a nested group, at the end of its entry: other tools show such an entry as a title without a link. */
export const nestedGroupMark = (slug: string): string => ` <span id="${slug.replace(/[<>"'&\s]/g, '-')}"></span>`

/** Finds the slug of a nested group, and where its mark begins; null if the entry's text has none. */
export function nestedGroup(text: string): { slug: string; start: number } | null {
  const found = NESTED_GROUP.exec(text.slice(-MAX_MARK))
  return found && { slug: found[1] as string, start: Math.max(0, text.length - MAX_MARK) + found.index }
}

/** Maximum number of characters in which a mark is looked for. */
const MAX_MARK = 300

// Writes titles and targets of the table of contents in the style of the file.
import { required } from '../../kernel/defined.js'
import type { SummaryNode } from '../types.js'

/** The way in which a file writes targets with spaces or parentheses: in angle brackets or percent-encoded. */
export type TargetStyle = 'angle' | 'percent'

/** Returns `percent` if targets in the file contain `%20` and none contains a space. */
export function targetStyleOf(nodes: readonly SummaryNode[]): TargetStyle {
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
 * Returns a link destination that CommonMark reads as `href`. With the style `percent`, spaces and parentheses are
 * percent-encoded, which does not change the target. Control characters are always percent-encoded, because
 * destinations cannot contain them.
 */
export function encodeTarget(href: string, habit: TargetStyle): string {
  const safe = href.replace(/[\x00-\x1f\x7f]/g, percentEncode)
  const escaped = safe.replace(/[\\<>]/g, '\\$&').replace(/&(?=#|\w+;)/g, '\\&')
  if (!/[ ()]/.test(escaped)) return escaped
  return habit === 'percent' ? escaped.replace(/[ ()]/g, percentEncode) : `<${escaped}>`
}

/** Returns a title as inline markdown that parses to the same text. White space is collapsed, as in parsing. */
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

/** Whether the characters on both sides match. Stars between spaces and underscores within a word are not markup. */
const around = (text: string, at: number, length: number, pattern: RegExp): boolean =>
  pattern.test(text[at - 1] ?? '') && pattern.test(text[at + length] ?? '')

/** Returns a title without a link. Characters that would start a list, quote, heading, fence or rule are escaped. */
export function encodePlainTitle(title: string): string {
  const text = encodeTitle(title)
  return text.replace(/^(\d{1,9})(?=[.)](?: |$))/, '$1\\').replace(/^(?=[#>+\-~=*])/, '\\')
}

/**
 * Returns a heading's text. A run of `#` at the end is escaped. After the marks of a heading, no other block can start.
 */
export const encodeHeading = (title: string): string => encodeTitle(title).replace(/(^| )(#+)$/, '$1\\$2')

/** Returns the content of an entry: a link, or only a title. */
export const encodeEntry = (title: string, href: string | null, habit: TargetStyle): string =>
  href === null ? encodePlainTitle(title) : `[${encodeTitle(title)}](${encodeTarget(href, habit)})`

const NESTED_GROUP = /[ \t]*<span id="([^"<>&\s]{1,200})"><\/span>[ \t]*$/

/**
 * Returns the mark with the slug of a nested group, at the end of its entry. Other tools show such an entry as a title
 * without a link.
 */
export const nestedGroupMark = (slug: string): string => ` <span id="${slug.replace(/[<>"'&\s]/g, '-')}"></span>`

/** Finds the slug of a nested group and the start of its mark. Returns null if the entry's text has none. */
export function nestedGroup(text: string): { slug: string; start: number } | null {
  const found = NESTED_GROUP.exec(text.slice(-MAX_MARK))
  return found && { slug: required(found[1]), start: Math.max(0, text.length - MAX_MARK) + found.index }
}

/** Maximum number of characters that are searched for a mark. */
const MAX_MARK = 300

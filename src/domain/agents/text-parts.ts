/** Returns a page's markdown in parts, and finds its sections. */
import { hash } from 'node:crypto'
import { anchorOf, anchorsOf } from '../../content/outline/anchors.js'
import { anchorFinder } from '../../content/outline/find-anchor.js'
import { badRequest, conflict, ServiceError } from '../../kernel/errors.js'

/** Maximum length in characters of a text in a result. Clients cut off longer ones. */
export const MAX_TEXT = 5_000
/** Maximum number of headings in a message. */
const MAX_NAMED = 20
const DIGEST_LENGTH = 12

/** A part of a text. */
export interface TextPart {
  text: string
  /** The length of the whole text in characters. */
  total: number
  /** The cursor of the next part; absent = this is the last one. */
  next?: string
}

/**
 * Returns a part of at most `room` characters. It ends after a block or line if possible.
 * Throws 400 for an unknown cursor, 409 if the text has changed since the cursor was made.
 */
export function partOf(whole: string, cursor: string | undefined, room: number): TextPart {
  const digest = hash('sha256', whole, 'base64url').slice(0, DIGEST_LENGTH)
  const start = cursor === undefined ? 0 : startOf(cursor, digest, whole.length)
  const end = whole.length - start <= room ? whole.length : endOf(whole, start, room)
  const text = whole.slice(start, end)
  return { text, total: whole.length, ...(end < whole.length ? { next: `${end}-${digest}` } : {}) }
}

function startOf(cursor: string, digest: string, length: number): number {
  const [, offset = '', known] = /^(\d{1,9})-([\w-]{12})$/.exec(cursor) ?? []
  if (known === undefined) throw badRequest('`cursor` must be the `next` of the previous result.')
  if (known !== digest || Number(offset) >= length)
    throw conflict('The page has changed since the previous part. Read it again without `cursor`.')
  return Number(offset)
}

/** Returns the end of a part: after a block, a line or a word in its second half, and never within a character. */
function endOf(whole: string, start: number, room: number): number {
  const part = whole.slice(start, start + room)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = part.lastIndexOf(separator)
    if (at >= room / 2) return start + at + separator.length
  }
  return start + (part.isWellFormed() ? room : room - 1)
}

interface Heading {
  level: number
  title: string
  /** The position of its line. */
  at: number
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/

/** Lists the headings of a markdown text, without those in code. */
function headingsOf(markdown: string): Heading[] {
  const headings: Heading[] = []
  let fence: string | null = null
  let at = 0
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null
    } else if (mark) fence = mark
    else {
      const [, marks, title] = line.startsWith('    ') ? [] : (HEADING.exec(line.slice(0, 1_000)) ?? [])
      if (marks !== undefined) headings.push({ level: marks.length, title: plain(title ?? ''), at })
    }
    at += line.length + 1
  }
  return headings
}

/** Removes the markup of a heading. */
const plain = (title: string): string => title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`_]/g, '')

/**
 * Returns the part of a markdown text below a heading, with the heading, up to the next one of the same or a higher
 * level. Throws 404 with the headings of the page.
 * @param wanted the text of the heading, or its anchor
 */
export function sectionOf(markdown: string, wanted: string): { title: string; text: string } {
  const headings = headingsOf(markdown)
  const anchors = anchorsOf(headings)
  const find = anchorFinder({ headings: anchors.map((anchor) => ({ anchor })), anchors: [] })
  const text = wanted.replace(/^#+\s*/, '')
  const anchor = find(text) ?? find(anchorOf(text))
  const index = anchor === null ? -1 : anchors.indexOf(anchor)
  const heading = headings[index]
  if (!heading) throw new ServiceError('not-found', `The page has no section with this heading. ${namesOf(headings)}`)
  const next = headings.slice(index + 1).find(({ level }) => level <= heading.level)
  return { title: heading.title, text: markdown.slice(heading.at, next?.at).trim() }
}

const namesOf = (headings: readonly Heading[]): string =>
  headings.length === 0
    ? 'It has no headings.'
    : `Its headings: ${headings
        .slice(0, MAX_NAMED)
        .map(({ title }) => `“${title.slice(0, 100)}”`)
        .join(', ')}${headings.length > MAX_NAMED ? ', …' : ''}.`

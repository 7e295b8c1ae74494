/** The results of the tools that read: as JSON, and as text for a model. */
import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../../kernel/errors.js'
import { fitting, type ToolOutcome } from '../../mcp/index.js'
import type { FoundPage } from '../search/search.js'
import { MAX_TEXT, partOf, sectionOf } from './text-parts.js'
import { continues, nameOfPage, Next, pageFields } from './tool-schemas.js'

/** Characters that are reserved for the text after a list. */
const RESERVE = 200
/** Maximum number of entries, and of changes, in one result. */
export const MAX_ENTRIES = 100
export const MAX_CHANGES = 20

/** Reads a cursor of a list: the number of entries before the next one. Throws 400. */
export function offsetOf(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw badRequest('`cursor` must be the `next` of the previous result.')
}

/** A page in a result. */
export type ShownPage = Required<Static<typeof PageResult>>
const PageResult = Type.Object(pageFields)

const SearchResult = Type.Object({
  ...pageFields,
  sections: Type.Array(
    Type.Object({
      title: Type.String({ description: 'The heading; empty for the start of the page.' }),
      address: Type.String(),
      text: Type.String({ description: 'Text around the matches, which are between `**`.' }),
    }),
  ),
})

export const SearchOutput = Type.Object({
  results: Type.Array(SearchResult),
  partial: Type.Boolean({ description: 'Whether a part could not be searched in time.' }),
})

/** Maximum number of sections of a page in a result. */
const MAX_SECTIONS = 3

/** Returns the words of a query in one line; '' if it has none. */
export const wordsOf = (query: string): string => query.replace(/[\p{Cc}\s]+/gu, ' ').trim()

/** Returns a found page with the addresses of its best sections. */
export const foundPage = (page: ShownPage, sections: FoundPage['sections']): Static<typeof SearchResult> => ({
  ...page,
  sections: sections.slice(0, MAX_SECTIONS).map(({ anchor, title, body }) => ({
    title,
    address: anchor === null ? page.address : `${page.address}#${encodeURIComponent(anchor)}`,
    text: body,
  })),
})

/** Returns the result of a search, best pages first. */
export function searchOutcome(
  results: readonly Static<typeof SearchResult>[],
  partial: boolean,
): ToolOutcome<Static<typeof SearchOutput>> {
  const lines = results.map(({ sections, ...page }) =>
    [
      `- ${nameOfPage(page)}`,
      ...sections.map(({ title, text }) => `  ${title ? `${title}: ` : ''}${text.replace(/\s+/g, ' ')}`),
    ].join('\n'),
  )
  const { text, count } = fitting(lines, MAX_TEXT - RESERVE)
  const note = partial ? '\n\nNot everything could be searched. Try again.' : ''
  return {
    result: { results: results.slice(0, count), partial },
    text: (results.length === 0 ? 'Nothing was found. Try other words, or use `list`.' : text) + note,
  }
}

export const ReadOutput = Type.Object({
  ...pageFields,
  section: Type.Optional(Type.String({ description: 'The heading of the section.' })),
  markdown: Type.String(),
  characters: Type.Integer({ description: 'Length of the whole page or section.' }),
  next: Next,
})

/** Returns a part of a page, or of one of its sections. Throws 400, 404, 409. */
export function readOutcome(
  page: ShownPage,
  whole: string,
  { section, cursor }: { section: string | undefined; cursor: string | undefined },
): ToolOutcome<Static<typeof ReadOutput>> {
  // The source of a page with front matter starts with a blank line.
  const text = whole.replace(/^\n+/, '')
  const cut = section === undefined ? null : sectionOf(text, section)
  const head = `${nameOfPage(page)}\n\n`
  const room = Math.max(MAX_TEXT / 2, MAX_TEXT - head.length - RESERVE)
  const part = partOf(cut?.text ?? text, cursor, room)
  const result = {
    ...page,
    ...(cut ? { section: cut.title } : {}),
    markdown: part.text,
    characters: part.total,
    ...(part.next === undefined ? {} : { next: part.next }),
  }
  return { result, text: head + part.text + continues(part.next) }
}

const ListEntry = Type.Object({
  kind: Type.Union([Type.Literal('space'), Type.Literal('page'), Type.Literal('group'), Type.Literal('link')]),
  depth: Type.Integer({ description: 'The number of entries above it.' }),
  title: Type.String(),
  page: Type.Optional(Type.String({ description: 'ID of the page or group.' })),
  space: Type.Optional(Type.String({ description: 'ID of the space.' })),
  address: Type.Optional(Type.String()),
  commit: Type.Optional(Type.String({ description: 'The commit of the space at the time of the read.' })),
})
export type ListEntry = Static<typeof ListEntry>

export const ListOutput = Type.Object({ entries: Type.Array(ListEntry), next: Next })

/** Returns a part of a list of `total` entries. */
export function listOutcome(
  entries: readonly ListEntry[],
  offset: number,
  total: number,
): ToolOutcome<Static<typeof ListOutput>> {
  const { text, count } = fitting(entries.map(lineOf), MAX_TEXT - RESERVE)
  const next = nextAfter(offset + count, total)
  return {
    result: { entries: entries.slice(0, count), ...next },
    text: (entries.length === 0 ? 'There are no more entries.' : text) + continues(next.next),
  }
}

const nextAfter = (shown: number, total: number): { next?: string } => (shown < total ? { next: String(shown) } : {})

function lineOf({ depth, kind, title, address, page, space }: ListEntry): string {
  const name = { page: `page ${page}`, space: `space ${space}`, group: 'group', link: 'link' }[kind]
  return `${'  '.repeat(Math.min(depth, 20))}- ${title}${address === undefined ? '' : ` — ${address}`} (${name})`
}

const ChangeResult = Type.Object({
  ...pageFields,
  change: Type.String({ description: 'The commit of the last change.' }),
  at: Type.String({ description: 'Its time.' }),
  author: Type.String(),
  subject: Type.Optional(Type.String()),
})

export const ChangesOutput = Type.Object({
  changes: Type.Array(ChangeResult),
  total: Type.Integer({ description: 'Number of changed pages.' }),
  next: Next,
})

/** Returns a part of a list of `total` changed pages. */
export function changesOutcome(
  changes: readonly Static<typeof ChangeResult>[],
  offset: number,
  total: number,
): ToolOutcome<Static<typeof ChangesOutput>> {
  const lines = changes.map(
    (one) => `- ${nameOfPage(one)}\n  ${[`${one.at}, ${one.author}`, one.subject].filter(Boolean).join(': ')}`,
  )
  const { text, count } = fitting(lines, MAX_TEXT - RESERVE)
  const next = nextAfter(offset + count, total)
  return {
    result: { changes: changes.slice(0, count), total, ...next },
    text: (changes.length === 0 ? 'No page has changed.' : text) + continues(next.next),
  }
}

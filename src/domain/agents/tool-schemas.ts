/** Members of the inputs and results that the tools of all MCP servers share. */
import { Type } from '@sinclair/typebox'

/** Inputs have no other members. */
export const closed = { additionalProperties: false } as const

/** Maximum length in characters of the name of a page. */
export const MAX_NAME = 2_000

export const PageName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  description: 'The address, path or ID of a page.',
})

export const SpaceName = Type.String({ minLength: 1, maxLength: 100, description: 'ID of a space.' })

export const Cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: '`next` of the previous result, to continue it.' }),
)

export const Query = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'A few words; the last one may be incomplete.',
})

/** Maximum number of pages in a search result, and the number without `limit`. */
const MAX_RESULTS = 20
export const DEFAULT_RESULTS = 8

export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_RESULTS, description: `Number of pages; ${DEFAULT_RESULTS} by default.` }),
)

export const SectionName = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: 'A heading of the page, or its anchor.' }),
)

export const SinceInput = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'A date (2026-05-01), a time (2026-05-01T12:00:00Z), or the commit of an earlier result.',
})

export const Next = Type.Optional(Type.String({ description: 'Call again with this as `cursor` for more.' }))

/** A page in a result. */
export const pageFields = {
  page: Type.String({ description: 'ID of the page.' }),
  title: Type.String(),
  address: Type.String(),
  commit: Type.String({ description: 'The commit of the space at the time of the read.' }),
  space: Type.String({ description: 'ID of the space.' }),
}

/** Returns the two lines that identify a page in a text. */
export const nameOfPage = (one: { page: string; title: string; address: string; commit: string }): string =>
  `${one.title} — ${one.address}\n  page ${one.page}, commit ${one.commit}`

/** Returns the last line of a text whose result continues. */
export const continues = (next: string | undefined): string =>
  next === undefined ? '' : `\n\nMore: call again with cursor “${next}”.`

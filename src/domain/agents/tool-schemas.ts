/** Members of the inputs and results that the tools of all MCP servers share. */
import { Type } from '@sinclair/typebox'

/** Inputs have no other members. */
export const closed = { additionalProperties: false } as const

/** Maximum length in characters of the name of a page. */
export const MAX_NAME = 2_000

export const PageName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  description: 'A page: its address or path, or its ID.',
})

export const SpaceName = Type.String({ minLength: 1, maxLength: 100, description: 'ID of a space.' })

export const Cursor = Type.Optional(
  Type.String({ minLength: 1, maxLength: 500, description: '`next` of the previous result, to continue it.' }),
)

export const Next = Type.Optional(Type.String({ description: 'Call again with this as `cursor` for more.' }))

/** A page in a result. */
export const pageFields = {
  page: Type.String({ description: 'ID of the page.' }),
  title: Type.String(),
  address: Type.String(),
  commit: Type.String({ description: 'The commit of the space that was read.' }),
  space: Type.Optional(Type.String({ description: 'ID of the space.' })),
}

/** Returns the two lines that name a page in a text. */
export const nameOfPage = (one: { page: string; title: string; address: string; commit: string }): string =>
  `${one.title} — ${one.address}\n  page ${one.page}, commit ${one.commit}`

/** Returns the last line of a text whose result continues. */
export const continues = (next: string | undefined): string =>
  next === undefined ? '' : `\n\nMore: call again with cursor “${next}”.`

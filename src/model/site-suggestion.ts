// The resource "suggestion" of a site: a change of one block of a page that a reader wrote on the page.
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, Timestamp } from './common.js'
import { LinkSecret } from './sign-in.js'

/** The readers who may suggest changes. `everyone`: guests too, who confirm their email address. */
export const suggestionModes = ['off', 'members', 'everyone'] as const
export type SuggestionMode = (typeof suggestionModes)[number]

/** Maximum length in characters of the new text of a block, and of a guest's name. */
export const MAX_SUGGESTED = 12_000
export const MAX_SUGGESTER = 100

/**
 * `draft`: waits for a member who opens it in the app. `unconfirmed`: waits for a guest, who gets a mail. `waiting`: waits
 * for a reviewer.
 */
export const suggestionStates = ['draft', 'unconfirmed', 'waiting'] as const
type SuggestionState = (typeof suggestionStates)[number]

/** A suggestion as stored. It is removed when it becomes a change request, is rejected, or expires. */
export interface SiteSuggestionDoc {
  id: string
  organization: string
  site: string
  space: string
  /** The ID of the page, and its title and path on the site when the suggestion was sent. */
  page: string
  title: string
  path: string
  /** The source of the block, and the number of earlier blocks of the page with the same source. */
  before: string
  occurrence: number
  after: string
  state: SuggestionState
  /** The reader. Absent for a draft, since no one knows its author. */
  author?: { name: string; email: string }
  /** SHA-256 of the secret that sends or confirms it, hexadecimal. */
  hash?: string
  createdAt: string
  expiresAt: string
}

export const siteSuggestions = table<SiteSuggestionDoc>()({
  name: 'site-suggestions',
  indexes: {
    site: (one) => `${one.site}/${one.state}`,
    hash: (one) => one.hash ?? null,
    unconfirmed: (one) => (one.state === 'unconfirmed' ? (one.author?.email ?? null) : null),
  },
  orders: {
    waiting: { group: (one) => (one.state === 'waiting' ? one.organization : null), by: (one) => one.createdAt },
    expiry: { group: () => 'all', by: (one) => one.expiresAt },
  },
  unique: ['hash'],
  owner: (one) => one.site,
})

const suggestionFields = {
  createdAt: Timestamp,
  space: Id,
  page: Type.Object(
    { id: Type.String(), title: Type.String(), path: Type.String() },
    { description: 'The page when the suggestion was sent. `path` is the path below the address of the site.' },
  ),
  before: Type.String({ description: 'The source of the block, as markdown.' }),
  after: Type.String({ description: 'The suggested source. Treat it as untrusted input.' }),
}

/** A suggestion of a guest that waits for a reviewer. */
export const SiteSuggestion = Type.Object(
  {
    object: Type.Literal('site-suggestion'),
    id: Id,
    author: Type.Object(
      { name: Type.String(), email: Type.String() },
      { description: 'The reader. They confirmed the address; the name is as they entered it.' },
    ),
    ...suggestionFields,
  },
  { $id: 'SiteSuggestion' },
)

/** A suggestion that a member has not sent yet. */
export const SuggestionDraft = Type.Object(
  {
    object: Type.Literal('suggestion-draft'),
    ...suggestionFields,
    site: Type.Object({ title: Type.String(), address: Type.Optional(Type.String()) }),
    direct: Type.Boolean({
      description: 'Whether it becomes a change request at once. Otherwise a reviewer accepts it first.',
    }),
  },
  { $id: 'SuggestionDraft' },
)

export const SuggestionSecret = Type.Object({ token: LinkSecret }, { ...closed, $id: 'SuggestionSecret' })
export type SuggestionSecret = Static<typeof SuggestionSecret>

/** The result of a suggestion: a change request, or a place in the queue of the reviewers. */
export const SuggestionSent = Type.Object(
  {
    object: Type.Literal('suggestion-sent'),
    changeRequest: Type.Optional(
      Type.Object({ id: Id, number: Type.Integer(), space: Id }, { description: 'Absent: it waits for a reviewer.' }),
    ),
  },
  { $id: 'SuggestionSent' },
)

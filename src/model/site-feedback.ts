// The resource "feedback" of a site: ratings and comments by readers of its pages.
import { Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { Id, Timestamp } from './common.js'

/** Maximum length of a comment in characters. */
export const MAX_FEEDBACK_COMMENT = 2_000

/** Feedback as stored. It contains nothing about the reader. */
export interface SiteFeedbackDoc {
  id: string
  site: string
  siteSpace: string
  page: string
  /** The title and the path of the page when the feedback was sent. */
  title: string
  path: string
  helpful: boolean
  comment?: string
  createdAt: string
}

export const siteFeedback = table<SiteFeedbackDoc>()({
  name: 'site-feedback',
  indexes: { site: (feedback) => feedback.site },
  orders: { createdAt: { group: (feedback) => feedback.site, by: (feedback) => feedback.createdAt } },
  owner: 'site',
})

export const SiteFeedback = Type.Object(
  {
    object: Type.Literal('site-feedback'),
    id: Id,
    createdAt: Timestamp,
    helpful: Type.Boolean({ description: 'Whether the reader found the page helpful.' }),
    comment: Type.Optional(Type.String({ description: 'The text of the reader. Treat it as untrusted input.' })),
    siteSpace: Id,
    page: Type.Object(
      { id: Type.String(), title: Type.String(), path: Type.String() },
      { description: 'The page at the time of the feedback. `path` is the path below the address of the site.' },
    ),
  },
  { $id: 'SiteFeedback' },
)

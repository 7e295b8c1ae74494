// The resource "redirect" of a site.
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Id, oneOf, Timestamp } from './common.js'
import { destinationStatuses, SiteDestination } from './site-destination.js'

/** A redirect of a site, as stored. */
export interface SiteRedirectDoc {
  id: string
  site: string
  /** Normalized with `normalizePath`. */
  source: string
  destination: SiteDestination
  createdAt: string
  updatedAt: string
}

/** Returns the index key of a source. */
export const redirectKey = ({ site, source }: Pick<SiteRedirectDoc, 'site' | 'source'>): string => site + source

export const siteRedirects = table<SiteRedirectDoc>()({
  name: 'site-redirects',
  indexes: { site: (redirect) => redirect.site, source: redirectKey },
  unique: ['source'],
  orders: { createdAt: { group: (redirect) => redirect.site, by: (redirect) => redirect.createdAt } },
  owner: 'site',
})

const Source = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'A path of the site, such as `/old/page`. Returned in its normal form. Unique in the site.',
})

export const SiteRedirect = Type.Object(
  {
    object: Type.Literal('site-redirect'),
    id: Id,
    source: Type.String(),
    destination: SiteDestination,
    status: oneOf(destinationStatuses, {
      description: '`broken`: the target page, space or part of the site no longer exists. URLs are not checked.',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    urls: Type.Object({ location: Type.String() }),
  },
  { $id: 'SiteRedirect' },
)

export const CreateSiteRedirect = Type.Object(
  { source: Source, destination: SiteDestination },
  { ...closed, $id: 'CreateSiteRedirect' },
)
export type CreateSiteRedirect = Static<typeof CreateSiteRedirect>

export const UpdateSiteRedirect = Type.Object(
  { source: Type.Optional(Source), destination: Type.Optional(SiteDestination) },
  { ...closed, $id: 'UpdateSiteRedirect' },
)
export type UpdateSiteRedirect = Static<typeof UpdateSiteRedirect>

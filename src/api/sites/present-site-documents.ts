/**
 * Turns the documents of a site (share links, redirects, adaptive schema, publishing authentication) into the JSON that
 * clients get.
 */
import { allows } from '../../access/index.js'
import { isPast } from '../../kernel/clock.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { publishedSite } from '../../domain/sites/addresses.js'
import { destinationStatuses } from '../../domain/sites/destinations.js'
import { visitorKeyOf } from '../../domain/sites/publishing-auth.js'
import { shareKeyOf } from '../../domain/sites/share-links.js'
import type {
  ShareLinkDoc,
  SiteAdaptiveSchemaDoc,
  SiteFeedbackDoc,
  SitePublishingAuthDoc,
  SiteRedirectDoc,
} from '../../model/index.js'
import { defined, required } from '../../kernel/defined.js'

/** Returns the API path of a site. */
export const sitePath = ({ doc }: LoadedSite): string => `/v1/orgs/${doc.organization}/sites/${doc.id}`

/** Returns a share link. Its address is the one that the site has when it is published. */
export function presentShareLink(app: App, organization: LoadedOrganization, site: LoadedSite, link: ShareLinkDoc) {
  const shareKey = shareKeyOf(app, link)
  const published =
    shareKey === null
      ? undefined
      : publishedSite({ app, organization: organization.doc, site: { ...site.doc, published: true }, shareKey })
  return {
    object: 'share-link' as const,
    id: link.id,
    createdAt: link.createdAt,
    name: link.name,
    active: link.active,
    urls: published === undefined ? {} : { published },
  }
}

/** Returns redirects with the status of their destinations. */
export async function presentRedirects(app: App, site: LoadedSite, redirects: readonly SiteRedirectDoc[]) {
  const statuses = await destinationStatuses(
    app,
    site.doc,
    redirects.map(({ destination }) => destination),
  )
  return redirects.map(({ id, source, destination, createdAt, updatedAt }, i) => ({
    object: 'site-redirect' as const,
    id,
    source,
    destination,
    status: statuses[i] ?? 'broken',
    createdAt,
    updatedAt,
    urls: { location: `${app.settings.publicUrl}${sitePath(site)}/redirects/${id}` },
  }))
}

export async function presentRedirect(app: App, site: LoadedSite, redirect: SiteRedirectDoc) {
  const [presented] = await presentRedirects(app, site, [redirect])
  return required(presented)
}

/** Returns a reader's feedback as JSON. */
export const presentFeedback = ({
  id,
  createdAt,
  helpful,
  comment,
  siteSpace,
  page,
  title,
  path,
}: SiteFeedbackDoc) => ({
  object: 'site-feedback' as const,
  id,
  createdAt,
  helpful,
  ...defined({ comment }),
  siteSpace,
  page: { id: page, title, path },
})

export const presentAdaptiveSchema = ({ jsonSchema, updatedAt }: SiteAdaptiveSchemaDoc) => ({
  object: 'site-adaptive-schema' as const,
  jsonSchema,
  updatedAt,
})

/** Returns the visitor authentication settings. Only callers who may change them get the key. */
export function presentPublishingAuth(app: App, { role }: LoadedSite, auth: SitePublishingAuthDoc) {
  const privateKey = allows('site:admin', role) ? visitorKeyOf(app, auth) : null
  return {
    object: 'site-publishing-auth' as const,
    backend: auth.backend,
    ...defined({
      integration: auth.integration,
      fallbackURL: auth.fallbackURL,
      audience: auth.audience,
      issuer: auth.issuer,
    }),
    ...(privateKey === null ? {} : { privateKey }),
    ...(auth.previous && !isPast(app.clock, auth.previous.validUntil)
      ? { previousKeyValidUntil: auth.previous.validUntil }
      : {}),
    updatedAt: auth.updatedAt,
  }
}

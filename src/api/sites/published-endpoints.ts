/** Endpoints for the visitors of a site: the pages of its spaces, search, and PDFs. */
import { createReadStream } from 'node:fs'
import { Type } from '@sinclair/typebox'
import { MAX_VISITOR_TOKEN } from '../../auth/index.js'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { requestPdf } from '../../domain/pdf/pdfs.js'
import { openBundle } from '../../domain/sites/bundles.js'
import { effectiveCustomization, listCustomizations } from '../../domain/sites/customization.js'
import { openToVisitor, siteSpaceFor, type Visitor, type VisitorCredentials } from '../../domain/sites/visitor.js'
import { pagesFor } from '../../domain/sites/visitor-pages.js'
import { searchForVisitor } from '../../domain/sites/visitor-search.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { Id, Page, Pages, PdfAddress, PublishedContentSite, searchQuery, searchSpaces } from '../../model/index.js'
import { pageContext } from '../content/present-page.js'
import { presentPage, presentPages } from '../content/present-tree.js'
import { presentFoundSpaces } from '../search/present.js'
import { binary } from '../declaration.js'
import { reply, stream } from '../reply.js'
import { endpoint } from '../service.js'
import { defined } from '../../kernel/defined.js'
import { shownSiteSpaces } from '../../domain/sites/view.js'
import { customizationFor } from '../../domain/sites/visitor-customization.js'
import { presentSite } from './present.js'
import { presentStructure } from './present-structure.js'

/** Returns a site for a visitor, as JSON. */
async function presentPublished(app: App, organization: LoadedOrganization, visitor: Visitor) {
  const { site, view } = visitor
  const { site: look, siteSpaces } = await listCustomizations(app.store, site.doc)
  const shown = new Set(shownSiteSpaces(view).map(({ entry }) => entry.id))
  const own = Object.entries(siteSpaces).flatMap(([id, one]) =>
    shown.has(id) ? [[id, customizationFor(visitor, one)] as const] : [],
  )
  return {
    object: 'published-content-site' as const,
    // Counts only site spaces that the visitor may see, because the total would reveal hidden ones.
    site: { ...presentSite(app, organization, site, { shareKey: view.address.shareKey }), siteSpaces: shown.size },
    structure: await presentStructure(app, view),
    customizations: { site: customizationFor(visitor, look), siteSpaces: Object.fromEntries(own) },
    scripts: [],
  }
}

const section = 'Published sites'
const base = '/v1/orgs/{organizationId}/sites/{siteId}/published'
const WHO =
  'The response is for the visitor with `shareKey`, `visitorToken` and `unsignedClaims`. Drafts, pages whose condition is not met, and spaces that you ' +
  'cannot see are left out. Returns 404 if the site is not published or requires a key that is missing, 403 if it requires a valid token.'
/** Seconds until the client should request a bundle again. */
const RETRY_SECONDS = '2'
const WITHOUT = { metadata: false, computed: false }

/** The query parameters with the credentials of a visitor. */
const visitorQuery = {
  shareKey: Type.Optional(
    Type.String({
      maxLength: 256,
      description: 'Key of a share link of the site. Required if the visibility is `share-link`; ignored otherwise.',
    }),
  ),
  visitorToken: Type.Optional(
    Type.String({
      maxLength: MAX_VISITOR_TOKEN,
      description:
        'The JWT of the visitor (HS256), signed with the key of the site. Required if the visibility is `visitor-auth`; 403 if it is not valid.',
    }),
  ),
  unsignedClaims: Type.Optional(
    Type.String({
      maxLength: 2048,
      description:
        "Claims that the visitor's browser makes: a JSON object of booleans, as the adaptive schema declares them in `unsigned`.",
    }),
  ),
}

interface PublishedRequest {
  app: App
  actor: Actor
  organization: LoadedOrganization
  site: LoadedSite
  query: VisitorCredentials
}

/** Returns the visitor with the credentials of the query. */
function visitorOf({ app, actor, organization, site, query }: PublishedRequest, preview = false) {
  const { shareKey, visitorToken, unsignedClaims } = query
  const credentials = {
    ...defined({ shareKey, visitorToken, unsignedClaims }),
  }
  return openToVisitor(app, actor, { organization, site }, credentials, { preview })
}

/** Returns the pages of a site space for the visitor with the credentials of the query. */
async function pagesOf(context: PublishedRequest, siteSpace: string) {
  const visitor = await visitorOf(context)
  return pagesFor(context.app, visitor, siteSpaceFor(visitor, siteSpace))
}

export const getPublishedContentSite = endpoint({
  method: 'GET',
  path: base,
  summary: 'Get a site as its visitors see it',
  description:
    `${WHO} Empty sections and groups are left out. With none of the three parameters, the response is your own preview: as if you had the required key or ` +
    'token, but without claims.',
  section: 'Sites',
  needs: 'site:view',
  query: Type.Object(visitorQuery),
  returns: PublishedContentSite,
  handle: async (context) => presentPublished(context.app, context.organization, await visitorOf(context, true)),
})

export const listPublishedPages = endpoint({
  method: 'GET',
  path: `${base}/site-spaces/{siteSpaceId}/pages`,
  summary: 'List the pages of a space of a site as a visitor sees them',
  description: `The table of contents, without the content of pages and without hidden pages. ${WHO}`,
  section,
  needs: 'site:view',
  query: Type.Object(visitorQuery),
  returns: Pages,
  handle: async (context) => {
    const { revision, listed } = await pagesOf(context, context.siteSpace.id)
    return { pages: (await presentPages(await pageContext(context.app, revision, WITHOUT), listed)).json }
  },
})

export const getPublishedPageById = endpoint({
  method: 'GET',
  path: `${base}/site-spaces/{siteSpaceId}/pages/{pageId}`,
  summary: 'Get a page of a site as a visitor sees it',
  description: `Without its content; \`pages\` as in the table of contents. Hidden pages are returned by ID; returns 404 for a page that the visitor may not see. ${WHO}`,
  section,
  needs: 'site:view',
  query: Type.Object(visitorQuery),
  returns: Page,
  handle: async (context) => {
    const { revision, get } = await pagesOf(context, context.siteSpace.id)
    return presentPage(await pageContext(context.app, revision, WITHOUT), get(context.pageId))
  },
})

export const getPublishedPDF = endpoint({
  method: 'GET',
  path: `${base}/site-spaces/{siteSpaceId}/pdf`,
  summary: 'Get the address of a PDF of a space of a site, for a visitor',
  description:
    'Pages and blocks with a condition are always left out, because a PDF can be passed on. A page that you request by ID is included if the visitor may ' +
    `read it. Returns 404 if the customization of the site space disables PDFs. The address works like that of a PDF of a space. ${WHO}`,
  section,
  needs: 'site:view',
  query: Type.Object({ ...visitorQuery, page: Type.Optional(Type.String(Id)), only: Type.Optional(Type.Boolean()) }),
  returns: PdfAddress,
  fails: [503],
  handle: async (context) => {
    const { app, site, siteSpace, query } = context
    const { page, only } = query
    if (only && page === undefined)
      throw badRequest('The request is invalid: query/only requires query/page.', [
        { path: 'query/page', message: 'is required with only' },
      ])
    const { revision, get } = await pagesOf(context, siteSpace.id)
    if (page !== undefined) get(page)
    if (!(await effectiveCustomization(app.store, site.doc, siteSpace.id)).pdf.enabled) throw notFound('The PDF')
    const which = { ...defined({ page }), ...(only ? { only } : {}) }
    return requestPdf(app, { space: revision.space.doc.id, revision: revision.snapshot.commit, ...which })
  },
})

export const getPublishedBundle = endpoint({
  method: 'GET',
  path: `${base}/bundle`,
  summary: 'Download a site for offline reading, as a visitor sees it',
  description:
    'A ZIP file with the pages, their files and a search. Open `index.html` in it. Until the file is ready, the response is 202 with `Retry-After`; 409 ' +
    'contains the reason if it cannot be written. Hidden pages are omitted. Embedded content from other hosts is replaced with links. Returns 404 if ' +
    `\`agentsContext\` of the site is \`excluded\`. ${WHO}`,
  section,
  needs: 'site:view',
  query: Type.Object(visitorQuery),
  returns: binary('application/zip'),
  fails: [409, 503],
  handle: async (context) => {
    const visitor = await visitorOf(context)
    const opened = await openBundle(context.app, visitor)
    if (!('file' in opened)) return reply<never>({ status: 202, headers: { 'Retry-After': RETRY_SECONDS } })
    const bundle = opened.file
    return stream({
      contentType: 'application/zip',
      size: bundle.bytes,
      etag: bundle.digest,
      streamed: true,
      open: (range) => createReadStream(bundle.path, range),
      fileName: 'site.zip',
      disposition: 'attachment',
    })
  },
})

export const searchPublishedSite = endpoint({
  method: 'GET',
  path: `${base}/search`,
  summary: 'Search a site as a visitor',
  description:
    'Finds spaces of the site, each with its best pages. Hidden pages, pages with `noIndex`, and pages with a conditional block are never found. If a ' +
    `space could not be searched in time, the response contains \`partial: true\`. ${WHO}`,
  section,
  needs: 'site:view',
  query: Type.Object({ ...visitorQuery, ...searchQuery }),
  returns: searchSpaces({ $id: 'PublishedSearchList' }),
  handle: async (context) => {
    const page = await searchForVisitor(context.app, await visitorOf(context), context.query)
    return { ...page, items: await presentFoundSpaces(context.app, page.items) }
  },
})

/** Endpoints of a site's settings: its customization, its adaptive schema, and the authentication of its visitors. */
import { Type } from '@sinclair/typebox'
import { getAdaptiveSchema, replaceAdaptiveSchema, templateConditions } from '../../domain/sites/adaptive-schema.js'
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedOrganization, LoadedSite } from '../../domain/context/loaded.js'
import { previewAt } from '../../domain/sites/addresses.js'
import {
  discardCustomizationDraft,
  getCustomization,
  getCustomizationDraft,
  replaceCustomization,
  replaceCustomizationDraft,
} from '../../domain/sites/customization.js'
import { previewToken, visitorPreview } from '../../domain/sites/preview.js'
import { getPublishingAuth, regenerateVisitorKey, updatePublishingAuth } from '../../domain/sites/publishing-auth.js'
import {
  PreviewAsVisitor,
  RegenerateVisitorKey,
  SiteAdaptiveSchema,
  SiteCustomization,
  SiteCustomizationDraft,
  SiteCustomizationInput,
  SitePreview,
  SitePublishingAuth,
  TemplateConditions,
  UpdateSiteAdaptiveSchema,
  UpdateSitePublishingAuth,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentAdaptiveSchema, presentPublishingAuth } from './present-site-documents.js'

const section = 'Sites'
const base = '/v1/orgs/{organizationId}/sites/{siteId}'
const KIB = 1024

export const getSiteAdaptiveSchemaById = endpoint({
  method: 'GET',
  path: `${base}/adaptive-schema`,
  summary: 'Get the adaptive schema of a site',
  description: 'The schema declares the claims about visitors. It is empty until you set it.',
  section,
  needs: 'site:view',
  returns: SiteAdaptiveSchema,
  handle: async ({ app, site }) => presentAdaptiveSchema(await getAdaptiveSchema(app, site)),
})

export const updateSiteAdaptiveSchemaById = endpoint({
  method: 'PUT',
  path: `${base}/adaptive-schema`,
  summary: 'Replace the adaptive schema of a site',
  description:
    'An object of boolean claims. Claims that browsers may set themselves are in `unsigned`. At most 100 of each kind, with names of 1 to 100 characters. ' +
    'Conditions with a claim that is no longer declared are kept; the claim is undefined in them.',
  section,
  needs: 'site:admin',
  body: UpdateSiteAdaptiveSchema,
  bodyLimitBytes: 256 * KIB,
  returns: SiteAdaptiveSchema,
  handle: async ({ app, actor, site, body }) =>
    presentAdaptiveSchema(await replaceAdaptiveSchema(app, actor, site, body.jsonSchema)),
})

export const previewSiteAsVisitor = endpoint({
  method: 'POST',
  path: `${base}/preview`,
  summary: 'Get an address that shows a site as a visitor with claims sees it',
  description:
    'The preview states the claims that it imitates, works for one to two days for everyone who has its address, and shows only spaces that you can see. ' +
    'Claims need `adaptiveContent`.',
  section,
  needs: 'site:edit',
  body: PreviewAsVisitor,
  returns: SitePreview,
  handle: async ({ app, actor, organization, site, body: { signed = {}, unsigned = {} } }) => {
    const order = { site, user: actor.user.id, claims: { signed, unsigned } }
    const { token, expiresAt } = await visitorPreview(app, order)
    const url = previewAt({ app, organization: organization.doc, site: site.doc }, token)
    return { object: 'site-preview' as const, url, expiresAt }
  },
})

export const listSiteTemplateConditionsById = endpoint({
  method: 'GET',
  path: `${base}/adaptive-schema/template-conditions`,
  summary: 'List predefined conditions',
  description:
    'Two for each claim of the adaptive schema: that it is true, and that it is not. Conditions are written in a subset of ECMAScript: claims in ' +
    '`visitor.claims` (as `.name`, `?.name` or `["name"]`), strings, numbers, true, false, null, undefined, arrays of these, `! && ||`, comparisons, `value ' +
    'in list`, `list.includes(value)` and parentheses; 1 to 1024 characters.',
  section,
  needs: 'site:view',
  returns: TemplateConditions,
  handle: async ({ app, site }) => ({ items: templateConditions((await getAdaptiveSchema(app, site)).jsonSchema) }),
})

export const getSiteCustomizationById = endpoint({
  method: 'GET',
  path: `${base}/customization`,
  summary: 'Get the customization of a site',
  description:
    'The response is complete: settings that were never set have their default. You can send it back with PUT.',
  section,
  needs: 'site:view',
  returns: SiteCustomization,
  handle: ({ app, site }) => getCustomization(app.store, site.doc),
})

export const updateSiteCustomizationById = endpoint({
  method: 'PUT',
  path: `${base}/customization`,
  summary: 'Replace the customization of a site',
  description:
    'Omitted settings return to their default. Addresses are https or http URLs, or paths of the site; links point to URLs or to pages, spaces, sections ' +
    'and site spaces of the site.',
  section,
  needs: 'site:admin',
  body: SiteCustomizationInput,
  bodyLimitBytes: 512 * KIB,
  returns: SiteCustomization,
  handle: ({ app, actor, site, body }) => replaceCustomization(app, actor, site, body),
})

/** The site of a draft, and the user who gets its preview. */
interface Drafted {
  app: App
  actor: Actor
  organization: LoadedOrganization
  site: LoadedSite
}

const presentDraft = (
  { app, actor, organization, site: { doc } }: Drafted,
  customization: SiteCustomization,
  pending: boolean,
) => {
  const token = previewToken(app, doc.id, actor.user.id)
  return {
    object: 'site-customization-draft' as const,
    pending,
    customization,
    urls: { preview: `${previewAt({ app, organization: organization.doc, site: doc }, token)}/~look` },
  }
}

export const getSiteCustomizationDraft = endpoint({
  method: 'GET',
  path: `${base}/customization/draft`,
  summary: 'Get the draft of the customization of a site',
  description: 'Visitors do not see the draft. Without one, this is the customization of the site.',
  section,
  needs: 'site:admin',
  returns: SiteCustomizationDraft,
  handle: async (call) => {
    const draft = await getCustomizationDraft(call.app.store, call.site.doc)
    return presentDraft(call, draft ?? (await getCustomization(call.app.store, call.site.doc)), draft !== null)
  },
})

export const updateSiteCustomizationDraft = endpoint({
  method: 'PUT',
  path: `${base}/customization/draft`,
  summary: 'Replace the draft of the customization of a site',
  description:
    'Visitors do not see the draft, only its preview shows it. A site has one draft. To publish it, send it to updateSiteCustomizationById and delete it.',
  section,
  needs: 'site:admin',
  body: SiteCustomizationInput,
  bodyLimitBytes: 512 * KIB,
  returns: SiteCustomizationDraft,
  handle: async (call) =>
    presentDraft(call, await replaceCustomizationDraft(call.app, call.actor, call.site, call.body), true),
})

export const deleteSiteCustomizationDraft = endpoint({
  method: 'DELETE',
  path: `${base}/customization/draft`,
  summary: 'Delete the draft of the customization of a site',
  section,
  needs: 'site:admin',
  deletes: 'leaf',
  handle: ({ app, site }) => discardCustomizationDraft(app, site),
})

export const getSitePublishingAuthById = endpoint({
  method: 'GET',
  path: `${base}/publishing/auth`,
  summary: 'Get the visitor authentication of a site',
  description:
    'For sites with the visibility `visitor-auth`. Only admins of the site get the key that signs the JWTs of visitors.',
  section,
  needs: 'site:view',
  returns: SitePublishingAuth,
  handle: async ({ app, site }) => presentPublishingAuth(app, site, await getPublishingAuth(app, site)),
})

export const updateSitePublishingAuthById = endpoint({
  method: 'PATCH',
  path: `${base}/publishing/auth`,
  summary: 'Change the visitor authentication of a site',
  description:
    'Visitors without a valid token are redirected to `fallbackURL`. Tokens must contain `audience` and `issuer` as `aud` and `iss`. Set these to null to ' +
    'remove them. The backend `integration` requires the name of an `integration`.',
  section,
  needs: 'site:admin',
  body: UpdateSitePublishingAuth,
  returns: SitePublishingAuth,
  handle: async ({ app, actor, site, body }) =>
    presentPublishingAuth(app, site, await updatePublishingAuth(app, actor, site, body)),
})

export const regenerateSitePublishingAuthById = endpoint({
  method: 'POST',
  path: `${base}/publishing/auth/regenerate`,
  summary: 'Replace the key that signs the JWTs of visitors',
  description:
    'Tokens signed with the previous key are accepted for `graceSeconds` more (default: one hour; 0 = not at all). Tokens signed with an older key are ' +
    'rejected immediately.',
  section,
  needs: 'site:admin',
  body: Type.Optional(RegenerateVisitorKey),
  returns: SitePublishingAuth,
  handle: async ({ app, actor, site, body }) =>
    presentPublishingAuth(app, site, await regenerateVisitorKey(app, actor, site, body)),
})

import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, Language, nullable, oneOf } from './common.js'
import { LinkTitle, SiteFooterGroup, SiteHeaderLink, ThemedHref } from './site-customization-links.js'
import { SiteStyling, ThemedColor } from './site-customization-styling.js'
import { Href, SiteDestination } from './site-destination.js'

const group = <P extends TProperties>(properties: P) => Type.Object(properties, closed)
const Enabled = group({ enabled: Type.Boolean() })
const Link = group({ title: LinkTitle, to: SiteDestination })

const Favicon = nullable(Type.Union([group({ icon: ThemedHref }), group({ emoji: Type.String({ minLength: 1, maxLength: 50 }) })]))
const SocialAccount = group({
  platform: oneOf([
    'twitter',
    'instagram',
    'facebook',
    'linkedin',
    'github',
    'discord',
    'slack',
    'youtube',
    'tiktok',
    'reddit',
    'bluesky',
    'mastodon',
    'threads',
    'medium',
  ]),
  handle: Type.String({ minLength: 1, maxLength: 64, pattern: '^@?[\\w][\\w.@/-]*$' }),
})

/** Groups of settings, each of which may be given in part. */
const groups = {
  styling: SiteStyling,
  internationalization: group({ locale: Language }),
  header: group({
    preset: oneOf(['default', 'bold', 'contrast', 'custom', 'none']),
    backgroundColor: nullable(ThemedColor),
    linkColor: nullable(ThemedColor),
    logo: nullable(ThemedHref),
    primaryLink: nullable(Link),
    links: Type.Array(SiteHeaderLink, { maxItems: 50 }),
  }),
  footer: group({
    logo: nullable(ThemedHref),
    groups: Type.Array(SiteFooterGroup, { maxItems: 20 }),
    copyright: nullable(Type.String({ minLength: 1, maxLength: 300 })),
  }),
  announcement: group({
    enabled: Type.Boolean(),
    style: oneOf(['info', 'warning', 'danger', 'success']),
    message: Type.String({ maxLength: 500 }),
    link: nullable(Link),
  }),
  themes: group({ default: oneOf(['light', 'dark', 'system']), toggeable: Type.Boolean() }),
  pdf: Enabled,
  feedback: Enabled,
  aiSearch: Enabled,
  pageActions: group({ externalAI: Type.Boolean(), markdown: Type.Boolean(), mcp: Type.Boolean() }),
  externalLinks: group({ target: oneOf(['self', 'blank']) }),
  pagination: Enabled,
  trademark: Enabled,
  git: group({ showEditLink: Type.Boolean() }),
  insights: group({ trackingCookie: Type.Boolean() }),
  privacyPolicy: group({ url: nullable(Href) }),
  socialPreview: group({ url: nullable(Href) }),
}

/** Settings that are one value. */
const singles = {
  title: nullable(Type.String({ minLength: 2, maxLength: 128, description: 'Shown instead of the title of the site.' })),
  favicon: Favicon,
  socialAccounts: Type.Array(SocialAccount, { maxItems: 20 }),
}

/** How a site looks and what it offers its visitors, complete. */
export const SiteCustomization = Type.Object({ ...singles, ...groups }, { ...closed, $id: 'SiteCustomization' })
export type SiteCustomization = Static<typeof SiteCustomization>

type Parts = { [K in keyof typeof singles]?: Static<(typeof singles)[K]> } & { [K in keyof typeof groups]?: Partial<Static<(typeof groups)[K]>> }

const partly = (schemas: Record<string, TObject>): TProperties =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(Type.Partial(schema, closed))]))
const perhaps = (schemas: TProperties): TProperties => Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]))

/** Some of the settings; the others have their default (for a site space: those of the site). */
export const SiteCustomizationInput = Type.Unsafe<Parts>(Type.Object({ ...perhaps(singles), ...partly(groups) }, { ...closed, $id: 'SiteCustomizationInput' }))
export type SiteCustomizationInput = Parts

/** Names of the groups of settings. */
export const customizationGroups = Object.keys(groups) as (keyof typeof groups)[]

/** The customization of a site or site space, as stored: only the settings that were given. Its ID is that of the site or site space. */
export interface SiteCustomizationDoc {
  id: string
  site: string
  /** ID of the site space that it is for; absent = for the whole site. */
  siteSpace?: string
  settings: SiteCustomizationInput
}

export const siteCustomizations = table<SiteCustomizationDoc>()({
  name: 'site-customizations',
  indexes: { site: (customization) => customization.site },
  owner: (customization) => customization.site,
})

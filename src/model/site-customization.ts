/** The customization of a site or site space: all settings, the partial input, and the stored form. */
import { keysOf } from '../kernel/defined.js'
import { type Static, type TPartial, type TProperties, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, nullable, oneOf } from './common.js'
import {
  LinkTitle,
  SiteFooterGroup,
  SiteHeaderLink,
  SiteHeaderLinkInput,
  ThemedHref,
} from './site-customization-links.js'
import { SiteStyling, SiteStylingInput, ThemedColor } from './site-customization-styling.js'
import { Href, SiteDestination } from './site-destination.js'

const group = <P extends TProperties>(properties: P) => Type.Object(properties, closed)
const Enabled = group({ enabled: Type.Boolean() })
const Link = group({ title: LinkTitle, to: SiteDestination })

const Favicon = Type.Union([
  group({ icon: ThemedHref }),
  group({ emoji: Type.String({ minLength: 1, maxLength: 50 }) }),
  group({}),
])
const socialAccount = {
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
  handle: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^@?[\\w][\\w.@/-]*$',
    'x-pattern-message': 'must be a user name, with or without @',
  }),
}
const places = { footer: Type.Boolean(), header: Type.Boolean() }
const SocialAccount = group({ ...socialAccount, display: group(places) })
const SocialAccountInput = group({
  ...socialAccount,
  display: Type.Optional(Type.Partial(Type.Object(places), closed)),
})

/** Groups whose responses equal their inputs. */
const plain = {
  internationalization: group({ locale: oneOf(['en', 'fr', 'es', 'zh', 'ja', 'de', 'nl', 'no', 'pt-br', 'ru']) }),
  themes: group({ default: oneOf(['light', 'dark']), toggeable: Type.Boolean() }),
  pdf: Enabled,
  feedback: Enabled,
  ai: group({ mode: oneOf(['none', 'search', 'assistant', 'integration']) }),
  advancedCustomization: Enabled,
  git: group({ showEditLink: Type.Boolean() }),
  externalLinks: group({ target: oneOf(['self', 'blank']) }),
  pagination: Enabled,
  trademark: Enabled,
  insights: group({ trackingCookie: Type.Boolean() }),
}
const preset = oneOf(['default', 'bold', 'contrast', 'custom', 'none'])
const copyright = Type.String({ minLength: 1, maxLength: 300 })
const footerGroups = Type.Array(SiteFooterGroup, { maxItems: 20 })
const pageActions = { externalAI: Type.Boolean(), markdown: Type.Boolean() }
const announcement = {
  enabled: Type.Boolean(),
  style: oneOf(['info', 'warning', 'danger', 'success']),
  message: Type.String({ maxLength: 128 }),
}

/** Groups whose members are absent if they are not set. */
const groups = {
  ...plain,
  styling: SiteStyling,
  header: group({
    preset,
    backgroundColor: Type.Optional(ThemedColor),
    linkColor: Type.Optional(ThemedColor),
    logo: Type.Optional(ThemedHref),
    primaryLink: Type.Optional(Link),
    links: Type.Array(SiteHeaderLink, { maxItems: 50 }),
  }),
  footer: group({ logo: Type.Optional(ThemedHref), groups: footerGroups, copyright: Type.Optional(copyright) }),
  pageActions: group({ ...pageActions, mcp: Type.Optional(Type.Boolean()) }),
  privacyPolicy: group({ url: Type.Optional(Href) }),
  socialPreview: group({ url: Type.Optional(Href) }),
}

const title = Type.String({ maxLength: 128, description: 'Shown instead of the title of the site.' })
const MAX_SOCIAL_ACCOUNTS = { maxItems: 20 }

/** The complete appearance and features of a site: every group is present, members are absent if they are not set. */
export const SiteCustomization = Type.Object(
  {
    title: Type.Optional(title),
    favicon: Favicon,
    socialAccounts: Type.Array(SocialAccount, MAX_SOCIAL_ACCOUNTS),
    ...groups,
    announcement: Type.Optional(group({ ...announcement, link: Type.Optional(Link) })),
  },
  { ...closed, $id: 'SiteCustomization' },
)
export type SiteCustomization = Static<typeof SiteCustomization>

const part = <P extends TProperties>(properties: P) => Type.Partial(Type.Object(properties), closed)

/** Groups as clients send them: each can be partial. Null = no value, even if the site of a site space has one. */
const givenGroups = {
  ...(Object.fromEntries(Object.entries(plain).map(([name, schema]) => [name, Type.Partial(schema, closed)])) as {
    [K in keyof typeof plain]: TPartial<(typeof plain)[K]>
  }),
  styling: SiteStylingInput,
  header: part({
    preset,
    backgroundColor: nullable(ThemedColor),
    linkColor: nullable(ThemedColor),
    logo: nullable(ThemedHref),
    primaryLink: nullable(Link),
    links: Type.Array(SiteHeaderLinkInput, { maxItems: 50 }),
  }),
  footer: part({ logo: nullable(ThemedHref), groups: footerGroups, copyright: nullable(copyright) }),
  announcement: part({ ...announcement, link: nullable(Link) }),
  pageActions: part({ ...pageActions, mcp: Type.Boolean() }),
  privacyPolicy: part({ url: nullable(Href) }),
  socialPreview: part({ url: nullable(Href) }),
}

/** A part of the settings. The others have their default, or for a site space, the value of the site. */
export const SiteCustomizationInput = Type.Partial(
  Type.Object({
    title: nullable(title),
    favicon: nullable(Favicon),
    socialAccounts: Type.Array(SocialAccountInput, MAX_SOCIAL_ACCOUNTS),
    ...givenGroups,
  }),
  {
    ...closed,
    $id: 'SiteCustomizationInput',
  },
)
export type SiteCustomizationInput = Static<typeof SiteCustomizationInput>

/** Names of the setting groups. */
export const customizationGroups = keysOf(givenGroups)

/** A customization of a site that its visitors do not see yet. */
export const SiteCustomizationDraft = Type.Object(
  {
    object: Type.Literal('site-customization-draft'),
    pending: Type.Boolean({
      description: 'Whether there is a draft. If not, `customization` is the published one.',
    }),
    customization: SiteCustomization,
    urls: Type.Object({
      preview: Type.String({
        description: 'The site with this draft. It works for one to two days for anyone who has the address.',
      }),
    }),
  },
  { $id: 'SiteCustomizationDraft' },
)

/**
 * The customization of a site or site space, as stored: only the given settings. Its ID is that of the site or site
 * space; a draft has its own.
 */
export interface SiteCustomizationDoc {
  id: string
  site: string
  /** ID of the site space; absent = the whole site. */
  siteSpace?: string
  /** Whether only previews show it. */
  isDraft?: true
  settings: SiteCustomizationInput
}

export const siteCustomizations = table<SiteCustomizationDoc>()({
  name: 'site-customizations',
  indexes: { site: (customization) => customization.site },
  owner: 'site',
})

/** Sites: stored form, indexes, inputs and responses. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, DefaultLevel, Id, nullable, oneOf, permissionsOf, Timestamp } from './common.js'
import { SITE_TITLE } from './site-fields.js'
import { type SiteStructure, spacesOf } from './site-structure.js'
import { type SuggestionMode, suggestionModes } from './site-suggestion.js'
import { spacePermissions } from './space.js'

const siteTypes = ['basic', 'premium', 'ultimate', 'sponsored', 'legacy-basic', 'legacy-premium'] as const
const siteVisibilities = ['public', 'unlisted', 'share-link', 'visitor-auth'] as const
const agentsContexts = ['excluded', 'included'] as const
/** Values of `spaces` other than a list: a new space, empty or with sample content. */
const newSiteContents = ['empty', 'sample'] as const

/** A site, as stored. It contains its structure, so that a move changes a single document. */
export interface SiteDoc {
  id: string
  organization: string
  type: (typeof siteTypes)[number]
  title: string
  icon: SiteIcon
  /** Custom hostname; unique in the service. */
  hostname?: string
  /** Last segment of its address on this service; unique in its organization. */
  basename: string
  /** `host/path` at which a reverse proxy serves the site. */
  proxy?: string
  visibility: (typeof siteVisibilities)[number]
  published: boolean
  adaptiveContent: { enabled: boolean }
  agentsContext: (typeof agentsContexts)[number]
  /** Absent: off. */
  provenance?: { enabled: boolean }
  /** Absent: off. */
  statistics?: { enabled: boolean }
  /** Whether readers may open pages as they were. Absent: no. */
  pastVersions?: boolean
  /** Whether readers may have changes since a date marked. Absent: no. */
  changesSince?: boolean
  /** Absent: `off`. */
  suggestions?: SuggestionMode
  /** Absent: `inherit`. */
  defaultLevel?: DefaultLevel
  createdAt: string
  createdBy: string
  structure: SiteStructure
}

export const sitePermissions = [...spacePermissions, 'create', 'viewAdaptiveSchema', 'editAdaptiveSchema'] as const

/** Returns the index key of its address below the organization. */
export const basenameKey = (site: Pick<SiteDoc, 'organization' | 'basename'>): string =>
  `${site.organization}/${site.basename}`

export const sites = table<SiteDoc>()({
  name: 'sites',
  indexes: {
    organization: (site) => site.organization,
    hostname: (site) => site.hostname ?? null,
    basename: basenameKey,
    space: (site) => spacesOf(site.structure),
  },
  unique: ['hostname', 'basename'],
  orders: {
    counted: { group: (site) => (site.statistics?.enabled && site.published ? 'all' : null), by: (site) => site.id },
  },
  owner: (site) => site.id,
})

const iconURL = Type.String({
  format: 'uri',
  pattern: '^https?://',
  'x-pattern-message': 'must be an http or https URL',
  maxLength: 2048,
})

/** A picture for light and dark pages, an emoji, or null. */
const SiteIcon = Type.Union(
  [
    Type.Object({ icon: Type.Object({ light: iconURL, dark: iconURL }, closed) }, closed),
    Type.Object({ emoji: Type.String({ minLength: 1, maxLength: 50 }) }, closed),
    Type.Null(),
  ],
  { $id: 'SiteIcon' },
)
export type SiteIcon = Static<typeof SiteIcon>

const SiteAds = Type.Union(
  [
    Type.Object({ status: Type.Literal('pending'), submittable: Type.Boolean() }),
    Type.Object({ status: Type.Literal('in-review'), topic: Type.String() }),
    Type.Object({ status: Type.Literal('rejected'), reason: Type.String() }),
    Type.Object({ status: Type.Literal('live'), topic: Type.String(), zoneId: Type.String() }),
    Type.Object({ status: Type.Literal('disabled'), topic: Type.String(), zoneId: Type.String() }),
  ],
  { $id: 'SiteAds' },
)

const Hostname = Type.String({
  maxLength: 512,
  pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$',
  'x-pattern-message': 'must be a hostname in lowercase with at least three parts, such as docs.example.org',
})
const Basename = Type.String({ minLength: 1, maxLength: 100 })
const AdaptiveContent = Type.Object({ enabled: Type.Boolean() }, closed)
const SiteProvenance = Type.Object(
  { enabled: Type.Boolean() },
  {
    ...closed,
    description: 'Whether pages show the signature of their last change, and serve signed statements about it.',
  },
)
const SiteStatistics = Type.Object(
  { enabled: Type.Boolean() },
  {
    ...closed,
    description:
      'Whether the reads, searches and missing addresses of the site are counted, without data about readers.',
  },
)
const PastVersions = Type.Boolean({
  description:
    'Whether readers may open pages as they were, at `/~/at/{commit or date}/{path}` of the site and with `Accept-Datetime`. Text that was removed from a page that readers still see is in its past. By default `false`.',
})
const ChangesSince = Type.Boolean({
  description:
    'Whether `?since={commit or date}` on a page of the site marks the blocks that changed and lists the pages that changed. By default `false`.',
})

const Suggestions = oneOf(suggestionModes, {
  description:
    'The readers who may suggest changes on the pages. Suggestions of members become change requests. Those of guests wait for a reviewer, after the guest has confirmed their address by mail.',
})

export const Site = Type.Object(
  {
    object: Type.Literal('site'),
    id: Id,
    type: oneOf(siteTypes),
    appliedType: oneOf(siteTypes, {
      description: 'The effective type. A self-hosted service has no trials, so it equals `type`.',
    }),
    title: Type.String(SITE_TITLE),
    icon: SiteIcon,
    hostname: Type.Optional(Hostname),
    basename: Type.Optional(Basename),
    proxy: Type.Optional(Type.Object({ origin: Type.String(), target: Type.String() })),
    visibility: oneOf(siteVisibilities),
    published: Type.Boolean(),
    defaultLevel: DefaultLevel,
    siteSpaces: Type.Integer({ minimum: 0 }),
    createdAt: Timestamp,
    adaptiveContent: AdaptiveContent,
    ads: Type.Optional(SiteAds),
    agentsContext: oneOf(agentsContexts),
    provenance: SiteProvenance,
    statistics: SiteStatistics,
    pastVersions: PastVersions,
    changesSince: ChangesSince,
    suggestions: Suggestions,
    waitingSuggestions: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Number of suggestions that wait for a reviewer, in the spaces that you may review. Absent if there are none, and in responses to changes of the site.',
      }),
    ),
    features: Type.Array(
      Type.Object({
        id: Type.String(),
        plan: Type.String(),
        frozen: Type.Boolean(),
        customizations: Type.Array(Type.String()),
      }),
    ),
    urls: Type.Object({
      location: Type.String(),
      app: Type.String(),
      published: Type.Optional(Type.String()),
      preview: Type.String({
        description:
          'The address of a preview, even if the site is not published. It shows the content that you may see to anyone who has the address, and works for one to two days. Append `/~changes/{changeRequestId}` to see the site as it would look after the merge.',
      }),
      login: Type.Optional(
        Type.String({ description: 'The address at which visitors sign in; present with visitor authentication.' }),
      ),
      logout: Type.Optional(
        Type.String({ description: 'The address at which visitors sign out; present with visitor authentication.' }),
      ),
    }),
    permissions: permissionsOf(sitePermissions),
  },
  { $id: 'Site' },
)

export const CreateSite = Type.Object(
  {
    type: Type.Optional(oneOf(siteTypes, { default: 'basic' })),
    title: Type.Optional(Type.String(SITE_TITLE)),
    visibility: Type.Optional(oneOf(siteVisibilities)),
    spaces: Type.Optional(Type.Union([Type.Array(Id, { maxItems: 100, uniqueItems: true }), oneOf(newSiteContents)])),
  },
  { ...closed, $id: 'CreateSite' },
)
export type CreateSite = Static<typeof CreateSite>

export const UpdateSite = Type.Object(
  {
    title: Type.Optional(Type.String(SITE_TITLE)),
    visibility: Type.Optional(oneOf(siteVisibilities)),
    hostname: Type.Optional(nullable(Hostname)),
    basename: Type.Optional(Basename),
    icon: Type.Optional(SiteIcon),
    agentsContext: Type.Optional(oneOf(agentsContexts)),
    suggestions: Type.Optional(Suggestions),
    defaultSiteSpace: Type.Optional(Id),
    defaultSiteSection: Type.Optional(Id),
    proxy: Type.Optional(
      nullable(
        Type.String({
          maxLength: 512,
          pattern: '^([\\w-]+\\.)*[\\w-]+\\.[a-zA-Z]{2,}(\\/[\\w-]+)+$',
          'x-pattern-message': 'must be a host with a path, such as example.org/docs',
        }),
      ),
    ),
    adaptiveContent: Type.Optional(AdaptiveContent),
    provenance: Type.Optional(SiteProvenance),
    statistics: Type.Optional(SiteStatistics),
    pastVersions: Type.Optional(PastVersions),
    changesSince: Type.Optional(ChangesSince),
  },
  { ...closed, $id: 'UpdateSite' },
)
export type UpdateSite = Static<typeof UpdateSite>

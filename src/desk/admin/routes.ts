/** The routes of the settings, and of everything that an admin does. */
import type { FunctionComponent } from 'preact'
import type { Route, Screen } from '../screen.js'

/** A screen that reads its parameters by name. They are optional in its type, because the type of routes has no names. */
type Named = FunctionComponent<{ org?: string; space?: string; site?: string }>

const ROUTES: readonly { pattern: string; load: () => Promise<Named> }[] = [
  { pattern: '/o/:org/settings/members', load: async () => (await import('../screens/members.js')).Members },
  {
    pattern: '/o/:org/settings/invitations',
    load: async () => (await import('../screens/invitations.js')).Invitations,
  },
  { pattern: '/o/:org/settings/teams', load: async () => (await import('../screens/teams.js')).Teams },
  { pattern: '/o/:org/settings/sso', load: async () => (await import('../screens/sso.js')).SingleSignOn },
  { pattern: '/o/:org/settings/general', load: async () => (await import('../screens/organization.js')).General },
  {
    pattern: '/o/:org/settings/collections',
    load: async () => (await import('../screens/collections.js')).Collections,
  },
  { pattern: '/o/:org/settings/sites', load: async () => (await import('../screens/sites.js')).Sites },
  {
    pattern: '/o/:org/settings/merge-rules',
    load: async () => (await import('../screens/organization.js')).OrganizationRules,
  },
  {
    pattern: '/o/:org/settings/connections',
    load: async () => (await import('../screens/org-connections.js')).OrganizationConnections,
  },
  { pattern: '/o/:org/settings/openapi', load: async () => (await import('../screens/openapi-specs.js')).OpenApiSpecs },
  {
    pattern: '/o/:org/settings/translations',
    load: async () => (await import('../screens/translations.js')).Translations,
  },
  { pattern: '/o/:org/settings/trash', load: async () => (await import('../screens/trash.js')).Trash },
  { pattern: '/o/:org/settings/tokens', load: async () => (await import('../screens/member-tokens.js')).MemberTokens },
  { pattern: '/o/:org/settings/webhooks', load: async () => (await import('../screens/webhooks.js')).Webhooks },
  { pattern: '/o/:org/settings/audit', load: async () => (await import('../screens/audit.js')).Audit },
  { pattern: '/s/:space/settings', load: async () => (await import('../screens/space-settings.js')).SpaceSettings },
  { pattern: '/s/:space/connection', load: async () => (await import('../screens/connection.js')).ConnectionScreen },
  {
    pattern: '/s/:space/connection/new',
    load: async () => (await import('../screens/connection-new.js')).ConnectionNew,
  },
  { pattern: '/s/:space/import', load: async () => (await import('../screens/import.js')).ImportScreen },
  { pattern: '/new', load: async () => (await import('../screens/new.js')).New },
  { pattern: '/new/found', load: async () => (await import('../screens/new-found.js')).NewFound },
  { pattern: '/sites/:site', load: async () => (await import('../screens/site-structure.js')).SiteStructure },
  { pattern: '/sites/:site/structure', load: async () => (await import('../screens/site-structure.js')).SiteStructure },
  { pattern: '/sites/:site/customize', load: async () => (await import('../screens/site-customize.js')).SiteCustomize },
  { pattern: '/sites/:site/settings', load: async () => (await import('../screens/site-settings.js')).SiteSettings },
  { pattern: '/sites/:site/visitors', load: async () => (await import('../screens/site-visitors.js')).SiteVisitors },
  { pattern: '/sites/:site/members', load: async () => (await import('../screens/site-members.js')).SiteMembersScreen },
  { pattern: '/sites/:site/health', load: async () => (await import('../screens/site-health.js')).SiteHealth },
  {
    pattern: '/sites/:site/suggestions',
    load: async () => (await import('../screens/site-suggestions.js')).SiteSuggestions,
  },
  { pattern: '/sites/:site/redirects', load: async () => (await import('../screens/site-redirects.js')).SiteRedirects },
]

export const ADMIN_ROUTES: readonly Route[] = ROUTES.map(({ pattern, load }) => ({
  pattern,
  load: async () => (await load()) as Screen,
}))

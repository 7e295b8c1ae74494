/** The routes of the settings, and of everything that an admin does. */
import type { Route, Screen } from '../screen.js'

/** Returns a route. Its parameters are optional in the screen, because the type of the routes knows no names. */
const route = (pattern: string, load: () => Promise<unknown>): Route => ({
  pattern,
  load: load as () => Promise<Screen>,
})

const ORGANIZATION = '/o/:org/settings'

/** The routes. */
export const ADMIN_ROUTES: readonly Route[] = [
  route(`${ORGANIZATION}/members`, async () => (await import('../screens/members.js')).Members),
  route(`${ORGANIZATION}/invitations`, async () => (await import('../screens/invitations.js')).Invitations),
  route(`${ORGANIZATION}/teams`, async () => (await import('../screens/teams.js')).Teams),
  route(`${ORGANIZATION}/sso`, async () => (await import('../screens/sso.js')).SingleSignOn),
  route(`${ORGANIZATION}/general`, async () => (await import('../screens/organization.js')).General),
  route(`${ORGANIZATION}/sites`, async () => (await import('../screens/sites.js')).Sites),
  route(`${ORGANIZATION}/merge-rules`, async () => (await import('../screens/organization.js')).OrganizationRules),
  route(
    `${ORGANIZATION}/connections`,
    async () => (await import('../screens/org-connections.js')).OrganizationConnections,
  ),
  route(`${ORGANIZATION}/openapi`, async () => (await import('../screens/openapi-specs.js')).OpenApiSpecs),
  route(`${ORGANIZATION}/translations`, async () => (await import('../screens/translations.js')).Translations),
  route(`${ORGANIZATION}/trash`, async () => (await import('../screens/trash.js')).Trash),
  route(`${ORGANIZATION}/tokens`, async () => (await import('../screens/member-tokens.js')).MemberTokens),
  route(`${ORGANIZATION}/webhooks`, async () => (await import('../screens/webhooks.js')).Webhooks),
  route(`${ORGANIZATION}/audit`, async () => (await import('../screens/audit.js')).Audit),
  route('/s/:space/settings', async () => (await import('../screens/space-settings.js')).SpaceSettings),
  route('/s/:space/connection', async () => (await import('../screens/connection.js')).ConnectionScreen),
  route('/s/:space/connection/new', async () => (await import('../screens/connection-new.js')).ConnectionNew),
  route('/new', async () => (await import('../screens/new.js')).New),
  route('/new/found', async () => (await import('../screens/new-found.js')).NewFound),
  route('/sites/:site', async () => (await import('../screens/site-structure.js')).SiteStructure),
  route('/sites/:site/structure', async () => (await import('../screens/site-structure.js')).SiteStructure),
  route('/sites/:site/customize', async () => (await import('../screens/site-customize.js')).SiteCustomize),
  route('/sites/:site/settings', async () => (await import('../screens/site-settings.js')).SiteSettings),
  route('/sites/:site/visitors', async () => (await import('../screens/site-visitors.js')).SiteVisitors),
  route('/sites/:site/redirects', async () => (await import('../screens/site-redirects.js')).SiteRedirects),
]

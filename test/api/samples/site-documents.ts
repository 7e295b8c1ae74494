import { siteSuggestions, teams } from '../../../src/model/index.js'
import type { Samples, SpecialSamples } from './samples.js'

/** Documents that belong to a site: share links, redirects, suggestions, settings, permissions. */
export const siteDocumentSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}/sites/${before.siteId}`
  const made = async (path: string, body: object) =>
    (await admin.call('post', `${base}/${path}`, body).expect(201)).body.id as string
  const destination = { kind: 'url', url: 'https://example.org/' }
  const suggestion = async (id: string): Promise<string> => {
    const { app } = here.service
    const times = { createdAt: new Date().toISOString(), expiresAt: '2100-01-01T00:00:00.000Z' }
    const author = { name: 'Probe', email: 'probe@example.org' }
    const text = { page: 'none', title: 'Probe', path: '/', before: 'a', occurrence: 0, after: 'b' }
    const place = { id, organization, site: before.siteId ?? '', space: before.spaceId ?? '' }
    await app.store.insert(siteSuggestions, { ...place, ...text, state: 'waiting', author, ...times })
    return id
  }
  const parameters = {
    suggestionId: await suggestion('probe-suggestion'),
    shareLinkId: await made('share-links', { name: 'Probe' }),
    redirectId: await made('redirects', { source: '/probe', destination }),
  }
  await admin.call('put', `${base}/customization/draft`, {}).expect(200)
  const undrafted = (await admin.call('post', `/v1/orgs/${organization}/sites`, {}).expect(201)).body.id as string
  const all = { ...before, ...parameters }
  const team = async (id: string): Promise<string> =>
    (
      await here.service.app.store.insert(teams, {
        id,
        organization,
        title: 'Probe',
        createdAt: new Date().toISOString(),
      })
    ).id
  const [changed, removed] = [await team('probe-changed-site-team'), await team('probe-removed-site-team')]
  const [user, gone] = [(await here.caller('read')).user, (await here.caller('read')).user]
  await admin
    .call('post', `${base}/permissions`, { role: 'read', users: [user, gone], teams: [changed, removed] })
    .expect(204)
  const permitted = { ...all, userId: user, teamId: changed }
  const leaving = { ...all, userId: gone, teamId: removed }
  const special: SpecialSamples = {
    rejectSiteSuggestion: {
      parameters: { ...all, suggestionId: await suggestion('probe-gone') },
      success: true,
    },
    inviteToSite: { parameters: permitted },
    deleteSiteShareLinkById: {
      parameters: { ...all, shareLinkId: await made('share-links', { name: 'Gone' }) },
      success: true,
    },
    deleteSiteRedirectById: {
      parameters: { ...all, redirectId: await made('redirects', { source: '/gone', destination }) },
      success: true,
    },
    deleteSiteSpaceCustomizationById: { success: true },
    deleteSiteCustomizationDraft: { parameters: { ...all, siteId: undrafted }, success: true },
    regenerateSitePublishingAuthById: { success: true },
    updateUserPermissionInSite: { parameters: permitted, success: true },
    updateTeamPermissionInSite: { parameters: permitted, success: true },
    removeUserFromSite: { parameters: leaving, success: true },
    removeTeamFromSite: { parameters: leaving, success: true },
  }
  return { parameters, special }
}

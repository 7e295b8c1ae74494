import { teams } from '../../../src/model/index.js'
import type { Samples, SpecialSamples } from './samples.js'

/** Collections, and the permissions of spaces and collections. */
export const collectionSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const { store } = here.service.app
  const made = async (path: string, body: object): Promise<string> =>
    (await admin.call('post', path, body).expect(201)).body.id
  const newCollection = (title: string, more: object = {}) =>
    made(`/v1/orgs/${organization}/collections`, { title, ...more })
  const newSpace = (title: string, more: object = {}) => made(`/v1/orgs/${organization}/spaces`, { title, ...more })
  const collection = await newCollection('Probe')
  const team = async (id: string): Promise<string> =>
    (await store.insert(teams, { id, organization, title: 'Probe', createdAt: new Date().toISOString() })).id
  const [changed, removed] = [await team('probe-changed-team'), await team('probe-removed-team')]
  const [user, gone] = [(await here.caller('read')).user, (await here.caller('read')).user]
  for (const path of [`/v1/spaces/${before.spaceId}`, `/v1/collections/${collection}`])
    await admin
      .call('post', `${path}/permissions`, { role: 'read', users: [user, gone], teams: [changed, removed] })
      .expect(204)
  const parameters = { collectionId: collection }
  const permitted = { ...before, ...parameters, userId: user, teamId: changed }
  const leaving = { ...permitted, userId: gone, teamId: removed }
  const special: SpecialSamples = {}
  for (const where of ['Space', 'Collection']) {
    special[`inviteTo${where}`] = { parameters: permitted }
    special[`updateUserPermissionIn${where}`] = { parameters: permitted }
    special[`updateTeamPermissionIn${where}`] = { parameters: permitted }
    special[`removeUserFrom${where}`] = { parameters: leaving, success: true }
    special[`removeTeamFrom${where}`] = { parameters: leaving, success: true }
  }
  // The caller who expects success is only a member of this organization, so a transfer stays within it.
  Object.assign(special, {
    // A guest may request them, since a role on a collection may be enough. A role on the organization is not.
    createSpaceInOrganization: { success: false },
    createCollectionInOrganization: { success: false },
    deleteCollectionById: {
      parameters: { ...before, collectionId: await newCollection('Deleted', { parent: collection }) },
      success: true,
    },
    moveCollectionById: {
      parameters: { ...before, collectionId: await newCollection('Moved'), parentCollectionId: collection },
      success: true,
    },
    moveSpaceById: { parameters: { ...before, ...parameters, spaceId: await newSpace('Moved') }, success: true },
    transferCollectionById: {
      parameters: { ...before, collectionId: await newCollection('Transferred', { parent: collection }) },
      success: true,
    },
    transferSpaceById: {
      parameters: { ...before, spaceId: await newSpace('Transferred', { parent: collection }) },
      success: true,
    },
  })
  return { parameters, special }
}

/** The requests that create a space, and delete it if the user goes back. */
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'

type Space = Schemas['Space']

/** Creates a space. */
export const createSpace = (organizationId: string, input: { title: string; template?: string }): Promise<Space> =>
  body(api.POST('/v1/orgs/{organizationId}/spaces', { params: { path: { organizationId } }, body: input }))

/** Changes a space. */
export async function updateSpace(spaceId: string, changes: Partial<Schemas['UpdateSpace']>): Promise<void> {
  await body(api.PATCH('/v1/spaces/{spaceId}', { params: { path: { spaceId } }, body: changes }))
}

/** Creates a draft space, which only admins see. */
export async function createDraft(organizationId: string, title: string): Promise<Space> {
  const space = await createSpace(organizationId, { title })
  await updateSpace(space.id, { defaultLevel: null })
  return space
}

/** Makes a draft visible to the organization. */
export async function keepDraft(spaceId: string, title: string): Promise<void> {
  await updateSpace(spaceId, { title, defaultLevel: 'inherit' })
  await reload('home/')
}

/** Deletes a draft permanently. */
export async function dropDraft(spaceId: string): Promise<void> {
  const params = { path: { spaceId } }
  await body(api.DELETE('/v1/spaces/{spaceId}', { params }))
  await body(api.POST('/v1/spaces/{spaceId}/purge', { params }))
}

import { connections } from '../../src/model/index.js'
import type { TestService } from './service.js'

/**
 * Deletes the connections of a service. Otherwise each step of a test also polls the repositories of all earlier tests,
 * which was most of the cost of some files.
 */
export async function removeConnections({ service, admin }: Pick<TestService, 'service' | 'admin'>): Promise<void> {
  await service.idle()
  for (const { id, space } of await service.app.store.all(connections))
    await admin.call('delete', `/v1/spaces/${space}/git/connections/${id}`).expect(204)
  await service.idle()
}

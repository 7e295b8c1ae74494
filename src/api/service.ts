import { allows, type Permission } from '../access/index.js'
import type { Actor, App, LoadedOrganization, LoadedSpace } from '../domain/app.js'
import { endpointsOf } from './declaration.js'
import type { resolvers } from './resolvers.js'

/** Declares an endpoint of this service. */
export const endpoint = endpointsOf<{ app: App; actor: Actor; permission: Permission; resolvers: typeof resolvers }>()

/** Whether the policy allows it, by the role the caller has on the resource that the permission is about. */
export function can(_actor: Actor, permission: Permission, resources: { organization?: LoadedOrganization; space?: LoadedSpace }): boolean {
  const scope = permission.startsWith('space:') ? resources.space : resources.organization
  return scope !== undefined && allows(permission, scope.role)
}

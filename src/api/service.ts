import { allows, type Permission } from '../access/index.js'
import type { Actor, App } from '../domain/app.js'
import type { Role } from '../model/index.js'
import { endpointsOf } from './declaration.js'
import type { resolvers } from './resolvers.js'

/** Declares an endpoint of this service. */
export const endpoint = endpointsOf<{ app: App; actor: Actor; permission: Permission; resolvers: typeof resolvers }>()

/** Whether the policy allows it, by the role the caller has on the resource that the permission is about: its first word. */
export function can(_actor: Actor, permission: Permission, resources: Readonly<Record<string, { role: Role | null } | undefined>>): boolean {
  const scope = resources[permission.slice(0, permission.indexOf(':'))]
  return scope !== undefined && allows(permission, scope.role)
}

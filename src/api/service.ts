/** Connects the API pipeline with this service: the declaration of endpoints and the permission checks. */
import { allows, isPermission, type Permission, policy } from '../access/index.js'
import type { App } from '../domain/context/app.js'
import type { Actor } from '../domain/context/actor.js'
import { isTokenValid, type LoadedForRole, currentRole } from '../domain/roles/current-role.js'
import { notFound, ServiceError } from '../kernel/errors.js'
import type { Role } from '../model/index.js'
import type { Reader } from '../store/index.js'
import { endpointsOf, scopeOf } from './declaration.js'
import type { Resources } from './resolver.js'
import type { resolvers } from './resolvers.js'

/** Declares an endpoint of this service. */
export const endpoint = endpointsOf<{ app: App; actor: Actor; permission: Permission; resolvers: typeof resolvers }>()

/**
 * The context that a path provides to handlers of endpoints that are mounted under several paths.
 * It types the functions that a mount passes.
 */
export type Loaded<Path extends string> = { app: App } & Resources<typeof resolvers, Path, Record<never, never>>

/** Types a context by the path below which its endpoint is mounted. It contains the resources of that path. */
export const loadedBelow = <Path extends string>(context: object): Loaded<Path> => context as Loaded<Path>

/**
 * Checks inside a transaction that the token still exists and that the caller's current role is sufficient.
 * If the resource no longer exists, the use case reports it. Throws 401, 403, 404.
 */
export async function checkStillMay(
  reader: Reader,
  actor: Actor,
  permission: string | null,
  resources: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (!(await isTokenValid(reader, actor)))
    throw new ServiceError('unauthenticated', 'The token was revoked during the request. Send another token.')
  if (permission === null) return
  const scope = scopeOf(permission)
  const resource = resources[scope] as LoadedForRole | undefined
  const role = resource && (await currentRole(reader, actor, scope, resource))
  if (role === 'gone') return
  if (role === 'unseen') throw notFound(`The ${scope}`)
  if (!isPermission(permission) || !allows(permission, role))
    throw new ServiceError('forbidden', denial(permission, { [scope]: { role } }))
}

/** Returns the message for a caller without a permission: the role that has it, the caller's role, and what to do. */
export function denial(permission: string, resources: Readonly<Record<string, unknown>>): string {
  const scope = scopeOf(permission)
  const least = policy[permission as Permission]
  const { role }: { role?: Role | null } = resources[scope] ?? {}
  const own = role === undefined || role === null ? 'you have no role' : `your role is ${role}`
  const needed = least === 'guest' ? 'which members of the organization have' : `which the role ${least} has`
  return `You need the permission "${permission}" on the ${scope}, ${needed}; ${own} there. Ask an admin of the ${scope} for it.`
}

/** Whether the policy allows it, by the caller's role on the resource that the permission applies to. */
export function can(_actor: Actor | null, permission: string, resources: Readonly<Record<string, unknown>>): boolean {
  const scope = resources[scopeOf(permission)] as { role: Role | null } | undefined
  return scope !== undefined && isPermission(permission) && allows(permission, scope.role)
}

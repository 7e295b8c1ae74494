/** Loads the user or team in a path below `/permissions`, if they have a role on that space, collection or site. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedCollection, LoadedSite, LoadedSpace } from '../../domain/context/loaded.js'
import type { PermissionTarget } from '../../domain/roles/access.js'
import { findGrant, type Principal } from '../../domain/roles/permissions.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

export const spaceTarget = ({ doc }: Pick<LoadedSpace, 'doc'>): PermissionTarget => ({ ...doc, kind: 'space' })
export const collectionTarget = ({ doc }: LoadedCollection): PermissionTarget => ({ ...doc, kind: 'collection' })
export const siteTarget = ({ doc }: LoadedSite): PermissionTarget => ({ ...doc, kind: 'site' })

/** The resources that a path of permissions can belong to. The resolvers below use the first that was loaded. */
interface Parents {
  space?: LoadedSpace
  collection?: LoadedCollection
  site?: LoadedSite
}

/** Returns the user or team if they have a role on the target itself; otherwise null. */
const granted = async (
  app: App,
  { space, collection, site }: Parents,
  principal: Principal,
): Promise<Principal | null> => {
  const target = space ? spaceTarget(space) : collection ? collectionTarget(collection) : site ? siteTarget(site) : null
  return target && (await findGrant(app.store, target, principal)) ? principal : null
}

/**
 * Resolvers for users and teams in paths below `/permissions`. They only find those with a role on the resource itself.
 */
export const permissionResolvers = {
  permittedUserId: resolver<Parents>()({
    as: 'permission',
    description: 'ID of a user who was given a role here.',
    load: ({ app, parents, id }) => granted(app, parents, { kind: 'user', id }),
  }),
  permittedTeamId: resolver<Parents>()({
    as: 'permission',
    description: 'ID of a team that was given a role here.',
    load: ({ app, parents, id }) => granted(app, parents, { kind: 'team', id }),
  }),
}

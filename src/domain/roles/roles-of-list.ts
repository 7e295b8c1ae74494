// Computes the roles of one viewer on a long list with few reads.
import { type ChainLink, effectiveRole } from '../../access/index.js'
import { collections, type DefaultLevel, grants, type Role } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { isReadableInCollection, type PermissionTarget, type Viewer } from './access.js'

const NONE: readonly Role[] = []

/**
 * Returns the result of `roleOn` for each item of a long list of content of one kind, in the order of the list. Reads
 * the viewer's grants and each collection once, instead of the grants of every item.
 */
export async function rolesOf(
  reader: Reader,
  viewer: Viewer,
  kind: PermissionTarget['kind'],
  list: readonly Omit<PermissionTarget, 'kind'>[],
): Promise<(Role | null)[]> {
  const { member } = viewer
  if (member === undefined || member === 'admin') return list.map(() => member ?? null)
  const granted = await grantsOf(reader, viewer)
  const linkOf = (
    of: PermissionTarget['kind'],
    { id, defaultLevel = 'inherit' }: { id: string; defaultLevel?: DefaultLevel },
  ): ChainLink => ({
    defaultLevel,
    granted: granted.get(`${of}:${id}`) ?? NONE,
  })
  const above = new Map<string, readonly ChainLink[]>()
  const chainFrom = async (collection: string): Promise<readonly ChainLink[]> => {
    const doc = await reader.get(collections, collection)
    const parents = doc?.parent === undefined ? [] : (above.get(doc.parent) ?? (await chainFrom(doc.parent)))
    const chain = doc ? [linkOf('collection', doc), ...parents] : []
    above.set(collection, chain)
    return chain
  }
  const roles: (Role | null)[] = []
  for (const content of list) {
    const parents = content.parent === undefined ? [] : (above.get(content.parent) ?? (await chainFrom(content.parent)))
    const role = effectiveRole([linkOf(kind, content), ...parents], member)
    roles.push(
      role ?? (isReadableInCollection(content, parents) && effectiveRole(parents, member) !== null ? 'read' : null),
    )
  }
  return roles
}

/** Returns the roles granted to a viewer by target, directly and through their teams. */
async function grantsOf(reader: Reader, { principals }: Viewer): Promise<Map<string, Role[]>> {
  const granted = new Map<string, Role[]>()
  for (const principal of principals) {
    for (const { target, role } of await reader.find(grants, 'principal', principal)) {
      const known = granted.get(target)
      if (known) known.push(role)
      else granted.set(target, [role])
    }
  }
  return granted
}

// Which spaces of an organization people see, and how many.
import { collections, grants, type Role, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Viewer } from './access.js'
import { rolesOf } from './roles-of-list.js'

type Space = Document<SpaceDoc>

/** The spaces of one organization, loaded once to find out for many people which of them they see, and how many. */
interface SpaceAccess {
  /** The spaces that a viewer may see, with their role. */
  visibleTo(viewer: Viewer): Promise<{ space: Space; role: Role }[]>
  /** How many spaces `visibleTo` returns. The cost grows with the viewer's grants, hardly with the organization. */
  countFor(viewer: Viewer): Promise<number>
  /** On how many spaces a principal (`team:<id>`) was given a role, directly or on a collection. */
  countGranted(principal: string): Promise<number>
}

/** Loads the spaces and collections of an organization. */
export async function loadSpaceAccess(reader: Reader, organization: string): Promise<SpaceAccess> {
  const docs = (await reader.find(spaces, 'organization', organization)).filter((doc) => doc.deletedAt === undefined)
  const parents = new Map(
    (await reader.find(collections, 'organization', organization)).map(({ id, parent }) => [id, parent]),
  )
  const roles = (viewer: Viewer, list: readonly Space[]): Promise<(Role | null)[]> =>
    rolesOf(reader, viewer, 'space', list)
  const below = once(async () => spacesBelow(docs, parents))
  const byDefault = once(() => seenByDefault(docs, roles))
  const granted = async (principals: Iterable<string>): Promise<Set<Space>> => {
    const found = new Set<Space>()
    for (const principal of principals)
      for (const { target } of await reader.find(grants, 'principal', principal))
        for (const space of (await below()).get(target) ?? []) found.add(space)
    return found
  }
  return {
    async visibleTo(viewer) {
      const viewerRoles = await roles(viewer, docs)
      return docs.flatMap((space, index) => {
        const role = viewerRoles[index] ?? null
        return role === null ? [] : [{ space, role }]
      })
    },
    async countFor(viewer) {
      if (viewer.member === undefined) return 0
      if (viewer.member === 'admin') return docs.length
      const usual = viewer.member === null ? new Set<Space>() : await byDefault()
      const special = [...(await granted(viewer.principals))]
      const seen = (await roles(viewer, special)).filter((role) => role !== null).length
      return usual.size - special.filter((space) => usual.has(space)).length + seen
    },
    countGranted: async (principal) => (await granted([principal])).size,
  }
}

/**
 * The spaces that a member without any grants sees. That depends neither on how powerful their role in the organization is
 * nor on the single space: it is the same for all spaces with the same collection, default level and visibility, so one of
 * each such group is looked at.
 */
async function seenByDefault(
  docs: readonly Space[],
  roles: (viewer: Viewer, list: readonly Space[]) => Promise<(Role | null)[]>,
): Promise<Set<Space>> {
  const alike = new Map<string, Space[]>()
  for (const space of docs) {
    const key = `${space.parent ?? ''} ${space.defaultLevel} ${space.visibility}`
    const group = alike.get(key)
    if (group) group.push(space)
    else alike.set(key, [space])
  }
  const groups = [...alike.values()]
  const seen = await roles(
    { user: '', member: 'read', principals: new Set() },
    groups.map(([first]) => first as Space),
  )
  return new Set(groups.filter((_, index) => seen[index] !== null).flat())
}

/** Target of a grant → the spaces that it reaches. */
function spacesBelow(docs: readonly Space[], parents: ReadonlyMap<string, string | undefined>): Map<string, Space[]> {
  const below = new Map<string, Space[]>()
  const add = (target: string, space: Space): void =>
    void (below.get(target)?.push(space) ?? below.set(target, [space]))
  for (const space of docs) {
    add(`space:${space.id}`, space)
    for (let at = space.parent; at !== undefined; at = parents.get(at)) add(`collection:${at}`, space)
  }
  return below
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

// Determines which spaces of an organization users see, and how many.
import { required } from '../../kernel/defined.js'
import { collections, grants, type Role, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { Viewer } from './access.js'
import { rolesOf } from './roles-of-list.js'

type Space = Document<SpaceDoc>

/** The spaces of one organization, loaded once to determine for many users which and how many they see. */
interface SpaceAccess {
  /** Returns the spaces that a viewer may see, with their role. */
  visibleTo(viewer: Viewer): Promise<{ space: Space; role: Role }[]>
  /**
   * Returns the number of spaces in `visibleTo`. The cost depends on the viewer's grants and hardly on the size of the
   * organization.
   */
  countFor(viewer: Viewer): Promise<number>
  /** Counts the spaces on which a principal (`team:<id>`) has a role, directly or through a collection. */
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
 * Returns the spaces that a member without grants sees. They do not depend on the member's role in the organization.
 * All spaces with the same collection, default level and visibility have the same result, so one of each group is
 * checked.
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
    groups.map(([first]) => required(first)),
  )
  return new Set(groups.filter((_, index) => seen[index] !== null).flat())
}

/** Maps the target of a grant to the spaces below it. */
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

import { type ChainLink, effectiveRole, greater } from '../access/index.js'
import { type CollectionDoc, collections, grants, type Role, type SpaceDoc, spaces } from '../model/index.js'
import type { Document, Reader } from '../store/index.js'
import { isForReaders, type Viewer } from './access.js'

/** A space with the links of its chain: itself, its collections outwards. */
interface Place {
  space: Document<SpaceDoc>
  chain: readonly { target: string; defaultLevel: ChainLink['defaultLevel'] }[]
}

/** Target of a grant → the greatest role given there to one of some principals. */
type Granted = ReadonlyMap<string, Role>

/**
 * The spaces of one organization with all that roles on them are made from, loaded once, to be asked for many people:
 * the answers are those of `roleOn`, without looking at every space again for everybody.
 */
export interface SpaceAccess {
  /** The spaces that somebody may see, with his role. */
  visibleTo(viewer: Viewer): Promise<{ space: Document<SpaceDoc>; role: Role }[]>
  /** How many `visibleTo` would answer. */
  countFor(viewer: Viewer): Promise<number>
  /** How many spaces a principal (`team:<id>`) was given a role on, itself or through a collection. */
  countGranted(principal: string): Promise<number>
}

export async function loadSpaceAccess(reader: Reader, organization: string): Promise<SpaceAccess> {
  const parents = new Map((await reader.find(collections, 'organization', organization)).map((doc) => [doc.id, doc]))
  const docs = (await reader.find(spaces, 'organization', organization)).filter((doc) => doc.deletedAt === undefined)
  const places = docs.map((space): Place => ({ space, chain: chainOf(space, parents) }))
  const nobody: Granted = new Map()
  const byDefault = places.filter((place) => roleAt(place, 'read', nobody) !== null).length
  const granted = async (principals: Iterable<string>): Promise<Granted> => {
    const found = new Map<string, Role>()
    for (const principal of principals)
      for (const { target, role } of await reader.find(grants, 'principal', principal)) found.set(target, greater(found.get(target) ?? null, role) as Role)
    return found
  }
  return {
    async visibleTo(viewer) {
      const mine = await granted(viewer.principals)
      return places.flatMap((place) => {
        const role = roleAt(place, viewer.member, mine)
        return role === null ? [] : [{ space: place.space, role }]
      })
    },
    async countFor(viewer) {
      if (viewer.member === undefined) return 0
      if (viewer.member === 'admin') return places.length
      const mine = await granted(viewer.principals)
      if (mine.size === 0) return viewer.member === null ? 0 : byDefault
      return places.filter((place) => roleAt(place, viewer.member, mine) !== null).length
    },
    async countGranted(principal) {
      const its = await granted([principal])
      return its.size === 0 ? 0 : places.filter(({ chain }) => chain.some(({ target }) => its.has(target))).length
    },
  }
}

function chainOf(space: SpaceDoc & { id: string }, parents: ReadonlyMap<string, CollectionDoc>): Place['chain'] {
  const chain = [{ target: `space:${space.id}`, defaultLevel: space.defaultLevel }]
  for (let at = parents.get(space.parent ?? ''); at; at = parents.get(at.parent ?? ''))
    chain.push({ target: `collection:${at.id}`, defaultLevel: at.defaultLevel })
  return chain
}

function roleAt({ space, chain }: Place, member: Role | null | undefined, granted: Granted): Role | null {
  const links = chain.map(({ target, defaultLevel }): ChainLink => {
    const role = granted.get(target)
    return { defaultLevel, granted: role === undefined ? [] : [role] }
  })
  const parents = links.slice(1)
  return effectiveRole(links, member) ?? (isForReaders(space, parents) && effectiveRole(parents, member) !== null ? 'read' : null)
}

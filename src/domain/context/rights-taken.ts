// Notices transactions that may take rights from somebody whose write is under way.
import {
  collections,
  grants,
  memberships,
  organizations,
  samlProviders,
  type SpaceDoc,
  spaces,
  ssoIdentities,
  ssoTokens,
  teamMembers,
  tokens,
} from '../../model/index.js'
import type { Document, Table, Transaction } from '../../store/index.js'

/** Tables that decide who may move a branch. Changing or removing a document there may take rights away; adding one cannot. */
const DECIDING: ReadonlySet<unknown> = new Set([
  tokens,
  memberships,
  organizations,
  teamMembers,
  grants,
  collections,
  samlProviders,
  ssoIdentities,
  ssoTokens,
])

/** What of a space changes all the time and decides nothing about moves of its branches. */
const UNDECIDING: ReadonlySet<string> = new Set<keyof Document<SpaceDoc>>([
  'version',
  'updatedAt',
  'comments',
  'changeRequests',
  'changeRequestsOpen',
  'changeRequestsDraft',
  'nextChangeRequest',
  'awaitedSpecs',
])

/** Whether a space differs from what it was in anything that may decide about a move. Members are compared by what they say. */
function decidesAnew(before: SpaceDoc | undefined, after: SpaceDoc): boolean {
  if (!before) return true
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const says = (doc: SpaceDoc, name: string) => JSON.stringify(doc[name as keyof SpaceDoc])
  return [...names].some((name) => !UNDECIDING.has(name) && says(before, name) !== says(after, name))
}

/** Where a transaction may have taken rights away. */
export interface RevocationWatch {
  /** In any space. */
  everywhere: boolean
  /** In these: their settings changed. */
  readonly spaces: ReadonlySet<string>
}

/** Wraps a transaction; `taken` fills up with the rights and settings that are changed or removed through it. */
export function watchRights(tx: Transaction): { tx: Transaction; taken: RevocationWatch } {
  const changed = new Set<string>()
  const taken = { everywhere: false, spaces: changed }
  const note = (of: Table<never, string>): void => {
    if (DECIDING.has(of)) taken.everywhere = true
  }
  // bound: spaces that one transaction reads by their IDs
  const seen = new Map<string, SpaceDoc>()
  const watched: Transaction = {
    get: async (of, id) => {
      const found = await tx.get(of, id)
      if (of === (spaces as unknown) && found && !seen.has(id)) seen.set(id, found as unknown as SpaceDoc)
      return found
    },
    find: (of, index, key) => tx.find(of, index, key),
    count: (of, index, key) => tx.count(of, index, key),
    page: (of, order, group, stretch) => tx.page(of, order, group, stretch),
    all: (of) => tx.all(of),
    read: (of, group, query) => tx.read(of, group, query),
    extent: (of, group) => tx.extent(of, group),
    append: (to, group, make, least) => tx.append(to, group, make, least),
    insert: (of, draft) => tx.insert(of, draft),
    replace: (of, document) => {
      note(of)
      if (of === (spaces as unknown) && decidesAnew(seen.get(document.id), document as unknown as SpaceDoc))
        changed.add(document.id)
      return tx.replace(of, document)
    },
    remove: (of, id) => {
      note(of)
      if (of === (spaces as unknown)) changed.add(id)
      return tx.remove(of, id)
    },
  }
  return { tx: watched, taken }
}

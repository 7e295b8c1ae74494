// Detects whether a transaction changes anything, and whether it may revoke rights of a caller whose write is in progress.
import { keysOf } from '../../kernel/defined.js'
import { overlay } from '../../kernel/overlay.js'
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

/**
 * Tables that decide who may move a branch. Changing or removing a document there may revoke rights; adding one cannot.
 */
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

/** Fields of a space that change often and never decide whether a branch may move. */
const IRRELEVANT: ReadonlySet<string> = new Set<keyof Document<SpaceDoc>>([
  'version',
  'updatedAt',
  'comments',
  'changeRequests',
  'changeRequestsOpen',
  'changeRequestsDraft',
  'nextChangeRequest',
  'awaitedSpecs',
])

/** Returns whether a space differs in a field that may decide whether a branch moves. Fields are compared as JSON. */
function changesDecision(before: SpaceDoc | undefined, after: SpaceDoc): boolean {
  if (!before) return true
  const names = new Set([...keysOf(before), ...keysOf(after)])
  const jsonOf = (doc: SpaceDoc, name: keyof SpaceDoc) => JSON.stringify(doc[name])
  return [...names].some((name) => !IRRELEVANT.has(name) && jsonOf(before, name) !== jsonOf(after, name))
}

/** Returns a document if it is that of a space. */
const spaceIn = (of: Table<never, string>, document: object): SpaceDoc | null =>
  of.name === spaces.name ? (document as SpaceDoc) : null

/** The changes of a transaction. */
export interface ChangeWatch {
  /** Whether it writes or removes anything. */
  hasChanges: boolean
  /** Whether it may revoke rights in all spaces. */
  revokedEverywhere: boolean
  /** IDs of the spaces whose settings changed. */
  readonly revokedIn: ReadonlySet<string>
}

/** Wraps a transaction. `seen` records the changes that are made through it. */
export function watchChanges(tx: Transaction): { tx: Transaction; seen: ChangeWatch } {
  const changed = new Set<string>()
  const seen = { hasChanges: false, revokedEverywhere: false, revokedIn: changed }
  const note = (of: Table<never, string>): void => {
    if (DECIDING.has(of)) seen.revokedEverywhere = true
  }
  // bound: spaces that one transaction reads by their IDs
  const read = new Map<string, SpaceDoc>()
  const watched = overlay<Transaction>(() => tx, {
    get: async (of, id) => {
      const found = await tx.get(of, id)
      const space = found && spaceIn(of, found)
      if (space && !read.has(id)) read.set(id, space)
      return found
    },
    insert: (of, draft) => {
      seen.hasChanges = true
      return tx.insert(of, draft)
    },
    append: (to, group, make, least) => {
      seen.hasChanges = true
      return tx.append(to, group, make, least)
    },
    replace: (of, document) => {
      seen.hasChanges = true
      note(of)
      const space = spaceIn(of, document)
      if (space && changesDecision(read.get(document.id), space)) changed.add(document.id)
      return tx.replace(of, document)
    },
    remove: async (of, id) => {
      note(of)
      if (of.name === spaces.name) changed.add(id)
      const isRemoved = await tx.remove(of, id)
      if (isRemoved) seen.hasChanges = true
      return isRemoved
    },
  })
  return { tx: watched, seen }
}

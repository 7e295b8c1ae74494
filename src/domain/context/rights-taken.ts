// Notices transactions that may take rights from somebody whose write is under way.
import { collections, grants, memberships, organizations, samlProviders, spaces, ssoIdentities, ssoTokens, teamMembers, tokens } from '../../model/index.js'
import type { Table, Transaction } from '../../store/index.js'

/** Tables that decide who may move a branch. Changing or removing a document there may take rights away; adding one cannot. */
const DECIDING: ReadonlySet<unknown> = new Set([tokens, memberships, organizations, teamMembers, grants, collections, samlProviders, ssoIdentities, ssoTokens])

/** Where a transaction may have taken rights away. */
export interface RightsTaken {
  /** In any space. */
  everywhere: boolean
  /** In these: their settings changed. */
  readonly spaces: ReadonlySet<string>
}

/** Wraps a transaction; `taken` fills up with the rights and settings that are changed or removed through it. */
export function watchRights(tx: Transaction): { tx: Transaction; taken: RightsTaken } {
  const changed = new Set<string>()
  const taken = { everywhere: false, spaces: changed }
  const note = (of: Table<never, string>, id: string): void => {
    if (DECIDING.has(of)) taken.everywhere = true
    if (of === spaces) changed.add(id)
  }
  const watched: Transaction = {
    get: (of, id) => tx.get(of, id),
    find: (of, index, key) => tx.find(of, index, key),
    count: (of, index, key) => tx.count(of, index, key),
    page: (of, order, group, stretch) => tx.page(of, order, group, stretch),
    all: (of) => tx.all(of),
    read: (of, group, query) => tx.read(of, group, query),
    extent: (of, group) => tx.extent(of, group),
    append: (to, group, make, least) => tx.append(to, group, make, least),
    insert: (of, draft) => tx.insert(of, draft),
    replace: (of, document) => {
      note(of, document.id)
      return tx.replace(of, document)
    },
    remove: (of, id) => {
      note(of, id)
      return tx.remove(of, id)
    },
  }
  return { tx: watched, taken }
}

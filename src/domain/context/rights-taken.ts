import { collections, grants, memberships, organizations, spaces, teamMembers, tokens } from '../../model/index.js'
import type { Table, Transaction } from '../../store/index.js'

/** What decides who may move which branch. What is added there takes nothing away. */
const DECIDING: ReadonlySet<unknown> = new Set([tokens, memberships, organizations, teamMembers, grants, collections])

/** What a transaction changed of that: all spaces may be concerned, or single ones. */
export interface RightsTaken {
  everywhere: boolean
  readonly spaces: ReadonlySet<string>
}

/** The transaction, and what of rights and settings it changes or removes while it is worked with. */
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

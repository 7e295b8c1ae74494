import type { Reader, Store } from '../../store/index.js'
import type { App } from './app.js'
import { type RightsTaken, watchRights } from './rights-taken.js'

/** For what no request asked for: jobs, starting, housekeeping. */
export const unasked: Pick<App, 'stillMay' | 'decided' | 'overruled'> = { stillMay: async () => {}, decided: () => {}, overruled: () => {} }

/** What a request that changes something works with. */
export interface GuardedApp {
  app: App
  /** Rules that an admin went past. */
  overruled: readonly string[]
}

/**
 * The app as one request gets it that is to change something. What its caller may do was looked at before its body was
 * read; it is asked again (`stillMay`, which throws) in the first transaction, of what that transaction sees, and by the
 * guards of branches. Once something is done, what follows belongs to it and is not refused. What takes rights away, or
 * changes the settings of a space, is done when no move is under way that was allowed before.
 */
export function guardedApp(base: App, stillMay: (reader: Reader) => Promise<void>): GuardedApp {
  let decided = false
  const overruled: string[] = []
  const ask = async (reader: Reader): Promise<void> => (decided ? undefined : stillMay(reader))
  const { store } = base
  const transact: Store['transact'] = async (work) => {
    let taken: RightsTaken | undefined
    const value = await store.transact(async (tx) => {
      await ask(tx)
      const watched = watchRights(tx)
      taken = watched.taken
      return work(watched.tx)
    })
    decided = true
    if (taken?.everywhere) await base.moves.settled()
    else for (const space of taken?.spaces ?? []) await base.moves.settled(space)
    return value
  }
  const guarded: Store = {
    get: (of, id) => store.get(of, id),
    find: (of, index, key) => store.find(of, index, key),
    count: (of, index, key) => store.count(of, index, key),
    page: (of, order, group, stretch) => store.page(of, order, group, stretch),
    all: (of) => store.all(of),
    extent: (of, group) => store.extent(of, group),
    read: (of, group, stretch) => store.read(of, group, stretch),
    groups: (of) => store.groups(of),
    drop: (of, group, before) => store.drop(of, group, before),
    close: () => store.close(),
    transact,
    insert: (of, draft) => transact((tx) => tx.insert(of, draft)),
    replace: (of, document) => transact((tx) => tx.replace(of, document)),
    remove: (of, id) => transact((tx) => tx.remove(of, id)),
  }
  const own = { store: guarded, stillMay: ask, decided: () => void (decided = true), overruled: (rule: string) => void overruled.push(rule) }
  return { app: { ...base, ...own }, overruled }
}

// The app of one request that writes: it asks whether the caller still may, when the write takes place.
import type { Reader, Store } from '../../store/index.js'
import type { App } from './app.js'
import { type RevocationWatch, watchRights } from './rights-taken.js'

/** For work without a request (jobs, start, housekeeping): there is no caller whose rights could change. */
export const withoutCaller: Pick<App, 'stillMay' | 'decided' | 'overruled' | 'readOnly'> = {
  readOnly: false,
  stillMay: async () => {},
  decided: () => {},
  overruled: () => {},
}

/** The app of one request that changes something. */
interface GuardedApp {
  app: App
  /** Rules that an admin overrode. */
  overruled: readonly string[]
}

/**
 * Makes the app for one request that changes something. The caller's rights were checked before the body was read. They are
 * checked again (`stillMay`, which throws) in the first transaction, on what that transaction reads, and by the guards of
 * branches. After the first committed change nothing is refused any more: the remaining steps belong to it. A transaction
 * that takes rights away, or changes the settings of a space, resolves only when the branch moves that were allowed before
 * it have ended.
 */
export function guardedApp(base: App, stillMay: (reader: Reader) => Promise<void>): GuardedApp {
  let decided = false
  const overruled: string[] = []
  const ask = async (reader: Reader): Promise<void> => (decided ? undefined : stillMay(reader))
  const { store } = base
  const transact: Store['transact'] = async (work) => {
    let taken: RevocationWatch | undefined
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
    recorded: (recording) => store.recorded(recording),
    close: () => store.close(),
    transact,
    insert: (of, draft) => transact((tx) => tx.insert(of, draft)),
    replace: (of, document) => transact((tx) => tx.replace(of, document)),
    remove: (of, id) => transact((tx) => tx.remove(of, id)),
  }
  const own = {
    store: guarded,
    stillMay: ask,
    decided: () => void (decided = true),
    overruled: (rule: string) => void overruled.push(rule),
  }
  return { app: { ...base, ...own }, overruled }
}

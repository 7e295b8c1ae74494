// Creates the app of one writing request. It checks the caller's rights again at the time of the write.
import { overlay } from '../../kernel/overlay.js'
import type { Audited } from '../../model/index.js'
import type { Reader, Store, Transaction } from '../../store/index.js'
import type { App } from './app.js'
import { type ChangeWatch, watchChanges } from './watched-changes.js'

/** The guards for work without a request (jobs, start, maintenance). There is no caller whose rights could change. */
export const withoutCaller: Pick<App, 'stillMay' | 'decided' | 'overruled' | 'identify' | 'readOnly'> = {
  readOnly: false,
  stillMay: async () => {},
  decided: () => {},
  overruled: () => {},
  identify: () => {},
}

/** The entry of a running request in the audit log. */
export interface OpenEntry {
  /**
   * Adds the unfinished entry to a transaction that changes something, unless it is stored. Returns the function to call
   * after the commit.
   */
  join(tx: Transaction): Promise<() => void>
  overruled(rule: string): void
  identify(ids: Audited): void
}

/** The checks of one writing request, and its entry. */
interface Guards {
  /** Throws if the caller may not make the request anymore. */
  stillMay(reader: Reader): Promise<void>
  /** Null if the request is not recorded. */
  entry: OpenEntry | null
}

/**
 * Creates the app for one writing request. The caller's rights were checked before the body was read. The first
 * transaction checks them again (`stillMay`, which throws), on the data that it reads. The guards of branches check
 * them too. After the first committed change, nothing is rejected anymore: the remaining steps belong to it. The first
 * transaction that changes something also stores the entry of the audit log. A transaction that revokes rights or changes
 * the settings of a space resolves after the branch moves that were allowed before.
 */
export function guardedApp(base: App, { stillMay, entry }: Guards): App {
  let decided = false
  const ask = async (reader: Reader): Promise<void> => (decided ? undefined : stillMay(reader))
  const { store } = base
  const transact: Store['transact'] = async (work) => {
    let seen: ChangeWatch | undefined
    let joined: (() => void) | undefined
    const value = await store.transact(async (tx) => {
      // The store may run the work again.
      joined = undefined
      await ask(tx)
      const watched = watchChanges(tx)
      seen = watched.seen
      const result = await work(watched.tx)
      if (seen.hasChanges) joined = await entry?.join(tx)
      return result
    })
    decided = true
    joined?.()
    if (seen?.revokedEverywhere) await base.moves.settled()
    else for (const space of seen?.revokedIn ?? []) await base.moves.settled(space)
    return value
  }
  const guarded = overlay<Store>(() => store, {
    transact,
    insert: (of, draft) => transact((tx) => tx.insert(of, draft)),
    replace: (of, document) => transact((tx) => tx.replace(of, document)),
    remove: (of, id) => transact((tx) => tx.remove(of, id)),
  })
  const own = {
    store: guarded,
    stillMay: ask,
    decided: () => void (decided = true),
    overruled: (rule: string) => entry?.overruled(rule),
    identify: (ids: Audited) => entry?.identify(ids),
  }
  return { ...base, ...own }
}

// Creates the app of one writing request. It checks the caller's rights again at the time of the write.
import { overlay } from '../../kernel/overlay.js'
import type { Reader, Store } from '../../store/index.js'
import type { App } from './app.js'
import { type RevocationWatch, watchRights } from './rights-taken.js'

/** The guards for work without a request (jobs, start, maintenance). There is no caller whose rights could change. */
export const withoutCaller: Pick<App, 'stillMay' | 'decided' | 'overruled' | 'readOnly'> = {
  readOnly: false,
  stillMay: async () => {},
  decided: () => {},
  overruled: () => {},
}

/** The app of one writing request, and the rules that the request overrode. */
interface GuardedApp {
  app: App
  /** Rules that an admin overrode. */
  overruled: readonly string[]
}

/**
 * Creates the app for one writing request. The caller's rights were checked before the body was read. The first
 * transaction checks them again (`stillMay`, which throws), on the data that it reads. The guards of branches check
 * them too. After the first committed change, nothing is rejected anymore: the remaining steps belong to it. A
 * transaction that revokes rights or changes the settings of a space resolves after the branch moves that were allowed
 * before.
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
    overruled: (rule: string) => void overruled.push(rule),
  }
  return { app: { ...base, ...own }, overruled }
}

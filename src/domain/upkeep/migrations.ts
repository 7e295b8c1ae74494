import type { Migration } from '../../store/index.js'
import { listEarlierEvents } from '../events/earlier-events.js'

/** Steps from the documents of earlier releases to those of this one. Never renumbered, never changed once released. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    // Nobody was asked whether the address is his: nobody is locked out, and `bindery user` tells which they are.
    name: 'accounts of earlier releases keep their addresses',
    run(view) {
      for (const user of view.documents('users')) if (user.proof === undefined && user.limitedTo === undefined) view.put('users', { ...user, proof: 'earlier' })
    },
  },
  {
    version: 2,
    name: 'streams of events are journals',
    run: listEarlierEvents,
  },
]

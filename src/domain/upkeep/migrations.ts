// Lists all migrations of the stored documents, in order.
import type { Migration } from '../../store/index.js'
import { listEarlierEvents } from '../events/earlier-events.js'
import { migrateSiteGroups } from './earlier-site-groups.js'
import { migrateCustomizations } from './earlier-customizations.js'

/** Migrations of stored documents from earlier releases. A released step is never renumbered or changed. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    // Earlier releases required no proof of an address. `proof: 'earlier'` keeps these accounts working, and `bindery
    // user` shows them.
    name: 'accounts of earlier releases keep their addresses',
    run(view) {
      for (const user of view.documents('users'))
        if (user.proof === undefined && user.limitedTo === undefined) view.put('users', { ...user, proof: 'earlier' })
    },
  },
  {
    version: 2,
    name: 'streams of events are journals',
    run: listEarlierEvents,
  },
  {
    version: 3,
    name: 'customizations of sites have the values of the contract',
    run: migrateCustomizations,
  },
  {
    version: 4,
    name: 'groups of sections have children',
    run: migrateSiteGroups,
  },
]

// All migrations of the stored documents, in their order.
import type { Migration } from '../../store/index.js'
import { listEarlierEvents } from '../events/earlier-events.js'
import { migrateSiteGroups } from './earlier-site-groups.js'
import { migrateCustomizations } from './earlier-customizations.js'

/** Migrates the stored documents of earlier releases. A released step is never renumbered or changed. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    // Earlier releases asked for no proof of an address. `proof: 'earlier'` locks nobody out, and `bindery user` shows these accounts.
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

// The entry point of the database that nodes share: a pool of connections, transactions with retries, migrations. See
// database.ts.
export {
  type Database,
  type DatabaseOptions,
  type Listening,
  openDatabase,
  type Session,
  type Value,
} from './database.js'
export { constraintOf, DatabaseAway, isAway } from './errors.js'
export { type Counts, openCounts } from './counts.js'
export { type Hints, openHints } from './hints.js'
export { checkFence, type FencedLease, LeaseLost, type LeaseOptions, type Leases, openLeases } from './leases.js'
export { type News, openNews, changeTriggers } from './news.js'
export { migrate, type Step } from './migrate.js'
export { applicationOf, IS_SERVER } from './silent-nodes.js'

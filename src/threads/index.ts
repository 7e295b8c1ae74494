/** The door of this folder: a pool of threads that runs named tasks on texts and files. */
export { type FailureKind, TaskFailure } from './failure.js'
export type { Argument } from './messages.js'
export { createPool, type Pool, type PoolOptions } from './pool.js'

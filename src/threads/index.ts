/** The entry point of `threads/`: a pool of threads that run named tasks on texts and files. */
export { type FailureKind, TaskFailure } from './failure.js'
export type { Argument } from './messages.js'
export { createPool, type Pool, type PoolOptions } from './pool.js'

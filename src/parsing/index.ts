export { type FailureKind, TaskFailure } from './failure.js'
export { createPool, type Pool, type PoolOptions } from './pool.js'

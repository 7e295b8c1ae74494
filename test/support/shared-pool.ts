/** Threads that the services of one process of the test run share, one after the other: starting a thread takes longer than starting a service. */
import { createPool, type Pool, type PoolOptions, TaskFailure } from '../../src/threads/index.js'

interface Shared {
  pool: Pool
  users: number
}
const shared = new Map<string, Shared>()

/**
 * As `createPool`, for tasks that depend on their arguments alone. What a service leaves undone when it is closed fails, as with a pool of
 * its own; the threads end then if nobody else uses them, so that they do not go on with it in the next test.
 */
export function sharedPool(options: PoolOptions): Pool {
  const key = JSON.stringify(options)
  const ours = shared.get(key) ?? { pool: createPool(options), users: 0 }
  shared.set(key, ours)
  ours.users++
  let closing: Promise<void> | undefined
  const undone = new Set<(failure: TaskFailure) => void>()
  const close = async (): Promise<void> => {
    ours.users--
    const stopped = undone.size > 0
    for (const fail of undone) fail(new TaskFailure('closed', 'The service is stopping.'))
    if (!stopped || ours.users > 0) return
    if (shared.get(key) === ours) shared.delete(key)
    await ours.pool.close()
  }
  return {
    run: (owner, name, args) =>
      new Promise((resolve, reject) => {
        if (closing) return reject(new TaskFailure('closed', 'The service is stopping.'))
        undone.add(reject)
        ours.pool
          .run(owner, name, args)
          .then(resolve, reject)
          .finally(() => undone.delete(reject))
      }),
    // Many tests never need a thread.
    warm: () => {},
    close: () => (closing ??= close()),
  }
}

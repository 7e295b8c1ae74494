/**
 * Threads that the services of one test process share, one after the other. Starting a thread takes longer than
 * starting a service.
 */
import { createPool, type Pool, type PoolOptions, TaskFailure } from '../../src/threads/index.js'

interface Shared {
  pool: Pool
  users: number
}
const shared = new Map<string, Shared>()

/**
 * Like `createPool`, for tasks that depend only on their arguments. Unfinished tasks of a closed service fail, as with
 * a separate pool. If no other service uses the threads, they end, so that they do not continue in the next test.
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

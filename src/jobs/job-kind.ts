// Defines kinds of jobs and the results of their runs.
import type { App } from '../domain/context/app.js'
import type { JobDoc } from '../model/index.js'
import type { Transaction } from '../store/index.js'
import type { Queue } from './queues.js'

/** The result of a job. `write` runs in the transaction that ends the job. */
export interface Ending {
  /** Absent = done. */
  error?: string
  write?(tx: Transaction): Promise<void>
  /** Reports the end to operators after it is stored, even while the service stops. */
  recorded?(): void
  /** Runs after the job has ended, in its slot. A crash may skip it. Must not throw. */
  afterwards?(): Promise<void>
  /**
   * Like `afterwards`, for long work: the next jobs do not wait for it. The work of several jobs runs one after
   * another.
   */
  aside?(): Promise<void>
}

/**
 * A job stops because the service stops. It runs again after the next start, and this run does not count as an attempt.
 */
export class JobInterrupted extends Error {
  override name = 'JobInterrupted'
}

/** The definition of a kind of job for the worker. */
export interface JobKind<K extends string = string> {
  kind: K
  /** Jobs of one queue share its slots. */
  queue: Queue
  /**
   * Does the work. After a crash at any point it runs again, so it must be idempotent. Errors that it throws are
   * unexpected:
   * the job is retried, and finally `failed` returns the result. `signal` is aborted when the service stops;
   * a long job then throws `JobInterrupted`.
   */
  run(app: App, job: JobDoc<K>, signal: AbortSignal): Promise<Ending>
  failed(app: App, job: JobDoc<K>, error: string): Ending
}

/**
 * Runs the work of a job until the service stops, and throws `JobInterrupted` then. The work gets its own signal:
 * the worker's signal lives as long as the service, so listeners on it would accumulate.
 */
export async function untilStopped<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const abort = (): void => stop.abort()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    return await work(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? new JobInterrupted('The service is stopping.', { cause: error }) : error
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

// What a kind of job is, and how its runs end.
import type { App } from '../domain/context/app.js'
import type { JobDoc } from '../model/index.js'
import type { Transaction } from '../store/index.js'
import type { Queue } from './queues.js'

/** How a job ended; `write` runs in the transaction that ends it. */
export interface Ending {
  /** Absent = done. */
  error?: string
  write?(tx: Transaction): Promise<void>
  /** Reports the end to operators once it is stored, also while the service stops. */
  recorded?(): void
  /** Runs once the job has ended, in its place. It may be cut off by a crash, and never throws. */
  afterwards?(): Promise<void>
  /** The same for what takes long: the next jobs do not wait for it, and what several jobs leave so is done one after the other. */
  aside?(): Promise<void>
}

/** A job stops because the service does. It runs again after the next start, and this run does not count as an attempt. */
export class JobInterrupted extends Error {
  override name = 'JobInterrupted'
}

/** What the worker knows of a kind of job. */
export interface JobKind {
  kind: string
  /** Jobs of one queue share its slots. */
  queue: Queue
  /**
   * Does the work. After a crash at any point it runs again, so running it twice must have the same effect as once. An error
   * that it throws is unexpected: the job is retried, and finally `failed` says what to write. `signal` is aborted when the service stops: a
   * job that takes long then throws `JobInterrupted`.
   */
  run(app: App, job: JobDoc, signal: AbortSignal): Promise<Ending>
  failed(app: App, job: JobDoc, error: string): Ending
}

/**
 * Runs the work of a job until the service stops: throws `JobInterrupted` then. The signal of the worker lives as long as the service, so what listens to
 * it must end with the job: the work gets a signal of its own.
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

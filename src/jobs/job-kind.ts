import type { App } from '../domain/context/app.js'
import type { JobDoc } from '../model/index.js'
import type { Transaction } from '../store/index.js'

/** How a job ended; `write` runs in the transaction that ends it. */
export interface Ending {
  /** Absent = done. */
  error?: string
  write?(tx: Transaction): Promise<void>
  /** Runs once the job has ended. It may be cut off by a crash, and never throws. */
  afterwards?(): Promise<void>
}

/** What the worker knows of a kind of job. */
export interface JobKind {
  kind: string
  /**
   * Does the work. After a crash at any point it runs again, so running it twice must have the same effect as once. An error
   * that it throws is unexpected: the job is retried, and finally `failed` says what to write.
   */
  run(app: App, job: JobDoc): Promise<Ending>
  failed(app: App, job: JobDoc, error: string): Ending
}

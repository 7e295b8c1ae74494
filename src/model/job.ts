// The stored jobs.
import { table } from '../kernel/documents.js'

/**
 * Work that must be done and survives a restart, as stored. Jobs of one `lane` run one at a time, in order of creation.
 */
export interface JobDoc<Payload extends object = Record<string, unknown>> {
  id: string
  kind: string
  /** Jobs of one lane (such as a space) run one after another. */
  lane: string
  /** The queue shares its slots fairly among organizations. Absent: the job belongs to none. */
  organization?: string
  /** JSON for the code of the job. It never contains credentials: those are in `app.credentials`, by job ID. */
  payload: Payload
  state: 'queued' | 'running' | 'done' | 'failed'
  /** Increases with every job. It determines the order within a lane. */
  sequence: number
  attempts: number
  /** ISO time before which a queued job is not started. */
  notBefore?: string
  createdAt: string
  /**
   * The ID of the current run. If no process holds the lane of a running job, another process takes over the job with a
   * new run.
   */
  runner?: string
  /** The process that has the job's credentials in memory. While it is alive, no other process runs the job. */
  keeper?: string
  finishedAt?: string
  error?: string
}

/** The `sequence` of a job that runs after all jobs that clients requested. */
export const LAST_IN_LANE = Number.MAX_SAFE_INTEGER

export const jobs = table<JobDoc>()({
  name: 'jobs',
  indexes: { lane: (job) => job.lane, state: (job) => job.state },
  owner: (job) => job.lane,
})

// The stored jobs.
import { table } from '../kernel/documents.js'

/** Work that must be done and survives a restart, as stored. Jobs of one `lane` run one at a time, in order of creation. */
export interface JobDoc {
  id: string
  kind: string
  /** Jobs of one lane (a space) run one after the other. */
  lane: string
  /** The queue shares its slots fairly by organization. Absent: the job belongs to none, or an earlier release stored it. */
  organization?: string
  /** JSON for the job's own code. Never credentials: those are in `app.credentials`, by job ID. */
  payload: Record<string, unknown>
  state: 'queued' | 'running' | 'done' | 'failed'
  /** Increases with every job: the order within a lane. */
  sequence: number
  attempts: number
  /** ISO time before which a queued job is not started. */
  notBefore?: string
  createdAt: string
  /** This run of it, of all of its runs: whoever finds that nobody has the lane of a running job takes the job over by a run of their own. */
  runner?: string
  /** Process that has the job's credentials in its memory: no other runs it while that one lives. */
  keeper?: string
  finishedAt?: string
  error?: string
}

/** `sequence` of a job that comes behind everything that clients asked for. */
export const LAST_IN_LANE = Number.MAX_SAFE_INTEGER

export const jobs = table<JobDoc>()({
  name: 'jobs',
  indexes: { lane: (job) => job.lane, state: (job) => job.state },
  owner: (job) => job.lane,
})

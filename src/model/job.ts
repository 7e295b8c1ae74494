// The stored jobs, and what each kind of job is about.
import { table } from '../kernel/documents.js'
import type { CommitId } from '../kernel/ids.js'
import type { LfsRemote } from './lfs.js'

/** A run of a translation. */
export interface RunOrder {
  translation: string
  /** ID of the user on whose behalf it writes. */
  by: string
  automatic: boolean
}

/** Git LFS objects to fetch from a remote. It contains no credential. */
export interface LfsOrder {
  space: string
  remote: LfsRemote
  /** Revisions whose pointers are scanned, in addition to main. */
  revisions: CommitId[]
  /** Whether a user requested it. Earlier failures are then retried at once. */
  asked: boolean
  /** Number of consecutive failures to reach the remote. */
  tries: number
}

/** A PDF to print. */
export interface PdfOrder {
  space: string
  revision: string
  /** ID of the change request that the PDF shows. */
  changeRequest?: string
  /** ID of a page: the PDF contains only this page and, unless `only`, the pages below it. */
  page?: string
  only?: boolean
  /** Key of the PDF among the stored ones. */
  key: string
}

/**
 * A mail to send. Its text is not stored, since it may contain a secret that is generated only when the mail is sent.
 */
export type MailOrder =
  | { mail: 'invite'; invite: string }
  | { mail: 'sign-in'; email: string; invite?: string }
  | { mail: 'suggestion'; suggestion: string }
  | { mail: 'notifications'; user: string }
  | { mail: 'connection'; connection: string; user: string; what: 'failed' | 'recovered'; message: string }

/** A bundle of a site to write, for a visitor who was admitted. */
export interface BundleOrder {
  site: string
  /** The claims that conditions see. */
  claims: Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>
  /** IDs of the spaces that the visitor may see. */
  spaces: string[]
}

/** The payload of each kind of job. */
interface JobPayloads {
  'git-import': { run: string }
  'git-export': { run: string }
  /** The merge of a change request that held the conflict of a sync. */
  'resume-sync': { changeRequest: string }
  'request-export': { request: string }
  'pull-previews': { connection: string; space: string }
  'content-import': { import: string }
  'maintain-repository': { space: string }
  'purge-space': { space: string }
  /** `since`: the time at which it was queued first, in milliseconds since 1970. `tries`: failed attempts so far. */
  'send-mail': MailOrder & { since: number; tries: number }
  'print-pdf': PdfOrder
  'write-bundle': BundleOrder
  'process-openapi': { spec: string }
  /** A specification with a new version, or a deleted one. */
  'spread-openapi': { organization: string; slug: string }
  'compute-revision': { space: string; slug: string }
  translate: RunOrder
  'resolve-lfs': LfsOrder
}
export type JobName = keyof JobPayloads
export type JobPayload<K extends JobName> = JobPayloads[K]

/**
 * Work that must be done and survives a restart, as stored. Jobs of one `lane` run one at a time, in order of creation.
 */
export interface JobDoc<K extends string = string> {
  id: string
  kind: K
  /** Jobs of one lane (such as a space) run one after another. */
  lane: string
  /** The queue shares its slots fairly among organizations. Absent: the job belongs to none. */
  organization?: string
  /** JSON for the code of the job. It never contains credentials: those are in `app.credentials`, by job ID. */
  payload: K extends JobName ? JobPayload<K> : object
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
  /** The finished part of the run, from 0 to 1. Only jobs have it for whose file someone waits. */
  progress?: number
  finishedAt?: string
  error?: string
}

/** Returns the kind and payload of a job to queue. */
export const jobOf = <K extends JobName>(kind: K, payload: JobPayload<K>): { kind: K; payload: JobPayload<K> } => ({
  kind,
  payload,
})

/** Whether a job is of a kind. */
export const isJob = <K extends JobName>(job: JobDoc, kind: K): job is JobDoc<K> => job.kind === kind

/** The `sequence` of a job that runs after all jobs that clients requested. */
export const LAST_IN_LANE = Number.MAX_SAFE_INTEGER

export const jobs = table<JobDoc>()({
  name: 'jobs',
  indexes: { lane: (job) => job.lane, state: (job) => job.state },
  owner: 'lane',
})

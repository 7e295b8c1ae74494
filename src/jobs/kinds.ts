/** The kinds of jobs that run one use case. Each connects the queue of its work with the code that does it. */
import { makeComputedRevision, spreadVersion } from '../domain/commits/computed-revision.js'
import { type PollKind, recordUnexpected, type WritePoll } from '../domain/connections/host-polls.js'
import { PULL_PREVIEWS } from '../domain/connections/preview-polls.js'
import type { App } from '../domain/context/app.js'
import { resumeSync } from '../domain/git-sync/runs.js'
import { Interrupted } from '../domain/imports/failure.js'
import { runImport, writeImportEnd } from '../domain/imports/run.js'
import { fetchObjects } from '../domain/lfs/fetch.js'
import { RESOLVE_LFS } from '../domain/lfs/queue.js'
import { recordProblem } from '../domain/lfs/record.js'
import { giveUpSpec, processSpec } from '../domain/openapi/processing.js'
import { COMPUTE_REVISION, PROCESS_OPENAPI, SPREAD_OPENAPI } from '../domain/openapi/queue.js'
import { printPdf } from '../domain/pdf/print-pdf.js'
import { writeBundle } from '../domain/sites/bundles.js'
import { sendMail } from '../domain/people/mails.js'
import { giveUpMail, writeMail } from '../domain/people/write-mail.js'
import { pollPullRequests, previewPolls } from '../domain/pull-previews/poll.js'
import { pollExport } from '../domain/request-exports/poll.js'
import { exportPolls, REQUEST_EXPORT } from '../domain/request-exports/schedule.js'
import { writeEnd } from '../domain/translations/finish.js'
import { TRANSLATE } from '../domain/translations/queue.js'
import { runTranslation } from '../domain/translations/run.js'
import { maintainRepository } from '../domain/upkeep/housekeeping.js'
import { purgeSpace } from '../domain/upkeep/purge-space.js'
import type { JobDoc, JobName } from '../model/index.js'
import { gitExport, gitImport } from './git-sync-job.js'
import { type Ending, JobInterrupted, type JobKind, untilStopped } from './job-kind.js'
import { queues } from './queues.js'

/** Types a kind by its name, which determines the payload. */
const jobKind = <K extends JobName>(kind: JobKind<K>): JobKind<K> => kind

const contentImport = jobKind({
  kind: 'content-import',
  queue: queues.contentImport,
  async run(app, { payload: { import: id } }, signal) {
    try {
      const end = await runImport(app, id, signal)
      return { write: (tx) => writeImportEnd(app, tx, id, end), afterwards: async () => app.waits.wake(id) }
    } catch (error) {
      throw error instanceof Interrupted || signal.aborted
        ? new JobInterrupted('The service is stopping.', { cause: error })
        : error
    }
  },
  failed: (app, { payload: { import: id } }, error) => ({
    error,
    write: (tx) => writeImportEnd(app, tx, id, { problem: { code: 'internal', message: error } }),
    afterwards: async () => app.waits.wake(id),
  }),
})

/** Resumes a sync after the change request with its conflict was merged. */
const resumption = jobKind({
  kind: 'resume-sync',
  // The run that it queues waits for the same slots.
  queue: queues.sync,
  async run(app, { payload }) {
    await resumeSync(app, payload.changeRequest)
    return {}
  },
  failed: (_app, _job, error) => ({ error }),
})

/** Repacks the repository of a space. */
const maintain = jobKind({
  kind: 'maintain-repository',
  queue: queues.local,
  async run(app, { payload }) {
    await maintainRepository(app, payload.space)
    return {}
  },
  failed: (_app, _job, error) => ({ error }),
})

/** Purges a deleted space that can no longer be restored. */
const purge = jobKind({
  kind: 'purge-space',
  queue: queues.local,
  async run(app, { payload }) {
    await purgeSpace(app, payload.space)
    return {}
  },
  failed: (_app, _job, error) => ({ error }),
})

const mail = jobKind({
  kind: 'send-mail',
  queue: queues.mail,
  run: (app, job) => sendMail(app, job, writeMail),
  failed: (_app, job, error) => ({ error, write: (tx) => giveUpMail(tx, job.payload) }),
})

const pdf = jobKind({
  kind: 'print-pdf',
  queue: queues.pdf,
  async run(app, { id, payload }) {
    const error = await printPdf(app, id, payload)
    return error === null ? {} : { error }
  },
  failed: (_app, _job, error) => ({ error }),
})

const bundle = jobKind({
  kind: 'write-bundle',
  queue: queues.bundle,
  run: (app, { id, payload }, signal) =>
    untilStopped(signal, async (stop) => {
      const error = await writeBundle(app, id, payload, stop)
      return error === null ? {} : { error }
    }),
  failed: (_app, _job, error) => ({ error }),
})

/** Runs a poll of a host as a job, and records its unexpected failures. */
const pollJob = <K extends JobName, Doc extends object>(
  { kind, queue }: Pick<JobKind<K>, 'kind' | 'queue'>,
  polls: PollKind<Doc>,
  idOf: (job: JobDoc<K>) => string,
  poll: (app: App, job: JobDoc<K>, signal: AbortSignal) => Promise<WritePoll>,
): JobKind<K> => ({
  kind,
  queue,
  async run(app, job, signal) {
    try {
      return { write: await poll(app, job, signal) }
    } catch (error) {
      if (signal.aborted) throw new JobInterrupted()
      throw error
    }
  },
  failed: (app, job, error) => ({
    error,
    write: (tx) => recordUnexpected(app, tx, polls, { id: idOf(job), job, message: error }),
  }),
})

/** Polls the export of a change request. */
const requestExport = pollJob(
  { kind: REQUEST_EXPORT, queue: queues.requestExport },
  exportPolls,
  ({ payload }) => payload.request,
  (app, { payload }, signal) => pollExport(app, payload.request, signal),
)

/** Polls the pull requests of a connection. */
const pullPreviews = pollJob(
  { kind: PULL_PREVIEWS, queue: queues.pullPreview },
  previewPolls,
  ({ payload }) => payload.connection,
  (app, { payload }, signal) => pollPullRequests(app, payload, signal),
)

/** Fetches and processes an OpenAPI specification. */
const processOpenApi = jobKind({
  kind: PROCESS_OPENAPI,
  queue: queues.openapi,
  async run(app, { payload }, signal) {
    const write = await processSpec(app, payload.spec, signal)
    if (signal.aborted) throw new JobInterrupted()
    return { write }
  },
  failed: (app, { payload }, error) => ({ error, write: (tx) => giveUpSpec(app, tx, payload.spec, error) }),
})

/** Finds the spaces that use a specification with a new version. */
const spreadOpenApi = jobKind({
  kind: SPREAD_OPENAPI,
  queue: queues.local,
  async run(app, { payload }, signal) {
    const write = await spreadVersion(app, payload, signal)
    if (signal.aborted) throw new JobInterrupted()
    return { write }
  },
  failed: (_app, _job, error) => ({ error }),
})

/** Creates the revision of a space for a new version of a specification. */
const computeRevision = jobKind({
  kind: COMPUTE_REVISION,
  queue: queues.local,
  run: async (app, { payload }) => ({ write: await makeComputedRevision(app, payload.space, payload.slug) }),
  failed: (_app, _job, error) => ({ error }),
})

const translate = jobKind({
  kind: TRANSLATE,
  queue: queues.translation,
  run: (app, { payload }, signal) =>
    untilStopped(signal, async (stop) => {
      const end = await runTranslation(app, payload, stop)
      const write: NonNullable<Ending['write']> = async (tx) =>
        end ? writeEnd(app, tx, payload.translation, end) : undefined
      return end && 'problem' in end ? { error: end.problem.message, write } : { write }
    }),
  failed: (app, { payload }, error) => ({
    error,
    write: (tx) => writeEnd(app, tx, payload.translation, { problem: { code: 'internal', message: error } }),
  }),
})

const resolveLfs = jobKind({
  kind: RESOLVE_LFS,
  queue: queues.lfs,
  run: (app, { id, payload }, signal) =>
    untilStopped(signal, async (stop) => ({ write: await fetchObjects(app, id, payload, stop) })),
  failed: (app, { payload }, error) => ({ error, write: (tx) => recordProblem(app, tx, payload.space, error) }),
})

const all: readonly JobKind[] = [
  gitImport,
  gitExport,
  resumption,
  requestExport,
  pullPreviews,
  contentImport,
  maintain,
  purge,
  mail,
  pdf,
  bundle,
  processOpenApi,
  spreadOpenApi,
  computeRevision,
  translate,
  resolveLfs,
]

/** All kinds of jobs, by name. */
export const jobKinds: ReadonlyMap<string, JobKind> = new Map(all.map((kind) => [kind.kind, kind]))

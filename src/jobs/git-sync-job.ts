/** The background jobs that run imports from and exports to remote repositories. */
import { credentialOfRun, recordEnd } from '../domain/connections/record-end.js'
import type { App } from '../domain/context/app.js'
import { causeOf, explain, SyncCancelled } from '../domain/git-sync/failure.js'
import { runExport } from '../domain/git-sync/export.js'
import { runImport } from '../domain/git-sync/import.js'
import { openSync, type Outcome, startRun, type Sync, writeFailure, writeOutcome } from '../domain/git-sync/sync.js'
import { lfsOrderAfter, queueLfs } from '../domain/lfs/queue.js'
import { type SyncRunDoc, syncRuns } from '../model/index.js'
import type { Ending, JobKind } from './job-kind.js'
import { queues } from './queues.js'
import { readAhead } from '../domain/revisions/revisions.js'

/** Creates a job that runs an import or export and records the result in its run and connection. */
const gitSyncJob = (
  kind: 'git-import' | 'git-export',
  work: (sync: Sync) => Promise<Outcome>,
): JobKind<'git-import' | 'git-export'> => ({
  kind,
  queue: queues.sync,
  async run(app, job) {
    const id = job.payload.run
    const stop = new AbortController()
    app.running.set(id, stop)
    try {
      const { sync, outcome } = await startRun(app, id, async () => {
        const sync = await openSync(app, id, (run) => credentialOfRun(app, run), stop.signal)
        return { sync, outcome: await work(sync) }
      })
      const lfs = await lfsOrderAfter(sync, outcome)
      const write: Ending['write'] = async (tx) => {
        await writeOutcome(app, tx, id, outcome)
        await recordEnd(app, tx, id, null)
        if (lfs) await queueLfs(app, tx, lfs, app.credentials.get(id))
      }
      const isNew = outcome.result === 'adopted' || outcome.result === 'merged'
      return {
        write,
        recorded: () => reportEnd(app, sync.run, endOf(outcome)),
        afterwards: async () => app.wakes.connections(),
        ...(isNew && { aside: () => readAhead(app, sync.space, outcome.revision) }),
      }
    } catch (error) {
      if (stop.signal.aborted || error instanceof SyncCancelled) return cancelled(app, id)
      const sentence = explain(error, await lostCredential(app, id))
      if (sentence === null) throw error
      return failure(app, id, sentence, causeOf(error))
    } finally {
      app.running.delete(id)
    }
  },
  failed: (app, job, error): Ending => failure(app, job.payload.run, error, 'internal'),
})

/** The end of a run. `reason` is the message for users, without credentials. */
interface RunEnd {
  outcome: 'success' | 'conflict' | 'failure' | 'cancelled'
  cause?: string
  reason?: string | undefined
}

const endOf = ({ result, error }: Outcome): RunEnd =>
  result === 'conflict' ? { outcome: 'conflict', cause: 'conflict', reason: error } : { outcome: 'success' }

/** Counts the end of a run. A failed run gets a log line, which is a warning if the run belongs to a connection. */
function reportEnd({ log, meters }: App, run: SyncRunDoc, { outcome, cause, reason }: RunEnd): void {
  const { id, connection, space, direction } = run
  meters.syncs.inc({ direction, outcome })
  if (cause === undefined) return
  const fields = { run: id, space, direction, cause, reason }
  if (connection === undefined) log.info(fields, 'An import or export failed.')
  else log.warn({ connection, ...fields }, 'A run of a connection failed.')
}

function failure(app: App, id: string, error: string, cause: string): Ending {
  let run: SyncRunDoc | null = null
  return {
    error,
    write: async (tx) => {
      run = await tx.get(syncRuns, id)
      await writeFailure(app, tx, id, error)
      await recordEnd(app, tx, id, cause)
    },
    recorded: () => void (run && reportEnd(app, run, { outcome: 'failure', cause, reason: error })),
    afterwards: async () => app.wakes.connections(),
  }
}

function cancelled(app: App, id: string): Ending {
  const { message: error } = new SyncCancelled()
  let run: SyncRunDoc | null = null
  return {
    error,
    write: async (tx) => {
      run = await tx.get(syncRuns, id)
      await writeFailure(app, tx, id, error, 'cancelled')
    },
    recorded: () => void (run && reportEnd(app, run, { outcome: 'cancelled' })),
  }
}

/** Whether the run lost its credential, which is only in memory, in a restart. */
async function lostCredential(app: App, id: string): Promise<boolean> {
  return (await app.store.get(syncRuns, id))?.hadCredential === true && !app.credentials.has(id)
}

export const gitExport = gitSyncJob('git-export', runExport)
export const gitImport = gitSyncJob('git-import', runImport)

import type { App } from '../domain/context/app.js'
import { explain } from '../domain/git-sync/failure.js'
import { openSync, type Outcome, type Sync, writeFailure, writeOutcome } from '../domain/git-sync/sync.js'
import { type JobDoc, syncRuns } from '../model/index.js'
import type { Ending, JobKind } from './job-kind.js'

/** A job that runs an import or export and writes how it ended into its run. */
export const gitSyncJob = (kind: string, work: (sync: Sync) => Promise<Outcome>): JobKind => ({
  kind,
  async run(app, job) {
    const id = runOf(job)
    try {
      const outcome = await work(await openSync(app, id))
      return { write: (tx) => writeOutcome(app, tx, id, outcome) }
    } catch (error) {
      const sentence = explain(error, await lostCredential(app, id))
      if (sentence === null) throw error
      return { error: sentence, write: (tx) => writeFailure(app, tx, id, sentence) }
    }
  },
  failed: (app, job, error): Ending => ({ error, write: (tx) => writeFailure(app, tx, runOf(job), error) }),
})

const runOf = (job: JobDoc): string => String(job.payload.run)

/** Credentials live in memory: after a restart a run has to do without the one it began with. */
async function lostCredential(app: App, id: string): Promise<boolean> {
  return (await app.store.get(syncRuns, id))?.hadCredential === true && !app.credentials.has(id)
}

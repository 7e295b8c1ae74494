import type { App } from '../domain/context/app.js'
import { explain } from '../domain/git-sync/failure.js'
import { openSync, type Outcome, type Sync, writeFailure, writeOutcome } from '../domain/git-sync/sync.js'
import { readAhead } from '../domain/revisions/read-ahead.js'
import { type JobDoc, syncRuns } from '../model/index.js'
import type { Ending, JobKind } from './job-kind.js'

/** A job that runs an import or export and writes how it ended into its run. */
export const gitSyncJob = (kind: string, work: (sync: Sync) => Promise<Outcome>): JobKind => ({
  kind,
  async run(app, job) {
    const id = runOf(job)
    try {
      const sync = await openSync(app, id)
      const outcome = await work(sync)
      const write: Ending['write'] = (tx) => writeOutcome(app, tx, id, outcome)
      if (outcome.result !== 'adopted' && outcome.result !== 'merged') return { write }
      return { write, afterwards: () => readAhead(app, sync.space, outcome.revision) }
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

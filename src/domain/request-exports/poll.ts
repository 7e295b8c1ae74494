/** Polls an export: synchronizes the host and the change request after changes on either side. */
import type { PullRequest } from '../../hosts/index.js'
import { type ExportProblem, type RequestExportDoc, requestExports, type UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import {
  nothingToWrite,
  type PollResult,
  type PollTrouble,
  runPoll,
  type WritePoll,
} from '../connections/host-polls.js'
import type { App } from '../context/app.js'
import { type Export, ExportOver, openExport, record } from './poll-context.js'
import { archivedHere, closedThere, mergedHere, reopened } from './endings.js'
import { mergedThere } from './host-merge.js'
import { pushBranch } from './push-branch.js'
import { exportPolls, isLive, stateOf } from './schedule.js'
import { digestOf, reviewersOf, wordsOf } from './pull-request-text.js'

/**
 * Polls an export. It may stop anywhere and run again, since each step finds earlier results: the commit in the host's
 * branch, the pull request by that branch, the merge in main. Throws unexpected errors only.
 */
export async function pollExport(app: App, id: string, signal: AbortSignal): Promise<WritePoll> {
  const doc = await app.store.get(requestExports, id)
  if (!doc) return nothingToWrite
  const seen = await stateOf(app, app.store, doc)
  const run = async (): Promise<PollResult | null> => {
    try {
      const all = await openExport(app, doc, signal)
      if (all === null) return null
      await step(all)
    } catch (error) {
      if (!(error instanceof ExportOver) || signal.aborted) throw error
      if (isLive(doc)) await close({ app, doc }, error.message)
    }
    return { trouble: null, isDone: true }
  }
  return runPoll(
    app,
    exportPolls,
    doc,
    { run, record: (stored, result, now) => recorded(stored, result, seen, now) },
    signal,
  )
}

const close = (all: Pick<Export, 'app' | 'doc'>, reason: string): Promise<unknown> =>
  record(all, ({ waitsFor: _over, ...stored }) => ({ ...stored, status: 'closed', reason }))

/** Returns the export with the result of a poll, and the state of its change request that was seen. */
function recorded(
  { problem: before, ...doc }: Document<RequestExportDoc>,
  { trouble }: PollResult,
  seen: string,
  now: string,
): Document<RequestExportDoc> {
  const problem = trouble && problemAfter(before, trouble, now)
  return { ...doc, ...(problem ? { problem } : {}), seen, lookedAt: now }
}

const problemAfter = (
  before: ExportProblem | undefined,
  { cause, message }: PollTrouble,
  now: string,
): ExportProblem => ({
  cause,
  message,
  since: before?.cause === cause ? before.since : now,
  attempts: (before?.cause === cause ? before.attempts : 0) + 1,
})

async function step(all: Export): Promise<void> {
  const { doc, request, host } = all
  const pull = doc.pullRequest === undefined ? null : await host.pullRequest(doc.pullRequest.number)
  if (pull?.state === 'merged') return mergedThere(all, pull)
  if (!isLive(doc) && doc.waitsFor === undefined) return pull?.state === 'open' ? reopened(all) : undefined
  if (pull?.state === 'closed') return closedThere(all, pull)
  if (request.status === 'merged') return mergedHere(all, pull)
  if (request.status === 'archived') return archivedHere(all, pull)
  await publish(all, pull)
}

/** Pushes new commits, then opens or updates the pull request. */
async function publish(all: Export, pull: PullRequest | null): Promise<void> {
  const now = await pushBranch(all)
  const { logins, unknown, userOf } = await reviewersOf(now)
  // Hosts accept reviewers only when a pull request is opened. Later reviewers are listed in its text.
  const later = [...userOf].flatMap(([login, user]) => (now.doc.asked.includes(login) ? [] : [user]))
  if (pull !== null) return updateText(now, pull.number, [...unknown, ...later])
  const words = wordsOf(now, unknown)
  const opened = await now.host.openPullRequest({ ...branchesOf(now.doc), ...words, reviewers: logins })
  const users = opened.refusedReviewers.flatMap((login) => userOf.get(login) ?? [])
  const { number, url } = opened.pullRequest
  const doc = await record(now, (stored) => ({
    ...stored,
    status: 'open',
    pullRequest: { number, url },
    asked: logins.filter((login) => !opened.refusedReviewers.includes(login)),
    named: [...unknown, ...users].map(({ id }) => id),
    told: digestOf(words),
    changedAt: now.app.clock.now().toISOString(),
  }))
  await updateText({ ...now, doc }, number, [...unknown, ...users])
}

/** Updates the title and text of the pull request if they changed here. Edits on the host stay until then. */
async function updateText(all: Export, number: number, named: readonly Document<UserDoc>[]): Promise<void> {
  const words = wordsOf(all, named)
  const told = digestOf(words)
  if (all.doc.told === told) return
  await all.host.updatePullRequest(number, words)
  await record(all, (stored) => ({
    ...stored,
    told,
    named: named.map(({ id }) => id),
    changedAt: all.app.clock.now().toISOString(),
  }))
}

const branchesOf = ({ branch, base }: Document<RequestExportDoc>) => ({
  head: branch.replace('refs/heads/', ''),
  base: base.replace('refs/heads/', ''),
})

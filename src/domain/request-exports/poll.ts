/** Polls an export: synchronizes the host and the change request after changes on either side. */
import { backOff } from '../../kernel/back-off.js'
import { HostError, type PullRequest } from '../../hosts/index.js'
import { type ExportProblem, type RequestExportDoc, requestExports, type UserDoc } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { causeOf, explain } from '../git-sync/failure.js'
import { type Export, ExportOver, openExport, record } from './poll-context.js'
import { archivedHere, closedThere, mergedHere, reopened } from './endings.js'
import { mergedThere } from './host-merge.js'
import { pushBranch } from './push-branch.js'
import { isLive, nextLook, scheduleLook, stateOf } from './schedule.js'
import { BranchConflict } from './import-commits.js'
import { digestOf, reviewersOf, wordsOf } from './pull-request-text.js'

const RETRY = { firstMs: 30_000, maxMs: 60 * 60_000 }

/** Writes the result of a poll, in the transaction that ends its job. */
type WriteResult = (tx: Transaction) => Promise<void>

/**
 * Polls an export. It may stop anywhere and run again, since each step finds earlier results: the commit in the host's
 * branch, the pull request by that branch, the merge in main. Throws unexpected errors only.
 */
export async function lookAt(app: App, id: string, signal: AbortSignal): Promise<WriteResult> {
  const doc = await app.store.get(requestExports, id)
  if (!doc) return async () => {}
  const seen = await stateOf(app, app.store, doc)
  try {
    const all = await openExport(app, doc, signal)
    if (all === null) return async () => {}
    await step(all)
    return recordResult(app, id, seen, null)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ExportOver) {
      if (isLive(doc))
        await record({ app, doc }, ({ waitsFor: _over, ...stored }) => ({
          ...stored,
          status: 'closed',
          reason: error.message,
        }))
      return recordResult(app, id, seen, null)
    }
    const trouble = problemOf(error)
    const { connection, space } = doc
    app.log.warn(
      { connection, space, request: id, cause: trouble.cause, reason: trouble.message },
      'The pull request of a change request could not be updated.',
    )
    return recordResult(app, id, seen, trouble)
  }
}

interface Trouble {
  cause: string
  message: string
  retryAt: Date | null
}

/** Returns the message for an error that users can act on. Throws other errors. */
function problemOf(error: unknown): Trouble {
  if (error instanceof HostError) return { cause: error.failure, message: error.message, retryAt: error.retryAt }
  const message = explain(error, false)
  if (message === null) throw error
  return { cause: error instanceof BranchConflict ? 'conflict' : causeOf(error), message, retryAt: null }
}

/** Records the result of a poll and queues the next one. */
function recordResult(app: App, id: string, seen: string, trouble: Trouble | null): WriteResult {
  return async (tx) => {
    const stored = await tx.get(requestExports, id)
    if (!stored) return
    const now = app.clock.now()
    const { problem: before, ...rest } = stored
    const problem = trouble && problemAfter(before, trouble, now.toISOString())
    const next = await tx.replace(requestExports, {
      ...rest,
      ...(problem ? { problem } : {}),
      seen,
      lookedAt: now.toISOString(),
    })
    const at = trouble && problem ? retryAt(trouble, problem, now.getTime()) : nextLook(next, now.getTime())
    if (at !== null) await scheduleLook(app, tx, next, at)
  }
}

const problemAfter = (before: ExportProblem | undefined, { cause, message }: Trouble, now: string): ExportProblem => ({
  cause,
  message,
  since: before?.cause === cause ? before.since : now,
  attempts: (before?.cause === cause ? before.attempts : 0) + 1,
})

const retryAt = ({ retryAt: told }: Trouble, { attempts }: ExportProblem, now: number): number =>
  told === null ? now + backOff(attempts, RETRY) : Math.max(now, told.getTime())

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

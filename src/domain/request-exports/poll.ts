/** One look at an export: brings the host and the change request into agreement, whatever happened on either side since the last one. */
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

const FIRST_RETRY_MS = 30_000
const MAX_RETRY_MS = 60 * 60_000

/** What is written in the transaction that ends the job of the look. */
type Written = (tx: Transaction) => Promise<void>

/**
 * Looks at an export. It may break off anywhere and be repeated: what is there already is found again, the commit by the host's branch, the pull request by
 * that branch, the merge by main. Only errors that nobody foresaw are thrown.
 */
export async function lookAt(app: App, id: string, signal: AbortSignal): Promise<Written> {
  const doc = await app.store.get(requestExports, id)
  if (!doc) return async () => {}
  const seen = await stateOf(app, app.store, doc)
  try {
    const all = await openExport(app, doc, signal)
    if (all === null) return async () => {}
    await step(all)
    return ended(app, id, seen, null)
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof ExportOver) {
      if (isLive(doc))
        await record({ app, doc }, ({ waitsFor: _over, ...stored }) => ({
          ...stored,
          status: 'closed',
          reason: error.message,
        }))
      return ended(app, id, seen, null)
    }
    const trouble = problemOf(error)
    const { connection, space } = doc
    app.log.warn(
      { connection, space, request: id, cause: trouble.cause, reason: trouble.message },
      'The pull request of a change request could not be updated.',
    )
    return ended(app, id, seen, trouble)
  }
}

interface Trouble {
  cause: string
  message: string
  retryAt: Date | null
}

/** The words for an error that people can do something about. Throws any other. */
function problemOf(error: unknown): Trouble {
  if (error instanceof HostError) return { cause: error.failure, message: error.message, retryAt: error.retryAt }
  const message = explain(error, false)
  if (message === null) throw error
  return { cause: error instanceof BranchConflict ? 'conflict' : causeOf(error), message, retryAt: null }
}

/** Records how a look went, and queues the next one. */
function ended(app: App, id: string, seen: string, trouble: Trouble | null): Written {
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
  told === null
    ? now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10))
    : Math.max(now, told.getTime())

async function step(all: Export): Promise<void> {
  const { doc, request, host } = all
  const pull = doc.pullRequest === undefined ? null : await host.pullRequest(doc.pullRequest.number)
  if (pull?.state === 'merged') return mergedThere(all, pull)
  if (!isLive(doc) && doc.waitsFor === undefined) return pull?.state === 'open' ? reopened(all) : undefined
  if (pull?.state === 'closed') return closedThere(all, pull)
  if (request.status === 'merged') return mergedHere(all, pull)
  if (request.status === 'archived') return archivedHere(all, pull)
  await bringOver(all, pull)
}

/** Pushes what is new, then opens the pull request or tells it what changed. */
async function bringOver(all: Export, pull: PullRequest | null): Promise<void> {
  const now = await pushBranch(all)
  const { logins, unknown, userOf } = await reviewersOf(now)
  // Hosts take reviewers when a pull request is opened: who is asked for a review later is named in the text.
  const later = [...userOf].flatMap(([login, user]) => (now.doc.asked.includes(login) ? [] : [user]))
  if (pull !== null) return tell(now, pull.number, [...unknown, ...later])
  const words = wordsOf(now, unknown)
  const made = await now.host.openPullRequest({ ...branchesOf(now.doc), ...words, reviewers: logins })
  const users = made.refusedReviewers.flatMap((login) => userOf.get(login) ?? [])
  const { number, url } = made.pullRequest
  const doc = await record(now, (stored) => ({
    ...stored,
    status: 'open',
    pullRequest: { number, url },
    asked: logins.filter((login) => !made.refusedReviewers.includes(login)),
    named: [...unknown, ...users].map(({ id }) => id),
    told: digestOf(words),
    changedAt: now.app.clock.now().toISOString(),
  }))
  await tell({ ...now, doc }, number, [...unknown, ...users])
}

/** Gives the pull request its title and text, if they changed here. What people change there stays until then. */
async function tell(all: Export, number: number, named: readonly Document<UserDoc>[]): Promise<void> {
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

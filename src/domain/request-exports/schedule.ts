/** Schedules the polls of exports: one job per export, moved forward by hints from the host and by local changes. */
import { createHash } from 'node:crypto'
import {
  changeRequests,
  jobOf,
  jobs,
  type RequestExportDoc,
  requestedReviews,
  requestExports,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import { hastenPoll, type PollKind } from '../connections/host-polls.js'
import type { App } from '../context/app.js'
import { headNow } from '../context/head-now.js'
import { changeRequestRef } from '../context/refs.js'

/** Maximum number of reviewers that are requested or listed. */
export const MAX_REVIEWERS = 20
export const REQUEST_EXPORT = 'request-export'
/** Limits of the poll interval of an open pull request. The interval is a tenth of the time since the last change. */
const MIN_POLL_MS = 60_000
const MAX_POLL_MS = 15 * 60_000
/** Period in which a closed pull request is polled, since it may be reopened. */
const REOPEN_MS = 7 * 24 * 60 * 60_000
const POLL_OF_CLOSED_MS = 60 * 60_000

export const isLive = ({ status }: Pick<RequestExportDoc, 'status'>): boolean =>
  status === 'pending' || status === 'open'

const isWaiting = (doc: RequestExportDoc): boolean => doc.waitsFor !== undefined

/** Returns the time of the next poll after one without changes (milliseconds since 1970). Null = never. */
function nextPoll(doc: RequestExportDoc, now: number): number | null {
  const quiet = now - Date.parse(doc.changedAt)
  if (isLive(doc) || isWaiting(doc)) return now + Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, quiet / 10))
  return doc.status === 'closed' && doc.pullRequest !== undefined && quiet < REOPEN_MS ? now + POLL_OF_CLOSED_MS : null
}

/** The polls of exports. */
export const exportPolls: PollKind<RequestExportDoc> = {
  table: requestExports,
  firstRetryMs: 30_000,
  failed: 'The pull request of a change request could not be updated.',
  logged: ({ connection, space, id }) => ({ connection, space, request: id }),
  order: ({ id, organization }) => ({
    ...jobOf(REQUEST_EXPORT, { request: id }),
    lane: `${REQUEST_EXPORT}:${id}`,
    organization,
  }),
  nextAt: (_app, doc, now) => nextPoll(doc, now),
  attempts: ({ problem }) => problem?.attempts ?? 0,
  withUnexpected: (doc, message, now) => ({
    ...doc,
    problem: {
      cause: 'internal',
      message,
      since: doc.problem?.since ?? now,
      attempts: (doc.problem?.attempts ?? 0) + 1,
    },
  }),
}

/** Returns a digest of the exported state of a change request: its branch, text, status and reviewers. */
export async function stateOf(app: App, reader: Reader, doc: RequestExportDoc): Promise<string> {
  const request = await reader.get(changeRequests, doc.id)
  const head = request === null ? null : await headNow(app, doc.space, changeRequestRef(request.number))
  const { documents } = await reader.page(requestedReviews, 'requestedAt', doc.id, {
    limit: MAX_REVIEWERS,
    direction: 'asc',
  })
  const asked = documents.map(({ user }) => user)
  const shown = [head, request?.status, request?.subject, request?.description, asked.sort()]
  return createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22)
}

/** Schedules polls of the exports whose change request changed since the last poll, after the quiet period. */
export async function noteChanges(app: App, of: { space: string } | { organization: string }): Promise<void> {
  const { store } = app
  const all =
    'space' in of
      ? await store.find(requestExports, 'liveInSpace', of.space)
      : await store.find(requestExports, 'liveInOrganization', of.organization)
  for (const doc of all)
    if ((await stateOf(app, app.store, doc)) !== doc.seen) await hasten(app, doc, app.settings.connections.quietMs)
}

/** Polls the exports of a connection at once, or those that wait for the end of a run. */
export async function noteHint(app: App, hint: { connection: string } | undefined): Promise<void> {
  const all = hint
    ? await app.store.find(requestExports, 'connection', hint.connection)
    : await app.store.find(requestExports, 'waiting', 'waiting')
  for (const doc of all) if (nextPoll(doc, app.clock.now().getTime()) !== null) await hasten(app, doc, 0)
}

const hasten = (app: App, { id }: Document<RequestExportDoc>, ms: number): Promise<void> =>
  hastenPoll(app, exportPolls, id, () => app.clock.now().getTime() + ms)

/** Removes the exports of a space, in the transaction that purges it. Their pull requests stay on the host. */
export async function removeExports(tx: Transaction, space: string): Promise<void> {
  for (const doc of await tx.find(requestExports, 'space', space)) {
    for (const job of await tx.find(jobs, 'lane', `${REQUEST_EXPORT}:${doc.id}`))
      if (job.state === 'queued') await tx.remove(jobs, job.id)
    await tx.remove(requestExports, doc.id)
  }
}

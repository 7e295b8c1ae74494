/**
 * Polls the pull requests of a connection: creates previews of new heads and releases those of closed pull requests.
 */
import { backOff } from '../../kernel/back-off.js'
import { isRemoteRefName, RemoteError } from '../../git/index.js'
import { HostError, type PullRequest } from '../../hosts/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, jobs, type PullPreviewDoc, pullPreviews } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { previewLane, schedulePreviewPoll } from '../connections/preview-polls.js'
import type { App } from '../context/app.js'
import { explain } from '../git-sync/failure.js'
import { type Look, openLook } from './poll-context.js'
import { makePreview, shownOf, storeRefusal } from './make.js'
import { previewsOf, releaseOthers } from './release.js'
import { Statuses } from './statuses.js'

/** Maximum number of open pull requests per connection that get a preview, newest first. */
const MAX_PREVIEWS = 100
/** Maximum number of previews that one poll creates. The next poll then follows at once. */
const MADE_AT_ONCE = 10
const MIN_POLL_MS = 60_000
const RETRY = { firstMs: 60_000, maxMs: 60 * 60_000 }

/** Writes the result of a poll, in the transaction that ends its job. */
type Written = (tx: Transaction) => Promise<void>

/** Polls the pull requests. It may stop anywhere and run again. Throws unexpected errors only. */
export async function lookAtPullRequests(
  app: App,
  place: { connection: string; space: string },
  signal: AbortSignal,
): Promise<Written> {
  const doc = await app.store.get(connections, place.connection)
  if (doc?.space !== place.space || !doc.pullRequests.preview) {
    await releaseOthers(app, place, new Set())
    return async () => {}
  }
  if (doc.paused) return async () => {}
  try {
    const look = await openLook(app, doc, signal)
    if (look === null) return async () => {}
    const { isDone, problem } = await step(look)
    return ended(
      app,
      doc,
      problem === null
        ? null
        : { message: problem.message, retryAt: problem instanceof HostError ? problem.retryAt : null },
      isDone,
    )
  } catch (error) {
    if (signal.aborted) throw error
    const message = error instanceof HostError ? error.message : explain(error, false)
    if (message === null && (await isGone(app, doc))) return async () => {}
    if (message === null) throw error
    return ended(app, doc, { message, retryAt: error instanceof HostError ? error.retryAt : null }, true)
  }
}

/** Whether the connection was removed in the meantime, perhaps with its space. Failures are then not reported. */
const isGone = async (app: App, { id }: ConnectionDoc): Promise<boolean> =>
  (await app.store.get(connections, id)) === null

interface Trouble {
  message: string
  retryAt: Date | null
}

/**
 * Creates missing previews. `isDone` means that no work is left for another poll at once. `problem` is a failure to
 * fetch a head or to set a status.
 */
async function step(look: Look): Promise<{ isDone: boolean; problem: HostError | RemoteError | null }> {
  const { app, through, host } = look
  const { items } = await host.openPullRequests(through.ref.replace('refs/heads/', ''))
  const pulls = items.slice(0, MAX_PREVIEWS)
  const known = await previewsOf(app, through.id)
  const meant = pulls.filter(({ number }) => (known.get(number)?.key ?? through.key) === through.key)
  await releaseOthers(app, { connection: through.id, space: through.space }, new Set(meant.map(({ number }) => number)))
  const heads = await headsOf(look, pulls)
  const statuses = new Statuses(look)
  let made = 0
  let unfetched: RemoteError | null = null
  for (const pull of pulls) {
    const before = meant.includes(pull) ? known.get(pull.number) : undefined
    const head = heads.get(pull.number) ?? null
    const isMade = before !== undefined && (before.commit ?? null) === head
    if (!isMade && made === MADE_AT_ONCE) return { isDone: false, problem: unfetched ?? statuses.problem }
    const doc = isMade ? await renamed(look, before, pull) : await makeOne(look, pull, head)
    if (doc instanceof RemoteError) {
      // The first failure may concern only this pull request, for example a timeout. The second one indicates a problem
      // of the repository.
      if (unfetched !== null || look.connection.signal?.aborted) throw doc
      unfetched = doc
      continue
    }
    if (doc === null) continue
    // Pull requests without a ref are not counted. Otherwise they would be retried at once, endlessly.
    if (!isMade) made++
    await statuses.set(doc)
  }
  return { isDone: true, problem: unfetched ?? statuses.problem }
}

/**
 * Creates the preview of a head. Null if the pull request or the connection is gone. Returns an error if it could not
 * be fetched.
 */
async function makeOne(
  look: Look,
  pull: PullRequest,
  head: CommitId | null,
): Promise<Document<PullPreviewDoc> | RemoteError | null> {
  const ref = refOf(look, pull)
  if (ref === null || head === null)
    return storeRefusal(
      look,
      pull,
      null,
      'The host provides no ref for this pull request, because it comes from another repository or its branch was deleted.',
    )
  try {
    return await makePreview(look, { ...pull, head: { ...pull.head, sha: head } }, ref)
  } catch (error) {
    if (error instanceof RemoteError) return error
    if (look.connection.signal?.aborted || error instanceof HostError || explain(error, false) !== null) throw error
    if (await isGone(look.app, look.through)) return null
    // A failing pull request must not prevent the previews of others.
    look.app.log.error(
      { error, connection: look.through.id, number: pull.number },
      'A pull request could not be previewed.',
    )
    return storeRefusal(
      look,
      pull,
      head,
      'The preview could not be created because of a server error. The server log contains the details for administrators.',
    )
  }
}

/** Returns the ref of the head. All hosts except Bitbucket provide one for each pull request, even from a fork. */
function refOf({ through }: Pick<Look, 'through'>, { number, head }: PullRequest): RefName | null {
  if (through.provider === 'gitlab') return `refs/merge-requests/${number}/head`
  if (through.provider !== 'bitbucket') return `refs/pull/${number}/head`
  return head.repository !== null && isSame(through.url, head.repository) ? `refs/heads/${head.ref}` : null
}

/** Whether a URL is that of a repository `owner/name`. */
const isSame = (url: string, name: string): boolean =>
  url
    .replace(/\.git$|\/+$/g, '')
    .toLowerCase()
    .endsWith(`/${name.toLowerCase()}`)

/**
 * Returns the heads of pull requests by number, as the host reports them. Abbreviated ones are read from the
 * repository.
 */
async function headsOf(look: Look, pulls: readonly PullRequest[]): Promise<Map<number, CommitId>> {
  const heads = new Map<number, CommitId>()
  const unknown = new Map<number, RefName>()
  for (const pull of pulls) {
    const ref = refOf(look, pull)
    if (pull.head.sha !== null && ref !== null) heads.set(pull.number, pull.head.sha)
    else if (ref !== null && isRemoteRefName(ref)) unknown.set(pull.number, ref)
  }
  const found =
    unknown.size === 0
      ? new Map<RefName, CommitId>()
      : await look.space.repo.remote.heads(look.connection, [...new Set(unknown.values())])
  for (const [number, ref] of unknown) {
    const head = found.get(ref)
    if (head !== undefined) heads.set(number, head)
  }
  return heads
}

const isShown = (doc: PullPreviewDoc, pull: PullRequest): boolean => {
  const { title, author, url, head } = shownOf(pull)
  return (
    doc.title === title &&
    doc.author === author &&
    doc.url === url &&
    doc.head.ref === head.ref &&
    doc.head.repository === head.repository
  )
}

/** Stores the current title and other displayed fields of the pull request. */
async function renamed(
  { app }: Look,
  doc: Document<PullPreviewDoc>,
  pull: PullRequest,
): Promise<Document<PullPreviewDoc>> {
  if (isShown(doc, pull)) return doc
  return app.store.transact(async (tx) => {
    const stored = await tx.get(pullPreviews, doc.id)
    return stored
      ? tx.replace(pullPreviews, { ...stored, ...shownOf(pull), updatedAt: app.clock.now().toISOString() })
      : doc
  })
}

/** Records the result of a poll in the connection and queues the next one. */
function ended(app: App, { id, space }: ConnectionDoc, trouble: Trouble | null, isDone: boolean): Written {
  if (trouble)
    app.log.warn(
      { connection: id, space, reason: trouble.message },
      'The pull requests of a connection could not be previewed.',
    )
  return async (tx) => {
    const stored = await tx.get(connections, id)
    if (!stored) return
    const now = app.clock.now()
    // Continue while previews are missing: a host that rejects statuses must not prevent previews.
    const attempts = trouble === null ? 0 : (stored.previews?.attempts ?? 0) + (isDone ? 1 : 0)
    const previews = {
      lookedAt: now.toISOString(),
      ...(trouble === null ? {} : { problem: trouble.message, attempts }),
    }
    await tx.replace(connections, { ...stored, previews })
    const at =
      trouble === null || !isDone ? nextLook(app, now.getTime(), isDone) : retryAt(trouble, attempts, now.getTime())
    if (at !== null) await schedulePreviewPoll(app, tx, stored, at)
  }
}

/** Returns the time of the next poll after a success (milliseconds since 1970). Null if repositories are not polled. */
function nextLook({ settings }: App, now: number, isDone: boolean): number | null {
  const { pollMs } = settings.connections
  if (!isDone) return now
  return pollMs === 0 ? null : now + Math.max(MIN_POLL_MS, pollMs)
}

const retryAt = ({ retryAt: told }: Trouble, attempts: number, now: number): number =>
  told === null ? now + backOff(attempts, RETRY) : Math.max(now, told.getTime())

/** Records an unexpected failure of a poll, and polls again in an hour. */
export async function retryLook(
  app: App,
  tx: Transaction,
  place: { connection: string; space: string },
  message: string,
): Promise<void> {
  const stored = await tx.get(connections, place.connection)
  if (stored)
    await tx.replace(connections, {
      ...stored,
      previews: { lookedAt: app.clock.now().toISOString(), problem: message, attempts: 1 },
    })
  await schedulePreviewPoll(
    app,
    tx,
    stored ?? { id: place.connection, space: place.space },
    app.clock.now().getTime() + RETRY.maxMs,
  )
}

/** Minimum time in milliseconds between two polls after hints for one connection. */
const MIN_GAP_MS = 2_000

/** Polls the pull requests of a connection soon, if they are previewed. */
export async function notePullRequests(app: App, connection: string): Promise<void> {
  const queued = await app.store.transact(async (tx) => {
    const doc = await tx.get(connections, connection)
    if (!doc || doc.paused || !doc.pullRequests.preview) return false
    const last = doc.previews === undefined ? Number.NEGATIVE_INFINITY : Date.parse(doc.previews.lookedAt)
    await schedulePreviewPoll(app, tx, doc, Math.max(app.clock.now().getTime(), last + MIN_GAP_MS))
    return (await tx.find(jobs, 'lane', previewLane(doc.id))).length > 0
  })
  if (queued) app.wakes.jobs()
}

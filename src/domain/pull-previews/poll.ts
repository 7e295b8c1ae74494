/** One look at the pull requests of a connection: previews are made of new heads, and those of closed pull requests are released. */
import { isRemoteRefName, RemoteError } from '../../git/index.js'
import { HostError, type PullRequest } from '../../hosts/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, type PullPreviewDoc, pullPreviews } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { schedulePreviewPoll } from '../connections/preview-polls.js'
import type { App } from '../context/app.js'
import { explain } from '../git-sync/failure.js'
import { type Look, openLook } from './poll-context.js'
import { makePreview, shownOf, storeRefusal } from './make.js'
import { previewsOf, releaseOthers } from './release.js'
import { Statuses } from './statuses.js'

/** Open pull requests of a connection that get a preview: the newest. */
const MAX_PREVIEWS = 100
/** Previews that one look makes; the next look goes on at once. */
const MADE_AT_ONCE = 10
const MIN_POLL_MS = 60_000
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 60 * 60_000

/** What is written in the transaction that ends the job of the look. */
type Written = (tx: Transaction) => Promise<void>

/** Looks at the pull requests. It may break off anywhere and be repeated. Only errors that nobody foresaw are thrown. */
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

/** Whether the connection was removed meanwhile, maybe with its space. Then nothing that failed needs to be told. */
const isGone = async (app: App, { id }: ConnectionDoc): Promise<boolean> =>
  (await app.store.get(connections, id)) === null

interface Trouble {
  message: string
  retryAt: Date | null
}

/** Makes what is missing. `isDone`: nothing is left for a look at once. `problem`: why one could not be fetched, or its status not be set. */
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
      // Maybe it lies in this one alone, which takes too long, say. The second time, it lies in the repository.
      if (unfetched !== null || look.connection.signal?.aborted) throw doc
      unfetched = doc
      continue
    }
    if (doc === null) continue
    // One whose ref is not there is not counted: it would be tried again at once, for ever.
    if (!isMade) made++
    await statuses.set(doc)
  }
  return { isDone: true, problem: unfetched ?? statuses.problem }
}

/** Makes the preview of a head. Null if the pull request, or the connection, is gone, an error if it could not be fetched. */
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
      'The host gives no ref for this pull request: it comes from another repository, or its branch is gone.',
    )
  try {
    return await makePreview(look, { ...pull, head: { ...pull.head, sha: head } }, ref)
  } catch (error) {
    if (error instanceof RemoteError) return error
    if (look.connection.signal?.aborted || error instanceof HostError || explain(error, false) !== null) throw error
    if (await isGone(look.app, look.through)) return null
    // One pull request never keeps the others from their previews.
    look.app.log.error(
      { error, connection: look.through.id, number: pull.number },
      'A pull request could not be previewed.',
    )
    return storeRefusal(
      look,
      pull,
      head,
      'The preview could not be made because of a fault of this server. Its administrators find it in the log.',
    )
  }
}

/** The ref that has the head: hosts keep one of each pull request, also of one from a fork, except Bitbucket. */
function refOf({ through }: Pick<Look, 'through'>, { number, head }: PullRequest): RefName | null {
  if (through.provider === 'gitlab') return `refs/merge-requests/${number}/head` as RefName
  if (through.provider !== 'bitbucket') return `refs/pull/${number}/head` as RefName
  return head.repository !== null && isSame(through.url, head.repository) ? (`refs/heads/${head.ref}` as RefName) : null
}

/** Whether a URL is that of a repository `owner/name`. */
const isSame = (url: string, name: string): boolean =>
  url
    .replace(/\.git$|\/+$/g, '')
    .toLowerCase()
    .endsWith(`/${name.toLowerCase()}`)

/** The heads of pull requests, by number: as the host tells them; if it abbreviates them, the repository is asked. */
async function headsOf(look: Look, pulls: readonly PullRequest[]): Promise<Map<number, CommitId>> {
  const heads = new Map<number, CommitId>()
  const unknown = new Map<number, RefName>()
  for (const pull of pulls) {
    const ref = refOf(look, pull)
    if (pull.head.sha !== null && ref !== null) heads.set(pull.number, pull.head.sha as CommitId)
    else if (ref !== null && isRemoteRefName(ref)) unknown.set(pull.number, ref)
  }
  const found =
    unknown.size === 0
      ? new Map<RefName, CommitId>()
      : await look.space.repo.remoteHeads(look.connection, [...new Set(unknown.values())])
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

/** Stores what the pull request is called now. */
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

/** Records in the connection how the look went, and queues the next one. */
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
    // As long as there are previews to make, it goes on: a host that takes no status does not keep people from them.
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

/** When a look that went well is repeated (milliseconds since 1970); null if repositories are not polled. */
function nextLook({ settings }: App, now: number, isDone: boolean): number | null {
  const { pollMs } = settings.connections
  if (!isDone) return now
  return pollMs === 0 ? null : now + Math.max(MIN_POLL_MS, pollMs)
}

const retryAt = ({ retryAt: told }: Trouble, attempts: number, now: number): number =>
  told === null
    ? now + Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10))
    : Math.max(now, told.getTime())

/** Records that looks failed for a reason that nobody foresaw, and looks again in an hour. */
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
    app.clock.now().getTime() + MAX_RETRY_MS,
  )
}

/**
 * Polls the pull requests of a connection: creates previews of new heads and releases those of closed pull requests.
 */
import { isRemoteRefName, RemoteError } from '../../git/index.js'
import type { HostError, PullRequest } from '../../hosts/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, connections, type PullPreviewDoc, pullPreviews } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { HostContact } from '../connections/host-contact.js'
import {
  hastenPoll,
  nothingToWrite,
  type PollKind,
  type PollResult,
  runPoll,
  troubleOf,
  type WritePoll,
} from '../connections/host-polls.js'
import { previewPoll } from '../connections/preview-polls.js'
import type { App } from '../context/app.js'
import { openPreviews } from './poll-context.js'
import { makePreview, shownOf, storeRefusal } from './make.js'
import { previewsOf, releaseOthers } from './release.js'
import { Statuses } from './statuses.js'

/** Maximum number of open pull requests per connection that get a preview, newest first. */
const MAX_PREVIEWS = 100
/** Maximum number of previews that one poll creates. The next poll then follows at once. */
const MADE_AT_ONCE = 10
const MIN_POLL_MS = 60_000
/** Minimum time in milliseconds between two polls after hints for one connection. */
const MIN_GAP_MS = 2_000

/** The polls for pull requests to preview. */
export const previewPolls: PollKind<ConnectionDoc> = {
  table: connections,
  firstRetryMs: 60_000,
  failed: 'The pull requests of a connection could not be previewed.',
  logged: ({ id, space }) => ({ connection: id, space }),
  order: previewPoll,
  nextAt({ settings }, _doc, now) {
    const { pollMs } = settings.connections
    return pollMs === 0 ? null : now + Math.max(MIN_POLL_MS, pollMs)
  },
  attempts: ({ previews }) => previews?.attempts ?? 0,
  withUnexpected: (doc, problem, lookedAt) => ({ ...doc, previews: { lookedAt, problem, attempts: 1 } }),
}

/** Polls the pull requests. It may stop anywhere and run again. Throws unexpected errors only. */
export async function pollPullRequests(
  app: App,
  place: { connection: string; space: string },
  signal: AbortSignal,
): Promise<WritePoll> {
  const doc = await app.store.get(connections, place.connection)
  if (doc?.space !== place.space || !doc.pullRequests.preview) {
    await releaseOthers(app, place, new Set())
    return nothingToWrite
  }
  if (doc.paused) return nothingToWrite
  const run = async (): Promise<PollResult | null> => {
    const look = await openPreviews(app, doc, signal)
    if (look === null) return null
    const { isDone, problem } = await step(look)
    return { isDone, trouble: problem && troubleOf(problem) }
  }
  return runPoll(app, previewPolls, doc, { run, record: recorded }, signal)
}

/** Returns the connection with the result of a poll. */
function recorded(
  doc: Document<ConnectionDoc>,
  { trouble, isDone }: PollResult,
  lookedAt: string,
): Document<ConnectionDoc> {
  // Continue while previews are missing: a host that rejects statuses must not prevent previews.
  const attempts = (doc.previews?.attempts ?? 0) + (isDone ? 1 : 0)
  return { ...doc, previews: { lookedAt, ...(trouble === null ? {} : { problem: trouble.message, attempts }) } }
}

/** Polls the pull requests of a connection soon, if they are previewed. */
export const notePullRequests = (app: App, connection: string): Promise<void> =>
  hastenPoll(app, previewPolls, connection, ({ paused, pullRequests, previews }) => {
    if (paused || !pullRequests.preview) return null
    const last = previews === undefined ? Number.NEGATIVE_INFINITY : Date.parse(previews.lookedAt)
    return Math.max(app.clock.now().getTime(), last + MIN_GAP_MS)
  })

/**
 * Creates missing previews. `isDone` means that no work is left for another poll at once. `problem` is a failure to
 * fetch a head or to set a status.
 */
async function step(look: HostContact): Promise<{ isDone: boolean; problem: HostError | RemoteError | null }> {
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
  look: HostContact,
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
    if (look.connection.signal?.aborted || troubleOf(error) !== null) throw error
    if ((await look.app.store.get(connections, look.through.id)) === null) return null
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
function refOf({ through }: Pick<HostContact, 'through'>, { number, head }: PullRequest): RefName | null {
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
async function headsOf(look: HostContact, pulls: readonly PullRequest[]): Promise<Map<number, CommitId>> {
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
  { app }: HostContact,
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

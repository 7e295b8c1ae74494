/** Creates, finds, lists and changes change requests: the document, its branch, and the counters of the space. */
import { iso } from '../../kernel/clock.js'
import { conflict } from '../../kernel/errors.js'
import { type CommitId, newId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { type Page, type PageQuery, pageOf, paginate } from '../../kernel/paging.js'
import {
  type ChangeRequestDoc,
  type ChangeRequestStatus,
  changeRequests,
  type DescriptionInput,
  jobOf,
  jobs,
  type SpaceDoc,
  spaces,
  type UpdateChangeRequest,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { type LoadedChangeRequest, type LoadedSpace, loadHead } from '../context/loaded.js'
import { addressOfMember } from '../accounts/authors.js'
import { moveRefs } from '../commits/move-branch.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'
import { StaleRef } from '../../git/index.js'
import { headOf } from '../revisions/main-content.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { lacksContent } from '../revisions/missing-content.js'
import { readWrittenText } from '../revisions/written-text.js'
import { defined, required } from '../../kernel/defined.js'

/** Finds a change request by its ID or its number in the space, or null. */
export async function findChangeRequest(
  app: App,
  space: LoadedSpace,
  idOrNumber: string,
): Promise<LoadedChangeRequest | null> {
  const byNumber = /^[1-9][0-9]{0,9}$/.test(idOrNumber)
    ? (await app.store.find(changeRequests, 'number', `${space.doc.id}/${idOrNumber}`))[0]
    : undefined
  const doc = byNumber ?? (await app.store.get(changeRequests, idOrNumber))
  return doc && doc.space === space.doc.id ? loadHead(space, doc) : null
}

/** A new change request with its description as markdown. */
export interface WrittenChangeRequest {
  subject?: string
  description?: string
}

/**
 * Reads the description in a request as the markdown to store; '' = none. Without a description, the result has no
 * member. Throws 400, 413.
 */
export async function readDescription(
  app: App,
  { doc }: LoadedSpace,
  { description }: { description?: DescriptionInput },
): Promise<{ description?: string }> {
  if (description === undefined) return {}
  if (description === null) return { description: '' }
  const input =
    typeof description === 'string'
      ? { markdown: description }
      : 'object' in description
        ? { document: description }
        : description
  const isBlank = 'markdown' in input && input.markdown.trim() === ''
  return { description: isBlank ? '' : await readWrittenText(app, doc.id, input, '/description') }
}

const counted: Partial<Record<ChangeRequestStatus, 'changeRequestsOpen' | 'changeRequestsDraft'>> = {
  open: 'changeRequestsOpen',
  draft: 'changeRequestsDraft',
}

/**
 * Returns a space with its counters updated for a change request that changes its status. `from` is null for a new one.
 */
function recount(
  space: Document<SpaceDoc>,
  from: ChangeRequestStatus | null,
  to: ChangeRequestStatus,
): Document<SpaceDoc> {
  const next = { ...space, changeRequests: space.changeRequests + (from === null ? 1 : 0) }
  const before = from && counted[from]
  const after = counted[to]
  if (before) next[before]--
  if (after) next[after]++
  return next
}

/**
 * Creates a change request, by default as a draft: first its document, then its branch, which the reconciler can create
 * from the document.
 */
export async function createChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: WrittenChangeRequest,
  options: {
    lease: Lease
    status?: ChangeRequestStatus
    head?: CommitId
    remoteKey?: string
    pushed?: { topic?: string }
  },
): Promise<LoadedChangeRequest> {
  const main = headOf(space)
  const head = options.head ?? main
  const doc = await app.store.transact(async (tx) => {
    const stored = (await tx.get(spaces, space.doc.id)) ?? space.doc
    let number = stored.nextChangeRequest
    // A branch with that name may have been created with plain Git.
    while (space.repo.refs.head(changeRequestRef(number))) number++
    const status = options.status ?? 'draft'
    const now = app.clock.now().toISOString()
    await tx.replace(spaces, { ...recount(stored, null, status), nextChangeRequest: number + 1 })
    const made = await tx.insert(changeRequests, {
      id: newId(),
      space: stored.id,
      number,
      status,
      subject: input.subject ?? '',
      ...(input.description ? { description: input.description } : {}),
      createdBy: actor.user.id,
      createdAt: now,
      updatedAt: now,
      revisionInitial: main,
      comments: 0,
      ...defined({ remoteKey: options.remoteKey }),
      ...(options.pushed ? { ...options.pushed, pushers: [actor.user.id] } : {}),
    })
    const subject = { space: stored.id, changeRequest: made.id }
    const data = { number, status, subject: made.subject }
    await emit(app, tx, {
      type: 'change_request.created',
      organization: stored.organization,
      actor: actor.user.id,
      subject,
      data,
    })
    return made
  })
  await makeBranch(options.lease, space, doc, head)
  return { doc, head }
}

/** Creates the branch of a change request, unless it exists. */
export async function makeBranch(
  lease: Lease,
  space: LoadedSpace,
  doc: Pick<ChangeRequestDoc, 'number'>,
  head: CommitId,
): Promise<void> {
  const ref = changeRequestRef(doc.number)
  try {
    await moveRefs(space.repo, [{ ref, from: null, to: head }], `create change request ${doc.number}`, lease)
  } catch (error) {
    if (!(error instanceof StaleRef)) throw error
  }
}

/**
 * Changes the document of a change request: its status, subject, or merged revisions. The same transaction updates the
 * space's counters and, if status or subject changed, writes the event. `actor` is a user ID; absent = the service.
 */
export async function changeDocument(
  app: App,
  id: string,
  change: (doc: Document<ChangeRequestDoc>) => Document<ChangeRequestDoc>,
  actor?: string,
): Promise<Document<ChangeRequestDoc>> {
  const changed = await app.store.transact((tx) => changeDocumentIn(app, tx, id, change, actor))
  app.wakes.jobs()
  return changed
}

/** Changes a change request like `changeDocument`, within a given transaction. */
export async function changeDocumentIn(
  app: App,
  tx: Transaction,
  id: string,
  change: (doc: Document<ChangeRequestDoc>) => Document<ChangeRequestDoc>,
  actor?: string,
): Promise<Document<ChangeRequestDoc>> {
  const stored = required(await tx.get(changeRequests, id))
  const changed = change(stored)
  if (changed === stored) return stored
  const isMerge = changed.status === 'merged' && stored.status !== 'merged'
  const next = isMerge ? { ...changed, mergedAt: changed.updatedAt, ...defined({ mergedBy: actor }) } : changed
  const space = await tx.get(spaces, stored.space)
  if (space && next.status !== stored.status) await tx.replace(spaces, recount(space, stored.status, next.status))
  if (space) await emitChange(app, tx, { organization: space.organization, before: stored, after: next, actor })
  return tx.replace(changeRequests, next)
}

/** Writes the event for a change of subject or status, if there is one, and queues the reaction to a merge. */
async function emitChange(
  app: App,
  tx: Transaction,
  {
    organization,
    before,
    after,
    actor,
  }: { organization: string; before: ChangeRequestDoc; after: ChangeRequestDoc; actor: string | undefined },
): Promise<void> {
  const common = {
    organization,
    subject: { space: after.space, changeRequest: after.id },
    ...defined({ actor }),
  }
  const { number } = after
  if (after.status === 'merged' && before.status !== 'merged') {
    await emit(app, tx, { ...common, type: 'change_request.merged', data: { number, revision: after.revisionMerged } })
    const { space, id: changeRequest, createdBy } = after
    const news = { type: 'merged' as const, organization, space, changeRequest, ...defined({ actor }) }
    await notify(app, tx, news, [createdBy])
    if (after.remoteKey !== undefined) await queueResumption(app, tx, organization, changeRequest)
  } else if (after.status !== before.status || after.subject !== before.subject) {
    const data = { number, status: after.status, previousStatus: before.status, subject: after.subject }
    await emit(app, tx, { ...common, type: 'change_request.updated', data })
  }
}

/**
 * Queues the job that resumes the sync whose conflict a change request held. It is in the transaction that records the
 * merge, so the sync resumes after a kill, and also if the service recorded the merge.
 */
async function queueResumption(app: App, tx: Transaction, organization: string, changeRequest: string): Promise<void> {
  await tx.insert(jobs, {
    id: newId(),
    ...jobOf('resume-sync', { changeRequest }),
    lane: `resume-sync:${changeRequest}`,
    organization,
    state: 'queued',
    sequence: 1,
    attempts: 0,
    createdAt: app.clock.now().toISOString(),
  })
}

/** Changes subject and status. The status `merged` is final, and only a merge sets it. */
export async function updateChangeRequest(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  input: UpdateChangeRequest,
): Promise<LoadedChangeRequest> {
  const { description: _written, ...others } = input
  const written = { ...others, ...(await readDescription(app, space, input)) }
  const change = (stored: Document<ChangeRequestDoc>): Document<ChangeRequestDoc> => {
    if (stored.status === 'merged' && input.status !== undefined)
      throw conflict('The change request is merged, so its status is final.')
    return { ...stored, ...written, updatedAt: app.clock.now().toISOString() }
  }
  const set = () => changeDocument(app, changeRequest.doc.id, change, actor.user.id)
  // A merge in progress must not find its change request archived.
  const doc = await (input.status === undefined ? set() : app.locks.run(space.doc.id, set))
  return loadHead(space, doc)
}

/** Whether main has changes that the change request lacks. A merged one is never outdated. */
export async function isOutdated(space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<boolean> {
  const main = space.repo.refs.head(MAIN)
  if (!main || changeRequest.doc.status === 'merged') return false
  return lacksContent(space.repo, main, changeRequest.head)
}

/** Returns the time of the last change of its document or its branch. */
export async function updatedAt(space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<string> {
  const { doc, head } = changeRequest
  if (head === doc.revisionInitial) return doc.updatedAt
  const committed = iso((await space.repo.objects.commit(head)).committer.seconds)
  return committed > doc.updatedAt && committed > doc.createdAt ? committed : doc.updatedAt
}

/**
 * Lists the change requests of a space with a status, newest first. With `contributor`, only those that this user
 * created or has commits in.
 */
export async function listChangeRequests(
  app: App,
  space: LoadedSpace,
  query: PageQuery & { status: ChangeRequestStatus; contributor?: string },
): Promise<Page<LoadedChangeRequest>> {
  if (query.contributor !== undefined)
    return paginate(
      await contributedTo(app, space, query.status, query.contributor),
      query,
      ({ doc }) => [doc.number, doc.id],
      'desc',
    )
  const page = await pageOf(app.store, changeRequests, 'number', `${space.doc.id}/${query.status}`, {
    ...query,
    order: 'desc',
  })
  return { ...page, items: page.items.map((doc) => loadHead(space, doc)) }
}

async function contributedTo(
  app: App,
  space: LoadedSpace,
  status: ChangeRequestStatus,
  contributor: string,
): Promise<LoadedChangeRequest[]> {
  const docs = (await app.store.find(changeRequests, 'space', space.doc.id)).filter((doc) => doc.status === status)
  const all = docs.map((doc) => loadHead(space, doc))
  const email = await addressOfMember(app.store, space.doc.organization, contributor)
  const wrote = await Promise.all(
    all.map(
      async (one) =>
        one.doc.createdBy === contributor || (email !== null && (await authorEmails(space, one)).has(email)),
    ),
  )
  return all.filter((_, index) => wrote[index])
}

/** Returns the e-mail addresses of the authors of the branch's own commits. */
async function authorEmails(space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<Set<string>> {
  const since = changeRequest.doc.revisionInitial
  if (changeRequest.head === since) return new Set()
  const commits = await space.repo.history.log({ from: changeRequest.head, not: [since], firstParent: true })
  return new Set(commits.map((commit) => commit.author.email.toLowerCase()))
}

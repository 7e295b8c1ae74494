// Writes the events for branch moves. A ref moves outside any transaction, so its events are derived afterwards. One
// document per branch records the last announced commit. It is updated in the transaction that writes the events, so no
// commit is announced twice. The next pass announces commits that were missed after a crash or a plain Git push.
import { isRepositoryFault, NoRepository, type Repository } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import {
  type AnnouncedHeadDoc,
  announcedHeadId,
  announcedHeads,
  changeRequests,
  type SpaceDoc,
  spaces,
} from '../../model/index.js'
import { type Document, StoreDamaged, type Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder } from '../context/in-order.js'
import { memberOfAddress } from '../accounts/authors.js'
import { emit, type NewEvent } from '../events/events.js'
import { changeRequestNumber, changeRequestRef, MAIN, repositoryName } from '../context/refs.js'
import { defined, required } from '../../kernel/defined.js'

/** If a branch moves by more commits than this, all of them are announced as one event. */
const MAX_WALK = 32
const MAX_MESSAGE_LENGTH = 200

/** One commit to announce. */
interface Step {
  revision: CommitId
  previous: CommitId
  message: string
  /** ID of the user who made the commit; absent for commits from plain Git. */
  actor?: string
}

/** Writes the events for a branch since its last announced commit. The first call only records the branch's head. */
export async function announce(app: App, space: string, ref: RefName): Promise<void> {
  const repo = await openIfThere(app, space)
  for (let done = repo === null; !done && repo; ) {
    const head = repo.refs.head(ref)
    if (head === null) return
    const known = await app.store.get(announcedHeads, announcedHeadId(space, ref))
    if (known?.commit === head) return
    const steps = known ? await stepsBetween(app, space, repo, known.commit, head) : []
    done = await app.store.transact((tx) => write(app, tx, { space, ref, head, known, steps }))
  }
}

async function openIfThere(app: App, space: string): Promise<Repository | null> {
  try {
    return await app.git.open(repositoryName(space))
  } catch (error) {
    if (error instanceof NoRepository) return null
    throw error
  }
}

/**
 * Returns the first-parent commits since `previous`, oldest first. If `previous` is not among the last `MAX_WALK`
 * commits, returns a single step.
 */
async function stepsBetween(
  app: App,
  space: string,
  repo: Repository,
  previous: CommitId,
  head: CommitId,
): Promise<Step[]> {
  const organization = (await app.store.get(spaces, space))?.organization
  const steps: Step[] = []
  for (let commit: CommitId | undefined = head; commit !== undefined && steps.length < MAX_WALK; ) {
    const info = await repo.objects.commit(commit)
    const [parent] = info.parents
    const byService = info.committer.email === app.settings.committer.email
    const author =
      byService && organization !== undefined ? await memberOfAddress(app.store, organization, info.author.email) : null
    const [subject = ''] = info.message.split('\n')
    const message = [...subject].slice(0, MAX_MESSAGE_LENGTH).join('')
    steps.unshift({ revision: commit, previous: parent ?? previous, message, ...(author ? { actor: author.id } : {}) })
    if (parent === previous) return steps
    commit = parent
  }
  return [{ ...required(steps.at(-1)), previous }]
}

interface Announcement {
  space: string
  ref: RefName
  head: CommitId
  known: Document<AnnouncedHeadDoc> | null
  steps: readonly Step[]
}

/** Writes the events. Returns false without writing if another process announced commits since `known` was read. */
async function write(app: App, tx: Transaction, { space, ref, head, known, steps }: Announcement): Promise<boolean> {
  const stored = await tx.get(announcedHeads, announcedHeadId(space, ref))
  if (stored?.commit !== known?.commit) return false
  if (stored) await tx.replace(announcedHeads, { ...stored, commit: head })
  else await tx.insert(announcedHeads, { id: announcedHeadId(space, ref), space, ref, commit: head })
  const doc = await tx.get(spaces, space)
  const about = doc && (await eventOf(tx, doc, ref))
  if (!about) return true
  for (const { actor, ...data } of steps)
    await emit(app, tx, { ...about, ...defined({ actor }), data: { ...about.data, ...data } })
  return true
}

/** Returns the event for a branch move, without its commit; null for a branch other than main or a change request's. */
async function eventOf(tx: Transaction, space: SpaceDoc, ref: RefName): Promise<NewEvent | null> {
  if (ref === MAIN) return { type: 'content.updated', organization: space.organization, subject: { space: space.id } }
  const number = changeRequestNumber(ref)
  const [doc] = number === null ? [] : await tx.find(changeRequests, 'number', `${space.id}/${number}`)
  if (!doc) return null
  return {
    type: 'change_request.updated',
    organization: space.organization,
    subject: { space: space.id, changeRequest: doc.id },
    data: { number: doc.number },
  }
}

/**
 * Removes the documents of spaces that were deleted or never fully created. Called at startup, when no space is being
 * created. Reads the whole table, of one small document for each branch, because no request waits for it.
 */
export async function forgetLostHeads(app: App): Promise<void> {
  const lost: string[] = []
  for (const { id, space } of await app.store.all(announcedHeads))
    if (!(await app.store.get(spaces, space))) lost.push(id)
  if (lost.length === 0) return
  await app.store.transact(async (tx) => {
    for (const id of lost) await tx.remove(announcedHeads, id)
  })
}

/** Whether moves of a ref are announced. */
export const isAnnounced = (ref: RefName): boolean => ref === MAIN || changeRequestNumber(ref) !== null

/**
 * Announces unannounced commits of all spaces: on main, and with `branches` also on change requests. Called at startup
 * and periodically, to find plain Git pushes.
 */
export async function announceAll(app: App, options: { branches: boolean }): Promise<void> {
  for await (const space of eachInOrder(app.store, spaces, 'all')) {
    try {
      await announceSpace(app, space.id, options)
    } catch (error) {
      // Startup and every request for the space report the fault. It must not delay the events of other spaces.
      if (!isRepositoryFault(error) && !(error instanceof StoreDamaged)) throw error
    }
  }
}

async function announceSpace(app: App, space: string, { branches }: { branches: boolean }): Promise<void> {
  const repo = await openIfThere(app, space)
  if (!repo) return
  const open = branches
    ? (await app.store.find(changeRequests, 'space', space)).filter(({ status }) => status !== 'merged')
    : []
  const refs: RefName[] = [MAIN, ...open.map(({ number }) => changeRequestRef(number))]
  for (const ref of refs) {
    const head = repo.refs.head(ref)
    if (head !== null && (await app.store.get(announcedHeads, announcedHeadId(space, ref)))?.commit !== head)
      await announce(app, space, ref)
  }
}

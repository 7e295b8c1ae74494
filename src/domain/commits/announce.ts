import { NoRepository, type Repository } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type AnnouncedHeadDoc, announcedHeadId, announcedHeads, changeRequests, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { memberOfAddress } from '../accounts/authors.js'
import { emit, type NewEvent } from '../events/events.js'
import { changeRequestNumber, changeRequestRef, MAIN, repositoryName } from '../context/refs.js'

// A ref moves outside of any transaction, so its events are derived: a document says up to which commit they were written,
// and is moved on in the transaction that writes them. Whoever asks, and however often: no commit is told of twice, and
// what a crash or a push of plain Git left is told of when it is next looked for.

/** Longest way back from a branch's head to what was announced that is told step by step. */
const LONGEST_WALK = 32
const LONGEST_MESSAGE = 200

interface Step {
  revision: CommitId
  previous: CommitId
  message: string
  /** User who made it; absent for a commit of plain Git. */
  actor?: string
}

/** Writes the events of what happened on a branch since they were last written. The first time that it is seen, there is nothing to tell. */
export async function announce(app: App, space: string, ref: RefName): Promise<void> {
  const repo = await openIfThere(app, space)
  for (let done = repo === null; !done && repo; ) {
    const head = repo.head(ref)
    if (head === null) return
    const known = await app.store.get(announcedHeads, announcedHeadId(space, ref))
    if (known?.commit === head) return
    const steps = known ? await stepsBetween(app, space, repo, known.commit as CommitId, head) : []
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

/** The commits on a branch's own line since one that was its head, oldest first; where they cannot be counted, one step. */
async function stepsBetween(app: App, space: string, repo: Repository, previous: CommitId, head: CommitId): Promise<Step[]> {
  const organization = (await app.store.get(spaces, space))?.organization
  const steps: Step[] = []
  for (let at: CommitId | undefined = head; at !== undefined && steps.length < LONGEST_WALK; ) {
    const info = await repo.commit(at)
    const [parent] = info.parents
    const mine = info.committer.email === app.settings.committer.email
    const author = mine && organization !== undefined ? await memberOfAddress(app.store, organization, info.author.email) : null
    const [subject = ''] = info.message.split('\n')
    const message = [...subject].slice(0, LONGEST_MESSAGE).join('')
    steps.unshift({ revision: at, previous: parent ?? previous, message, ...(author ? { actor: author.id } : {}) })
    if (parent === previous) return steps
    at = parent
  }
  return [{ ...(steps.at(-1) as Step), previous }]
}

interface Announcement {
  space: string
  ref: RefName
  head: CommitId
  known: Document<AnnouncedHeadDoc> | null
  steps: readonly Step[]
}

/** False where somebody else was faster. */
async function write(app: App, tx: Transaction, { space, ref, head, known, steps }: Announcement): Promise<boolean> {
  const stored = await tx.get(announcedHeads, announcedHeadId(space, ref))
  if (stored?.commit !== known?.commit) return false
  if (stored) await tx.replace(announcedHeads, { ...stored, commit: head })
  else await tx.insert(announcedHeads, { id: announcedHeadId(space, ref), space, ref, commit: head })
  const doc = await tx.get(spaces, space)
  const about = doc && (await subjectOf(tx, doc, ref))
  if (!about) return true
  for (const { actor, ...data } of steps) await emit(app, tx, { ...about, ...(actor === undefined ? {} : { actor }), data: { ...about.data, ...data } })
  return true
}

/** What is told of a branch; null for branches that are not the service's. */
async function subjectOf(tx: Transaction, space: SpaceDoc, ref: RefName): Promise<NewEvent | null> {
  if (ref === MAIN) return { type: 'content.updated', organization: space.organization, subject: { space: space.id } }
  const number = changeRequestNumber(ref)
  const [doc] = number === null ? [] : await tx.find(changeRequests, 'number', `${space.id}/${number}`)
  if (!doc) return null
  return { type: 'change_request.updated', organization: space.organization, subject: { space: space.id, changeRequest: doc.id }, data: { number: doc.number } }
}

/** Removes what is known of spaces that are gone, or were never made whole. For the start, when nobody makes one. */
export async function forgetLostHeads(app: App): Promise<void> {
  const lost: string[] = []
  for (const { id, space } of await app.store.all(announcedHeads)) if (!(await app.store.get(spaces, space))) lost.push(id)
  if (lost.length === 0) return
  await app.store.transact(async (tx) => {
    for (const id of lost) await tx.remove(announcedHeads, id)
  })
}

/** Whether events are written about a ref at all. */
export const isAnnounced = (ref: RefName): boolean => ref === MAIN || changeRequestNumber(ref) !== null

/**
 * Looks at all spaces for what was not told yet; with `branches`, at change requests too. For the start, and now and then:
 * it finds what somebody pushed with plain Git. `pause` is called now and then, so that others get their turn.
 */
export async function announceAll(app: App, options: { branches: boolean; pause?: () => Promise<unknown> }): Promise<void> {
  let looked = 0
  for (const space of await app.store.all(spaces)) {
    if (++looked % 100 === 0) await options.pause?.()
    const repo = await openIfThere(app, space.id)
    if (!repo) continue
    const open = options.branches ? (await app.store.find(changeRequests, 'space', space.id)).filter(({ status }) => status !== 'merged') : []
    for (const ref of [MAIN, ...open.map(({ number }) => changeRequestRef(number))]) {
      const head = repo.head(ref)
      if (head !== null && (await app.store.get(announcedHeads, announcedHeadId(space.id, ref)))?.commit !== head) await announce(app, space.id, ref)
    }
  }
}

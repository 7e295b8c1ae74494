/** Repairs differences between documents and Git after a crash. */
import { keysOf } from '../../kernel/defined.js'
import type { CommitId } from '../../kernel/ids.js'
import {
  announcedHeadId,
  announcedHeads,
  type ChangeRequestDoc,
  changeRequests,
  type SpaceDoc,
  spaces,
} from '../../model/index.js'
import { isRepositoryFault } from '../../git/index.js'
import { type Document, type Reader, StoreDamaged } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder } from '../context/in-order.js'
import type { LoadedSpace } from '../context/loaded.js'
import { makeBranch, changeDocument } from '../change-requests/change-requests.js'
import { changeRequestRef, MAIN, repositoryName } from '../context/refs.js'
import { mergedChangeRequest } from '../revisions/revision-type.js'

/** Number of spaces checked concurrently. Reading small files dominates the time. */
const CONCURRENCY = 16

/** One repair in a space, or missing data (`damage`) with the remedy. */
export type Repair = { space: string; what: string; damage?: true }

/**
 * Makes documents and refs consistent after a crash between the two writes; Git is the truth. Creates missing branches
 * of change requests, records merges that main contains, and corrects counters. A missing, damaged or older repository
 * is reported and affects only its own space.
 */
export async function reconcile(app: App): Promise<Repair[]> {
  const repairs: Repair[] = []
  const remaining = eachInOrder(app.store, spaces, 'all')
  const work = async (): Promise<void> => {
    for await (const doc of remaining) repairs.push(...(await openAndReconcile(app, doc)))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return repairs
}

async function openAndReconcile(app: App, doc: Document<SpaceDoc>): Promise<Repair[]> {
  try {
    const space: LoadedSpace = { doc, role: 'admin', repo: await app.git.open(repositoryName(doc.id)) }
    return await reconcileSpace(app, space)
  } catch (error) {
    if (error instanceof StoreDamaged)
      return [{ space: doc.id, what: `it was not checked: ${error.message}`, damage: true }]
    if (!isRepositoryFault(error) && !isFileError(error)) throw error
    return [damaged(doc.id, `its repository cannot be used, so the space is out of service (${error.message})`)]
  }
}

/** Whether the operating system could not read a file, for example because of its owner or a bad sector. */
const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'path' in error

const damaged = (space: string, what: string): Repair => ({
  space,
  what: `${what}. Restore ${repositoryName(space)}.git in the folder of the repositories from a backup that is not older than the data folder`,
  damage: true,
})

/** A fault to repair: a change request without a branch, or one whose merge is not recorded. */
type Fault = { request: Document<ChangeRequestDoc>; merge: CommitId | null }
/** A change request whose commits are missing in the repository. */
type Lost = { request: Document<ChangeRequestDoc>; commit: CommitId }

/**
 * Checks a space without its lock, since the majority have no faults, and again under the lock: another node may be
 * changing it.
 */
async function reconcileSpace(app: App, space: LoadedSpace): Promise<Repair[]> {
  const { doc } = space
  const found = await faultsOf(app, space)
  const repairs = [
    ...(await olderThanDocuments(app, space)),
    ...found.lost.map(({ request, commit }) =>
      damaged(doc.id, `change request ${request.number} cannot be read, because the repository lacks ${commit}`),
    ),
  ]
  if (found.faults.length > 0)
    await app.locks.run(doc.id, async (lease) => {
      for (const { request, merge } of (await faultsOf(app, space)).faults) {
        if (merge === null) await makeBranch(lease, space, request, await lastKnown(app, space, request))
        else
          await changeDocument(app, request.id, (stored) => ({
            ...stored,
            status: 'merged',
            revisionMerged: merge,
            updatedAt: app.clock.now().toISOString(),
          }))
        repairs.push({
          space: doc.id,
          what: `${merge === null ? 'created the branch' : 'recorded the merge'} of change request ${request.number}`,
        })
      }
    })
  return [...repairs, ...(await recountSpace(app, doc.id))]
}

/**
 * Returns the commit for a branch that is missing: after a crash the first one, and the last announced one if the ref was
 * lost later, for example because a disk changed its name in `packed-refs`, which has no checksum.
 */
async function lastKnown(app: App, { doc, repo }: LoadedSpace, request: ChangeRequestDoc): Promise<CommitId> {
  const seen = (await app.store.get(announcedHeads, announcedHeadId(doc.id, changeRequestRef(request.number))))?.commit
  return seen !== undefined && (await repo.objects.hasCommit(seen)) ? seen : request.revisionInitial
}

/**
 * Reports a repository backup that is older than the documents and lacks a commit of main that they record, and a
 * missing branch main.
 */
async function olderThanDocuments(app: App, { doc, repo }: LoadedSpace): Promise<Repair[]> {
  const seen = (await app.store.get(announcedHeads, announcedHeadId(doc.id, MAIN)))?.commit
  if (seen !== undefined && repo.refs.head(MAIN) === null && (await repo.objects.hasCommit(seen)))
    return [
      {
        space: doc.id,
        what: `its branch main is missing. If no one removed it, restore it: git -C ${repo.path} update-ref ${MAIN} ${seen}`,
        damage: true,
      },
    ]
  if (seen === undefined || seen === repo.refs.head(MAIN) || (await repo.objects.hasCommit(seen))) return []
  return [
    damaged(doc.id, `its repository is older than the documents: main was at ${seen}, which the repository lacks`),
  ]
}

/**
 * Returns the change requests without a branch (`merge` is null), those whose merge in main is not recorded, and those
 * whose commits are lost.
 */
async function faultsOf(app: App, space: LoadedSpace): Promise<{ faults: Fault[]; lost: Lost[] }> {
  const { doc, repo } = space
  const faults: Fault[] = []
  const lost: Lost[] = []
  const main = repo.refs.head(MAIN)
  const all = await app.store.find(changeRequests, 'space', doc.id)
  for (const request of all.filter((one) => one.status !== 'merged')) {
    const head = repo.refs.head(changeRequestRef(request.number))
    const commit = head ?? request.revisionInitial
    if (!(await repo.objects.hasCommit(commit))) lost.push({ request, commit })
    else if (!head) faults.push({ request, merge: null })
    else if (main && head !== request.revisionInitial && (await repo.history.isAncestor(head, main))) {
      const merge = await mergeOf(app, space, main, request.id)
      if (merge) faults.push({ request, merge })
    }
  }
  return { faults, lost }
}

/** Finds the merge commit on main that merged a change request. */
async function mergeOf(app: App, space: LoadedSpace, main: CommitId, id: string): Promise<CommitId | null> {
  const since = (await app.store.get(changeRequests, id))?.revisionInitial
  if (since === undefined) return null
  for (const info of await space.repo.history.log({ from: main, not: [since], firstParent: true })) {
    if ((await mergedChangeRequest(app, space, info))?.id === id) return info.id
  }
  return null
}

/** Corrects wrong counters of a space. Reads first without a transaction, since they are usually right. */
async function recountSpace(app: App, id: string): Promise<Repair[]> {
  if ((await recounted(app.store, id)) === null) return []
  return app.store.transact(async (tx) => {
    const counted = await recounted(tx, id)
    if (counted === null) return []
    await tx.replace(spaces, counted)
    return [{ space: id, what: 'corrected its counters' }]
  })
}

/** Returns the space with correct counters. Null if they are already correct. */
async function recounted(reader: Reader, id: string): Promise<Document<SpaceDoc> | null> {
  const doc = await reader.get(spaces, id)
  const all = await reader.find(changeRequests, 'space', id)
  if (!doc) return null
  const counts = {
    changeRequests: all.length,
    changeRequestsOpen: all.filter((one) => one.status === 'open').length,
    changeRequestsDraft: all.filter((one) => one.status === 'draft').length,
    nextChangeRequest: Math.max(doc.nextChangeRequest, 1 + Math.max(0, ...all.map((one) => one.number))),
  }
  return keysOf(counts).every((key) => doc[key] === counts[key]) ? null : { ...doc, ...counts }
}

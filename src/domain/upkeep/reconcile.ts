/** Repairs what a crash left between documents and Git. */
import type { CommitId } from '../../kernel/ids.js'
import { type ChangeRequestDoc, changeRequests, type SpaceDoc, spaces } from '../../model/index.js'
import { NoRepository } from '../../git/index.js'
import type { Document, Reader } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { makeBranch, changeDocument } from '../change-requests/change-requests.js'
import { changeRequestRef, MAIN, repositoryName } from '../context/refs.js'
import { mergedChangeRequest } from '../revisions/revision-type.js'

/** Spaces checked concurrently: most of the time goes into reading small files. */
const CONCURRENCY = 16

/** What a reconciliation repaired in a space, or found missing, in words. */
export type Repair = { space: string; what: string }

/**
 * Makes documents and refs agree again after a crash between writing the two; Git is the truth. Creates missing branches of
 * change requests, records merges that main contains, and corrects counters.
 */
export async function reconcile(app: App): Promise<Repair[]> {
  const repairs: Repair[] = []
  const waiting = (await app.store.all(spaces)).values()
  const work = async (): Promise<void> => {
    for (const doc of waiting) repairs.push(...(await openAndReconcile(app, doc)))
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return repairs
}

async function openAndReconcile(app: App, doc: Document<SpaceDoc>): Promise<Repair[]> {
  try {
    const space: LoadedSpace = { doc, role: 'admin', repo: await app.git.open(repositoryName(doc.id)) }
    return await reconcileSpace(app, space)
  } catch (error) {
    if (!(error instanceof NoRepository)) throw error
    return [{ space: doc.id, what: `its repository ${repositoryName(doc.id)}.git is missing: restore it from a backup` }]
  }
}

/** Something in a space that is to be repaired. */
type Fault = { request: Document<ChangeRequestDoc>; merge: CommitId | null }

/** Looks without the lock of the space, since most are sound, and again under it: another node may be at work there. */
async function reconcileSpace(app: App, space: LoadedSpace): Promise<Repair[]> {
  const { doc } = space
  const repairs: Repair[] = []
  if ((await faultsOf(app, space)).length > 0)
    await app.locks.run(doc.id, async (lease) => {
      for (const { request, merge } of await faultsOf(app, space)) {
        if (merge === null) await makeBranch(lease, space, request, request.revisionInitial as CommitId)
        else
          await changeDocument(app, request.id, (stored) => ({ ...stored, status: 'merged', revisionMerged: merge, updatedAt: app.clock.now().toISOString() }))
        repairs.push({ space: doc.id, what: `${merge === null ? 'made the branch' : 'recorded the merge'} of change request ${request.number}` })
      }
    })
  return [...repairs, ...(await recountSpace(app, doc.id))]
}

/** The change requests without a branch (`merge` is null), and those that main contains without saying so. */
async function faultsOf(app: App, space: LoadedSpace): Promise<Fault[]> {
  const { doc, repo } = space
  const faults: Fault[] = []
  const main = repo.head(MAIN)
  const all = await app.store.find(changeRequests, 'space', doc.id)
  for (const request of all.filter((one) => one.status !== 'merged')) {
    const head = repo.head(changeRequestRef(request.number))
    if (!head) {
      faults.push({ request, merge: null })
      continue
    }
    if (!main || head === request.revisionInitial || !(await repo.isAncestor(head, main))) continue
    const merge = await mergeOf(app, space, main, request.id)
    if (merge) faults.push({ request, merge })
  }
  return faults
}

/** The merge commit on main that merged a change request. */
async function mergeOf(app: App, space: LoadedSpace, main: CommitId, id: string): Promise<CommitId | null> {
  const since = (await app.store.get(changeRequests, id))?.revisionInitial as CommitId
  for (const info of await space.repo.history({ from: main, not: [since], firstParent: true })) {
    if ((await mergedChangeRequest(app, space, info))?.id === id) return info.id
  }
  return null
}

/** Corrects wrong counters of a space. Reads first without a transaction, since most are right. */
async function recountSpace(app: App, id: string): Promise<Repair[]> {
  if ((await countedAnew(app.store, id)) === null) return []
  return app.store.transact(async (tx) => {
    const counted = await countedAnew(tx, id)
    if (counted === null) return []
    await tx.replace(spaces, counted)
    return [{ space: id, what: 'corrected its counters' }]
  })
}

/** The space with the right counters; null if they are right already. */
async function countedAnew(reader: Reader, id: string): Promise<Document<SpaceDoc> | null> {
  const doc = await reader.get(spaces, id)
  const all = await reader.find(changeRequests, 'space', id)
  if (!doc) return null
  const counts = {
    changeRequests: all.length,
    changeRequestsOpen: all.filter((one) => one.status === 'open').length,
    changeRequestsDraft: all.filter((one) => one.status === 'draft').length,
    nextChangeRequest: Math.max(doc.nextChangeRequest, 1 + Math.max(0, ...all.map((one) => one.number))),
  }
  return Object.entries(counts).every(([key, value]) => doc[key as keyof SpaceDoc] === value) ? null : { ...doc, ...counts }
}

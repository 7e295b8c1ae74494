/** Handles a push to the branch of a change request: adds its commits. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { changeRequests } from '../../model/index.js'
import { changeDocument } from '../change-requests/change-requests.js'
import { guardBranch } from '../commits/guards.js'
import { type LoadedChangeRequest, loadHead } from '../context/loaded.js'
import { changeRequestRef } from '../context/refs.js'
import {
  checkContent,
  fetchFirst,
  type Landed,
  movePushed,
  type Push,
  PushRefused,
  reportToClient,
} from './push-request.js'
import { defined } from '../../kernel/defined.js'

/** Adds commits to a change request by its number. Throws `PushRefused`, `ServiceError`. */
export function pushToBranch(
  push: Push,
  { ref, number }: { ref: RefName; number: number },
  { from, to }: { from: CommitId | null; to: CommitId },
): Promise<Landed> {
  const { app, space } = push
  return app.locks.run(space.doc.id, async (lease) => {
    const [doc] = await app.store.find(changeRequests, 'number', `${space.doc.id}/${number}`)
    if (!doc) throw new PushRefused('the change request does not exist; push to refs/for/main to open one')
    const loaded = loadHead(space, doc)
    if (from !== loaded.head) throw fetchFirst(ref)
    return addCommits(push, lease, loaded, to)
  })
}

/** Moves the branch of a change request forward, under the lock of the space. */
export async function addCommits(
  push: Push,
  lease: Lease,
  { doc, head }: LoadedChangeRequest,
  to: CommitId,
): Promise<Landed> {
  const { app, actor, space, options, say } = push
  const ref = changeRequestRef(doc.number)
  if (doc.status === 'merged' || doc.status === 'archived')
    throw new PushRefused(`change request ${doc.number} is ${doc.status}; push to refs/for/main to open another one`)
  await movePushed(push, lease, { branch: ref, guard: guardBranch(app, space, { mayDelete: true }) }, async () => {
    if (to === head) {
      say(`Change request ${doc.number} already has these commits.`)
      return []
    }
    if (!(await space.repo.history.isAncestor(head, to))) throw fetchFirst(ref)
    await checkContent(push, head, to)
    // Before the branch moves: the pusher must be recorded as soon as the commits can be approved.
    const pushers = [...new Set([...(doc.pushers ?? []), actor.user.id])]
    await changeDocument(
      app,
      doc.id,
      (stored) => ({ ...stored, ...worded(options), pushers, updatedAt: app.clock.now().toISOString() }),
      actor.user.id,
    )
    return [{ ref, from: space.repo.refs.head(ref), to }]
  })
  if (to !== head) reportToClient(push, 'updated', doc.number)
  return { became: ref, from: head, to }
}

const worded = ({ title, description }: Push['options']) => ({
  ...defined({ subject: title, description }),
})

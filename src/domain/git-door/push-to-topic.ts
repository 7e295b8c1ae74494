/** Handles a push for review: opens a change request, or adds to the one from an earlier push with the same topic. */
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { type ChangeRequestDoc, changeRequests } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createChangeRequest } from '../change-requests/change-requests.js'
import { guardBranch } from '../commits/guards.js'
import { loadHead } from '../context/loaded.js'
import { changeRequestRef, MAIN } from '../context/refs.js'
import { headOf } from '../revisions/main-content.js'
import { checkContent, groundOf, type Landed, type Push, PushRefused, reportToClient } from './push-request.js'
import { addCommits } from './push-to-branch.js'

const MAX_SUBJECT_LENGTH = 100
const MAX_DESCRIPTION_LENGTH = 10_000
/** Maximum number of a user's open change requests without a topic that are compared with a push. */
const MAX_COMPARED = 50
/** The topic of pushes without one. */
const NO_TOPIC = ''

/** Opens a change request with `head`, or adds to the one with the topic. Throws `PushRefused`, `ServiceError`. */
export function pushToTopic(push: Push, topic: string | null, head: CommitId): Promise<Landed> {
  return push.app.locks.run(push.space.doc.id, (lease) => putUpForReview(push, lease, topic, head))
}

/** Does the same for a caller who holds the lock of the space. */
export async function putUpForReview(push: Push, lease: Lease, topic: string | null, head: CommitId): Promise<Landed> {
  const open = await openOf(push, topic ?? NO_TOPIC)
  const earlier = topic === null ? await containedIn(push, open, head) : open[0]
  return earlier
    ? addCommits(push, lease, loadHead(push.space, earlier), head)
    : openChangeRequest(push, lease, topic ?? NO_TOPIC, head)
}

/** Lists the user's open and draft change requests with the topic, newest first. */
async function openOf({ app, actor, space }: Push, topic: string): Promise<Document<ChangeRequestDoc>[]> {
  const all = await app.store.find(changeRequests, 'topic', `${space.doc.id}/${actor.user.id}/${topic}`)
  return all.filter(({ status }) => status === 'open' || status === 'draft').sort((a, b) => b.number - a.number)
}

/** Finds the change request whose commits `head` contains. Undefined if there is none. */
async function containedIn(
  { space }: Push,
  open: readonly Document<ChangeRequestDoc>[],
  head: CommitId,
): Promise<Document<ChangeRequestDoc> | undefined> {
  for (const doc of open.slice(0, MAX_COMPARED))
    if (await space.repo.history.isAncestor(loadHead(space, doc).head, head)) return doc
  return undefined
}

/** Opens a change request with the commits of a push, under the lock of the space. */
async function openChangeRequest(push: Push, lease: Lease, topic: string, head: CommitId): Promise<Landed> {
  const { app, actor, space } = push
  const guard = guardBranch(app, space, { mayDelete: true })
  await guard.check()
  const base = await groundOf(space, head)
  if (base === head) throw new PushRefused('main already has these commits, so there is nothing to review')
  await checkContent(push, base, head)
  await guard.check([{ ref: MAIN, from: base, to: head }])
  const { doc } = await createChangeRequest(app, actor, space, await wordsOf(push, base, head), {
    lease,
    status: 'open',
    head,
    pushed: { topic },
  })
  reportToClient(push, 'opened', doc.number)
  return {
    became: changeRequestRef(doc.number),
    from: null,
    to: space.repo.refs.head(changeRequestRef(doc.number)) ?? headOf(space),
  }
}

/** Returns subject and description: from the push options, otherwise from the message of the only or newest commit. */
async function wordsOf(
  { space, options }: Push,
  base: CommitId,
  head: CommitId,
): Promise<{ subject: string; description?: string }> {
  const [newest, ...others] = await space.repo.history.log({ from: head, not: [base, headOf(space)], limit: 2 })
  const [first = '', ...rest] = (newest?.message ?? '').split('\n')
  const body = others.length === 0 ? rest.join('\n').trim() : ''
  const description = options.description ?? body
  return {
    subject: [...(options.title ?? first)].slice(0, MAX_SUBJECT_LENGTH).join(''),
    ...(description === '' ? {} : { description: description.slice(0, MAX_DESCRIPTION_LENGTH) }),
  }
}

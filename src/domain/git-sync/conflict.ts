import type { MergeConflict, RefMove } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type ChangeRequestDoc, changeRequests } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createChangeRequest, setStatus } from '../change-requests/change-requests.js'
import { commitMessage, makeCommit } from '../writing/commits.js'
import { arrivingOverrides } from '../content/arriving-identity.js'
import { mergedOverrides, overridesAt } from '../content/identity.js'
import { mergeCommits } from '../writing/merge.js'
import { changeRequestRef, incomingRef } from '../refs.js'
import type { MergeBase } from './base.js'
import { describeRemote } from './remote.js'
import type { Outcome, Sync } from './sync.js'

interface Collision {
  head: CommitId
  theirs: CommitId
  main: CommitId
  base: MergeBase
  conflicts: readonly MergeConflict[]
}

const isLive = (doc: ChangeRequestDoc): boolean => doc.status === 'open' || doc.status === 'draft'

/** The change request that holds a remote's conflict at present; null where there is none. */
export async function findConflict(sync: Pick<Sync, 'app' | 'space' | 'remote'>): Promise<Document<ChangeRequestDoc> | null> {
  const found = await sync.app.store.find(changeRequests, 'remote', `${sync.space.doc.id}/${sync.remote.key}`)
  return found.find(isLive) ?? null
}

/**
 * Keeps what cannot be merged in the remote's one conflict change request; main stays. The branch begins at the remote's
 * head; later heads are merged into it when that is clean, else they wait beside it. It is never reset.
 */
export async function holdConflict(sync: Sync, collision: Collision): Promise<Outcome> {
  const paths = [...new Set(collision.conflicts.map((one) => one.path))]
  const listed = paths.slice(0, 10).join(', ') + (paths.length > 10 ? ` and ${paths.length - 10} more` : '')
  const existing = await findConflict(sync)
  const { doc, note } = existing ? { doc: existing, note: await feed(sync, existing, collision) } : { doc: await open(sync, collision), note: '' }
  return {
    result: 'conflict',
    revision: collision.main,
    remoteRevision: collision.head,
    changeRequest: doc.id,
    error: `Changes here and in ${describeRemote(sync.remote)} collide in ${listed}. Resolve them in change request #${doc.number} and merge it; the main content stays as it is until then.${note}`,
  }
}

async function open(sync: Sync, { theirs, base }: Collision): Promise<Document<ChangeRequestDoc>> {
  const { app, space, remote } = sync
  const head = await firstHead(sync, theirs, base)
  const incoming = space.repo.head(incomingRef(remote.key))
  if (incoming !== theirs) await space.repo.move([{ ref: incomingRef(remote.key), from: incoming, to: theirs }], 'hold a conflict')
  const subject = [...`Remote changes from ${describeRemote(remote)}`].slice(0, 100).join('')
  const { doc } = await createChangeRequest(app, sync.actor, space, { subject }, { status: 'open', head, remoteKey: remote.key })
  return doc
}

/**
 * Where the branch begins: the remote's head itself. Where Git alone would not find the base that counts (we exported
 * since, or history was rewritten), or the page IDs must be said, a commit with the same tree says both.
 */
async function firstHead(sync: Sync, theirs: CommitId, { base, given }: MergeBase): Promise<CommitId> {
  const { app, space, remote } = sync
  const { repo } = space
  if (base === null) return theirs
  const own = await overridesAt(app, space.doc.id, repo, theirs)
  const overrides = await arrivingOverrides(app, space.doc.id, repo, base, theirs)
  if (!given && own.size === overrides.size && [...overrides].every(([key, id]) => own.get(key) === id)) return theirs
  return makeCommit(app, space.doc.id, repo, {
    parents: given ? [theirs, base] : [theirs],
    changes: [],
    tree: (await repo.commit(theirs)).tree,
    message: commitMessage(`Relate remote changes from ${describeRemote(remote)} to the content here`),
    author: sync.actor.user,
    overrides,
  })
}

/** A later head of a conflict under way. Answers what to add to the message. */
async function feed(sync: Sync, doc: Document<ChangeRequestDoc>, { theirs, main, base }: Collision): Promise<string> {
  const { app, space, remote } = sync
  const { repo } = space
  const ref = changeRequestRef(doc.number)
  const branch = repo.head(ref)
  const before = repo.head(incomingRef(remote.key))
  const moves: RefMove[] = before === theirs ? [] : [{ ref: incomingRef(remote.key), from: before, to: theirs }]
  // A crash before the branch was made, or an admin, may have left one without anything of its own: it begins anew.
  if (branch === null || (await repo.isAncestor(branch, main))) {
    await repo.move([...moves, { ref, from: branch, to: await firstHead(sync, theirs, base) }], 'hold a conflict')
    return ''
  }
  if (await repo.isAncestor(theirs, branch)) {
    if (moves.length > 0) await repo.move(moves, 'hold a conflict')
    return ''
  }
  const continues = before !== null && (await repo.isAncestor(before, theirs))
  const given = before !== null && !continues ? { base: before } : {}
  const merged = await mergeCommits(app, space, { ours: branch, theirs, ...given })
  if (merged.clean) {
    const base = given.base ?? (await repo.mergeBase(branch, theirs))
    const commit = await makeCommit(app, space.doc.id, repo, {
      parents: [branch, theirs],
      changes: [],
      tree: merged.tree,
      message: commitMessage(`Merge later remote changes from ${describeRemote(remote)}`, { 'Change-Request': String(doc.number) }),
      author: sync.actor.user,
      overrides: await mergedOverrides(app, space.doc.id, repo, base, branch, theirs, merged.tree),
    })
    moves.push({ ref, from: branch, to: commit })
  }
  if (moves.length > 0) await repo.move(moves, 'hold a conflict')
  return merged.clean
    ? ''
    : ` The remote's newest commit ${theirs.slice(0, 12)} does not fit that branch; it waits and is taken up when the change request is merged.`
}

/** Ends a remote's conflict, if there is one: what it held is settled. Its branch stays. */
export async function settleConflict(sync: Sync, why: string): Promise<void> {
  const { app, space, remote } = sync
  const incoming = space.repo.head(incomingRef(remote.key))
  if (incoming !== null) await space.repo.move([{ ref: incomingRef(remote.key), from: incoming, to: null }], 'conflict settled')
  const doc = await findConflict(sync)
  if (doc)
    await setStatus(app, doc.id, (stored) => (isLive(stored) ? { ...stored, status: 'archived', note: why, updatedAt: app.clock.now().toISOString() } : stored))
}

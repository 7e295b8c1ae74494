import type { RefMove, Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type ChangeRequestDoc, changeRequests } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { createChangeRequest, setStatus } from '../change-requests/change-requests.js'
import { commitMessage, makeCommit } from '../commits/make-commit.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import { findCollisions } from '../commits/merge/path-collisions.js'
import { arrivingOverrides } from '../revisions/arriving-identity.js'
import { overridesAt } from '../revisions/identity.js'
import { changeRequestRef, incomingRef } from '../context/refs.js'
import { type CommonGround, entriesOf, findCommonGround } from './common-ground.js'
import { laterGround, saidGround } from './conflict-ground.js'
import { leftEntries } from './left-of-dropped.js'
import { mergeArrival } from './merge-arrival.js'
import type { Arrival, Plan } from './plan-arrival.js'
import { describeRemote } from './remote.js'
import type { Outcome, LockedSync, Sync } from './sync.js'
import { logMoves, readSyncLog } from './sync-log.js'

const isLive = (doc: ChangeRequestDoc): boolean => doc.status === 'open' || doc.status === 'draft'

/** The change request that holds a remote's conflict at present; null where there is none. */
export async function findConflict(sync: Pick<Sync, 'app' | 'space' | 'remote'>): Promise<Document<ChangeRequestDoc> | null> {
  const found = await sync.app.store.find(changeRequests, 'remote', `${sync.space.doc.id}/${sync.remote.key}`)
  return found.find(isLive) ?? null
}

type Held = Plan & { kind: 'conflict' }

/**
 * Keeps what cannot be merged in the remote's one conflict change request; main stays. The branch begins at the remote's
 * head; later heads are merged into it when that is clean, else they wait beside it. It is never reset. What the branch
 * took up is recorded as resting on it: it counts when main contains the branch.
 */
export async function holdConflict(sync: LockedSync, arrival: Arrival, plan: Held): Promise<Outcome> {
  const paths = [...new Set(plan.conflicts.map((one) => one.path))]
  const listed = paths.slice(0, 10).join(', ') + (paths.length > 10 ? ` and ${paths.length - 10} more` : '')
  const existing = await findConflict(sync)
  const { doc, note } = existing ? { doc: existing, note: await feed(sync, existing, arrival, plan) } : { doc: await open(sync, arrival, plan), note: '' }
  return {
    result: 'conflict',
    revision: arrival.main,
    remoteRevision: arrival.head,
    changeRequest: doc.id,
    error: `Changes here and in ${describeRemote(sync.remote)} collide in ${listed}. Resolve them in change request #${doc.number} and merge it; the main content stays as it is until then.${note}`,
  }
}

async function open(sync: LockedSync, arrival: Arrival, plan: Held): Promise<Document<ChangeRequestDoc>> {
  const { app, space, remote } = sync
  const head = await firstHead(sync, arrival, plan)
  await space.repo.move([...holdMoves(sync, arrival), ...(await recorded(sync, arrival, plan.ground, head))], 'hold a conflict', sync.lease)
  const subject = [...`Remote changes from ${describeRemote(remote)}`].slice(0, 100).join('')
  const { doc } = await createChangeRequest(sync.lease, app, sync.actor, space, { subject }, { status: 'open', head, remoteKey: remote.key })
  return doc
}

/** Says which head is held. */
function holdMoves({ space, remote }: Sync, { theirs }: Arrival): RefMove[] {
  const ref = incomingRef(remote.key)
  const before = space.repo.head(ref)
  return before === theirs ? [] : [{ ref, from: before, to: theirs }]
}

/** Records the head as taken up by whatever contains `anchor`, a commit of the branch. */
const recorded = async (sync: Sync, arrival: Arrival, ground: CommonGround, anchor: CommitId, seen = arrival.log): Promise<RefMove[]> => {
  const { head, theirs, main, log } = arrival
  const taken = entriesOf(ground, { remote: head, theirs, local: theirs, anchor, ref: sync.remote.ref }, log)
  const left = await leftEntries(sync, ground, { theirs, log: seen })
  return logMoves(sync.space.repo, log, main, [...taken, ...left.map((one) => ({ ...one, anchor }))])
}

/**
 * Where the branch begins: the remote's head itself; a commit of the same tree on it where Git alone would not merge it with main as the import did. What
 * the import started from is then a parent, and said in the header: so the change request collides where the import does.
 */
async function firstHead(sync: Sync, arrival: Arrival, { ground, base }: Held): Promise<CommitId> {
  const { app, space, actor } = sync
  const { repo } = space
  const { main, theirs } = arrival
  const related = await relatedHead(sync, arrival, ground)
  const own = await repo.commit(related)
  const [on = theirs, ...others] = related === theirs ? [theirs] : own.parents
  const said = await saidGround(sync, { main, head: related, base, on })
  if (said === null) return related
  return makeCommit(app, space.doc.id, repo, {
    parents: [on, ...others, said.common],
    changes: [],
    tree: own.tree,
    message: relating(sync),
    headers: said.headers,
    author: actor.user,
    overrides: await overridesAt(app, space.doc.id, repo, related),
  })
}

const relating = ({ remote }: Sync): string => commitMessage(`Relate remote changes from ${describeRemote(remote)} to the content here`)

/**
 * The remote's head. Where Git alone would not find the common ground that counts (we exported since, or history was rewritten), or the page IDs
 * must be said, a commit with the same tree says both.
 */
async function relatedHead(sync: Sync, { main, theirs }: Arrival, ground: CommonGround): Promise<CommitId> {
  const { app, space } = sync
  const { repo } = space
  const [base] = ground.bases
  if (base === undefined) return theirs
  const own = await overridesAt(app, space.doc.id, repo, theirs)
  const overrides = await arrivingOverrides(app, space.doc.id, repo, base.local, theirs)
  const natural = await repo.mergeBase(main, theirs)
  const related = ground.bases.length === 1 && (natural === base.theirs || natural === base.local) && natural !== theirs
  if (related && own.size === overrides.size && [...overrides].every(([key, id]) => own.get(key) === id)) return theirs
  return makeCommit(app, space.doc.id, repo, {
    parents: related ? [theirs] : await relation(sync, ground, { main, theirs, natural }),
    changes: [],
    tree: (await repo.commit(theirs)).tree,
    message: relating(sync),
    author: sync.actor.user,
    overrides,
  })
}

/** Parents by which Git finds the common ground when the branch is merged. The head itself is none where main has more of it than counts. */
async function relation(
  { space: { repo } }: Sync,
  ground: CommonGround,
  { main, theirs, natural }: { main: CommitId; theirs: CommitId; natural: CommitId | null },
): Promise<CommitId[]> {
  const locals: CommitId[] = []
  for (const { local } of ground.bases) if (!locals.includes(local) && (await repo.isAncestor(local, main))) locals.push(local)
  const within = await Promise.all(locals.map((local) => natural === null || repo.isAncestor(natural, local)))
  return locals.length > 0 && !within.includes(true) ? locals : [theirs, ...locals]
}

/** A later head of a conflict under way. Answers what to add to the message. */
async function feed(sync: LockedSync, doc: Document<ChangeRequestDoc>, arrival: Arrival, plan: Held): Promise<string> {
  const { space, remote } = sync
  const { repo } = space
  const { theirs, main } = arrival
  const ref = changeRequestRef(doc.number)
  const branch = repo.head(ref)
  const moves: RefMove[] = holdMoves(sync, arrival)
  // A crash before the branch was made, or an admin, may have left one without anything of its own: it begins anew.
  if (branch === null || (await repo.isAncestor(branch, main))) {
    const head = await firstHead(sync, arrival, plan)
    await repo.move([...moves, ...(await recorded(sync, arrival, plan.ground, head)), { ref, from: branch, to: head }], 'hold a conflict', sync.lease)
    return ''
  }
  const log = await readSyncLog(repo, remote, branch)
  const ground = await findCommonGround(repo, log, { main: branch, theirs })
  if (ground.inStep) {
    if (moves.length > 0) await repo.move(moves, 'hold a conflict', sync.lease)
    return ''
  }
  const joined = await joins(repo, plan.ground, { main, branch, theirs })
  const said = await laterGround(sync, { ...arrival, branch, base: plan.base }, joined)
  const commit = await merged(sync, doc, ground, { branch, theirs }, [...joined, ...(said ? [said.common] : [])], said?.headers)
  if (commit !== null) moves.push(...(await recorded(sync, arrival, ground, commit, log)), { ref, from: branch, to: commit })
  if (moves.length > 0) await repo.move(moves, 'hold a conflict', sync.lease)
  return commit !== null
    ? ''
    : ` The remote's newest commit ${theirs.slice(0, 12)} does not fit that branch; it waits and is taken up when the change request is merged.`
}

/**
 * The head as a parent of the commit that merges it into the branch; not where main contains more of it than main knows (it dropped that, and the
 * remote has it again): Git would then take for common what is news, and merging the branch would bring none of it.
 */
async function joins(
  repo: Repository,
  { known }: CommonGround,
  { main, branch, theirs }: { main: CommitId; branch: CommitId; theirs: CommitId },
): Promise<CommitId[]> {
  for (const common of await repo.mergeBases(main, theirs)) {
    const holders = await Promise.all([branch, ...known].map((one) => repo.isAncestor(common, one)))
    if (!holders.includes(true)) return []
  }
  return [theirs]
}

/** The branch with a later head merged in; null if that is not clean, or names would collide. `more` = the parents beside the branch. */
async function merged(
  sync: Sync,
  doc: ChangeRequestDoc,
  ground: CommonGround,
  { branch, theirs }: { branch: CommitId; theirs: CommitId },
  more: readonly CommitId[],
  headers: Record<string, string> = {},
): Promise<CommitId | null> {
  const { app, space, remote } = sync
  const { merged: outcome } = await mergeArrival(sync, ground, { main: branch, theirs })
  if (!outcome.clean || (await findCollisions(space.repo, outcome.tree, branch, theirs)).length > 0) return null
  const message = commitMessage(`Merge later remote changes from ${describeRemote(remote)}`, { 'Change-Request': String(doc.number) })
  const merge = { ours: branch, theirs, bases: ground.bases.map(({ local }) => local), tree: outcome.tree }
  return makeMergeCommit(app, space, merge, { parents: [branch, ...more], message, author: sync.actor.user, headers })
}

/** Ends a remote's conflict, if there is one: what it held is settled. Its branch stays. */
export async function settleConflict(sync: LockedSync, why: string): Promise<void> {
  const { app, space, remote } = sync
  const incoming = space.repo.head(incomingRef(remote.key))
  if (incoming !== null) await space.repo.move([{ ref: incomingRef(remote.key), from: incoming, to: null }], 'conflict settled', sync.lease)
  const doc = await findConflict(sync)
  if (doc)
    await setStatus(app, doc.id, (stored) => (isLive(stored) ? { ...stored, status: 'archived', note: why, updatedAt: app.clock.now().toISOString() } : stored))
}

import { type Repository, remoteKey } from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { spaces } from '../../model/index.js'
import { changeRequestRef } from '../context/refs.js'
import { findConflict } from './conflict.js'
import { isWithin } from './held-by-exports.js'
import { type Entry, isKnown } from './log-entries.js'
import { type Arrival, type Plan, planArrival } from './plan-arrival.js'
import type { Contact } from './sync.js'

/**
 * First commits of conflicts' branches whose head comes in by another ref: somebody merged it there. Such a commit says what the remote
 * had undone of our exports; main knows that now, with all else in the head. Where main does not contain the commit, merging the change
 * request would say it again, to whatever was decided here since. Only commits with just the remote's content are answered: what
 * people wrote on the branch is for the change request to bring. Nor a head that its ref was set back to: others have had that all along.
 */
async function overtakenConflicts(
  sync: Pick<Contact, 'app' | 'space' | 'remote'>,
  { theirs, main, log }: Pick<Arrival, 'theirs' | 'main' | 'log'>,
): Promise<CommitId[]> {
  const { app, space, remote } = sync
  const { repo } = space
  const found: CommitId[] = []
  for (const entry of log.entries) {
    if (!isKnown(entry) || entry.ref === '' || entry.ref === remote.ref || log.counting.includes(entry) || found.includes(entry.anchor)) continue
    if (!(await repo.hasCommit(entry.anchor)) || !(await repo.hasCommit(entry.theirs))) continue
    if (!(await repo.isAncestor(entry.theirs, theirs)) || (await repo.isAncestor(entry.anchor, theirs)) || (await repo.isAncestor(entry.anchor, main))) continue
    if ((await repo.commit(entry.anchor)).tree !== (await repo.commit(entry.theirs)).tree || (await isSetBack(repo, log.entries, entry))) continue
    const key = remoteKey(remote.url, entry.ref, remote.directory)
    const doc = await findConflict({ app, space, remote: { ...remote, ref: entry.ref as RefName, key } })
    const branch = doc === null ? null : repo.head(changeRequestRef(doc.number))
    if (branch !== null && (await repo.isAncestor(entry.anchor, branch))) found.push(entry.anchor)
  }
  return found
}

/** Whether what the conflict's head dropped from its ref had it. */
async function isSetBack(repo: Repository, entries: readonly Entry[], { ref, theirs, anchor }: Entry): Promise<boolean> {
  const dropped = entries.filter((one) => one.kind === 'dropped' && one.anchor === anchor && one.ref === ref)
  return isWithin(
    repo,
    theirs,
    dropped.map((one) => one.theirs),
  )
}

/**
 * What is to become of an arrival, and the conflicts that it brings in: these are worth a merge commit also where nothing else is to be
 * done, but for a locked space, which takes none.
 */
export async function planWithOvertaken(
  contact: Pick<Contact, 'app' | 'space' | 'remote' | 'actor'>,
  arrival: Arrival,
  options: { force: boolean; forExport: boolean },
): Promise<{ plan: Plan; overtaken: CommitId[] }> {
  const plan = await planArrival(contact, arrival, options)
  const overtaken = plan.kind === 'same' || plan.kind === 'merge' ? await overtakenConflicts(contact, arrival) : []
  if (plan.kind !== 'same' || overtaken.length === 0 || (await isLocked(contact))) return { plan, overtaken }
  return { plan: { ground: plan.ground, kind: 'merge', tree: (await contact.space.repo.commit(arrival.main)).tree }, overtaken }
}

export const isLocked = async ({ app, space }: Pick<Contact, 'app' | 'space'>): Promise<boolean> =>
  (await app.store.get(spaces, space.doc.id))?.editMode === 'locked'

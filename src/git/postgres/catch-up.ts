/** Brings a repository copy up to date with the database: objects first, then refs. */
import { required } from '../../kernel/defined.js'
import { errorCode } from '../../kernel/thrown.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { LostObject, NoRepository } from '../errors.js'
import { repositoryExists } from '../lifecycle/paths.js'
import type { Copy, NodeServices } from './copy.js'
import { applyToDisk, compareWithDisk } from './follow.js'
import { type Head, isSame, type LoggedMove, movesBetween, readHead, readRefs } from './head.js'
import { installPacks, PackGone } from './install-packs.js'
import { KnownRefs } from './database-refs.js'
import { readState } from './node-state.js'
import { listPacks } from './stored-packs.js'

/**
 * Number of attempts. An attempt fails if another node replaces the packs, or if an admin deletes the files that it
 * writes.
 */
const ATTEMPTS = 3

/** Brings the copy up to date. Throws `NoRepository` if the repository was removed, `DatabaseAway`, `LostObject`. */
export async function catchUp(services: NodeServices, copy: Copy): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(services, copy)
    } catch (error) {
      // An admin's `git prune --expire=now` can delete files while they are written.
      if (!(error instanceof PackGone || errorCode(error) === 'ENOENT') || attempt === ATTEMPTS) throw error
    }
  }
}

async function once(services: NodeServices, copy: Copy): Promise<void> {
  if (copy.head && copy.local) {
    const head = await readHead(services.database, copy.name)
    if (head === null) throw removed(copy)
    const moves = await movesBetween(services.database, copy.name, copy.head, head)
    if (moves) return advance(services, copy, head, moves)
  }
  await fill(services, copy)
}

const removed = ({ name }: Copy): NoRepository => new NoRepository(`the repository ${name} was removed`)

/** Applies moves that continue the history of the copy. */
async function advance(services: NodeServices, copy: Copy, head: Head, moves: readonly LoggedMove[]): Promise<void> {
  const before = required(copy.head)
  const all = moves.flatMap((one) => one.moves)
  const net = new Map(all.map(({ ref, to }) => [ref, to]))
  await fetchObjects(services, copy, before.sequence, net.values())
  copy.applyMoves(all, head)
  if (head.epoch !== before.epoch) copy.refs.forgetFormer()
  if (isSame(before, head)) return
  services.updateCache(copy)
  await applyToDisk(services, copy, [...net.keys()])
  services.movedElsewhere(copy.name, [...net.keys()])
}

/**
 * Reads all refs, and the objects that the disk lacks according to its state file. If the state file contradicts the
 * database, reads all objects.
 */
async function fill(services: NodeServices, copy: Copy): Promise<void> {
  const all = await readRefs(services.database, copy.name)
  if (all === null) throw removed(copy)
  const { head, refs } = all
  const state = await openDisk(services, copy, head)
  const moves = state && (await movesBetween(services.database, copy.name, state, head))
  if (state && !moves)
    services.notice(
      `${copy.path} has ref moves that are missing from the log in the database: the database was restored from a backup, or this copy is very far behind. The server now fills the copy from the database again.`,
    )
  const known = new KnownRefs(refs)
  const since = moves?.flatMap((one) => one.moves) ?? null
  const changed = since ? since.map(({ ref }) => known.get(ref)) : known.values()
  await fetchObjects(services, copy, state && since ? state.sequence : -1, changed)
  const others = copy.head === null ? [] : differing(copy.refs, known)
  if (since) {
    copy.expectNothing()
    copy.expectMoves(since)
  } else copy.expectAnything()
  copy.refs = known
  copy.head = head
  services.updateCache(copy)
  await compareWithDisk(services, copy)
  if (others.length > 0) services.movedElsewhere(copy.name, others)
}

/** Opens the repository on the disk, or creates it. Returns its recorded state. */
async function openDisk(services: NodeServices, copy: Copy, head: Head) {
  const { git } = services
  const state = readState(copy.path)
  const isOther = state !== null && state.incarnation !== head.incarnation
  if (isOther) await git.remove(copy.name)
  if (isOther || !(await repositoryExists(copy.path))) {
    await git.forget(copy.name)
    copy.local = await git.create(copy.name)
    return null
  }
  copy.local = await git.open(copy.name)
  return state
}

/**
 * Installs the packs that belong to moves after `after`. If a commit is still missing because an admin deleted objects
 * on the disk, installs all packs. Throws `LostObject` if the commit is missing even then.
 */
async function fetchObjects(
  { database }: NodeServices,
  copy: Copy,
  after: number,
  tips: Iterable<CommitId | null>,
): Promise<void> {
  const { parts } = copy.disk
  const needed = [...new Set(tips)].filter((tip) => tip !== null)
  await installPacks(database, parts, await listPacks(database, copy.name, after))
  if (after < 0 || (await parts.writer.absent(needed)).length > 0) {
    if (after >= 0) await installPacks(database, parts, await listPacks(database, copy.name))
    for (const oid of await parts.writer.absent(needed)) throw new LostObject(oid, copy.path)
  }
}

function differing(before: KnownRefs, after: KnownRefs): RefName[] {
  return [...new Set([...before.all().keys(), ...after.all().keys()])].filter(
    (ref) => before.get(ref) !== after.get(ref),
  )
}

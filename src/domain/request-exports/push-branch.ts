/** Brings the host's branch to the present head of the change request. What people pushed there is taken in first; nothing is ever overwritten. */
import { RemoteError } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { ExportedRevision, RequestExportDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { SyncFailure } from '../git-sync/failure.js'
import type { Entry } from '../git-sync/log-entries.js'
import { onRemoteSide, type RemoteSide, type Sided } from '../git-sync/remote-side.js'
import { readSyncLog } from '../git-sync/sync-log.js'
import { logMoves } from '../git-sync/log-moves.js'
import { headOf } from '../revisions/main-content.js'
import { type Export, record, withPushed } from './poll-context.js'
import { exportCommit } from './export-commit.js'
import { takeIn } from './import-commits.js'

/** Pushes, unless the host's branch has the head already. Returns the export as it is then. Throws `SyncFailure`, `RemoteError`, `ServiceError`. */
export const pushBranch = (all: Export): Promise<Export> => onRemoteSide(all, pushOn)

async function pushOn(sided: Sided<Export>): Promise<Export> {
  const { side, ...all } = sided
  const heads = await all.space.repo.remoteHeads(all.connection, [all.branch, all.remote.ref])
  const there = heads.get(all.branch) ?? null
  if (!heads.has(all.remote.ref))
    throw new SyncFailure(
      `The host has no branch ${all.remote.ref}, so nothing was pushed: the branch was renamed or deleted, or the repository is empty. Make the branch again, or correct the ref of the connection.`,
    )
  const settled = there === null ? all : await settle(sided, there)
  if (there !== null && settled.doc.pushed?.commit !== there) throw new SyncFailure('The branch moved on the host.')
  if (settled.doc.pushed?.revision === settled.head && there !== null) return settled
  return pushed({ ...settled, side }, there)
}

/** Records what the host's branch has: what was pushed from here before a broken connection, or commits of people there. */
async function settle(all: Sided<Export>, there: CommitId): Promise<Export> {
  const { pushed: before, offered } = all.doc
  if (before?.commit === there) return all
  if (offered?.commit === there) return { ...all, doc: await recordPushed(all, offered) }
  if (!before && !offered)
    throw new SyncFailure(
      `The host has a branch ${all.doc.branch} that was not made here. Nothing was overwritten: delete or rename that branch on the host.`,
    )
  return takeIn(all, there, before ?? (offered as ExportedRevision))
}

async function pushed(all: Sided<Export>, there: CommitId | null): Promise<Export> {
  const { app, space, doc, head, side } = all
  const last = doc.pushed?.commit as CommitId | undefined
  // Where the branch was deleted, the next commit stands on the last one, if that is still here.
  const on = there ?? (last !== undefined && (await side.commits.hasCommit(last)) ? last : null)
  await bringBack(all, on)
  const commit = await app.locks.run(space.doc.id, async (lease) => {
    const again = doc.offered?.revision === head && (await isOn(side, doc.offered.commit as CommitId, on))
    const made = again ? (doc.offered?.commit as CommitId) : await exportCommit(all, on)
    await note(all, made, 'offered', lease)
    return made
  })
  const offered = { revision: head, commit }
  const noted = { ...all, doc: await record(all, (stored) => ({ ...stored, offered })) }
  if (commit !== there) await sent(noted, commit, there)
  await app.locks.run(space.doc.id, (lease) => note(noted, commit, 'known', lease))
  return { ...noted, doc: await recordPushed(noted, offered) }
}

async function isOn({ commits }: RemoteSide, one: CommitId, parent: CommitId | null): Promise<boolean> {
  if (!(await commits.hasCommit(one))) return false
  return parent === null || (await commits.commit(one)).parents[0] === parent
}

/** Fetches what the commit builds on, if that is a scratch repository's and it was deleted meanwhile: not under the lock of the space. */
async function bringBack({ space, remote, side, branch, head }: Sided<Export>, on: CommitId | null): Promise<void> {
  if (!side.beside) return
  const base = (await readSyncLog(space.repo, remote, head)).last?.remote
  if (base !== undefined && !(await side.commits.hasCommit(base))) await side.fetch(remote.ref)
  if (on !== null && !(await side.commits.hasCommit(on))) await side.fetch(branch)
}

async function sent(
  { side, connection, branch }: Sided<Export>,
  commit: CommitId,
  there: CommitId | null,
): Promise<void> {
  try {
    await side.commits.push(connection, branch, commit, there)
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'stale')
      throw new SyncFailure(
        'Somebody pushed to the branch on the host at the same moment. Nothing was overwritten; their commits are taken in first.',
        {
          cause: error,
        },
      )
    throw error
  }
}

const recordPushed = (
  all: Pick<Export, 'app' | 'doc'>,
  pushed: ExportedRevision,
): Promise<Document<RequestExportDoc>> =>
  record(all, ({ offered: _done, ...stored }) => ({
    ...withPushed(stored, pushed),
    changedAt: all.app.clock.now().toISOString(),
  }))

/** Writes into the log of the synchronization that a commit of the host has the content of the head: it counts once main contains the head. */
async function note(
  all: Sided<Export>,
  remote: CommitId,
  kind: Entry['kind'],
  lease: Parameters<Export['space']['repo']['move']>[2],
): Promise<void> {
  const { space, head, branch, side } = all
  const { repo } = space
  const main = headOf(space)
  const log = await readSyncLog(repo, all.remote, main)
  if (log.entries.some((one) => one.kind === kind && one.remote === remote && one.local === head)) return
  const theirs = (await side.local(await readSyncLog(repo, all.remote, head), remote)) ?? remote
  const entry: Entry = { kind, remote, theirs, local: head, anchor: head, ref: branch }
  const over = log.entries.filter((one) => one.kind === 'offered' && one.remote === remote && one.ref === branch)
  await repo.move(await logMoves(repo, log, main, { added: [entry], removed: over }), 'export a change request', lease)
}

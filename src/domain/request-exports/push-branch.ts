/**
 * Updates the host's branch to the current head of the change request. Commits of people on the host are merged first.
 * Nothing is overwritten.
 */
import { required } from '../../kernel/defined.js'
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

/**
 * Pushes, unless the host's branch already has the head. Returns the updated export. Throws `SyncFailure`,
 * `RemoteError`, `ServiceError`.
 */
export const pushBranch = (all: Export): Promise<Export> => onRemoteSide(all, pushOn)

async function pushOn(sided: Sided<Export>): Promise<Export> {
  const { side, ...all } = sided
  const heads = await all.space.repo.remote.heads(all.connection, [all.branch, all.remote.ref])
  const there = heads.get(all.branch) ?? null
  if (!heads.has(all.remote.ref))
    throw new SyncFailure(
      `The host has no branch ${all.remote.ref}, so nothing was pushed. The branch was renamed or deleted, or the repository is empty. Create the branch again, or correct the ref of the connection.`,
    )
  const settled = there === null ? all : await settle(sided, there)
  if (there !== null && settled.doc.pushed?.commit !== there) throw new SyncFailure('The branch moved on the host.')
  if (settled.doc.pushed?.revision === settled.head && there !== null) return settled
  return pushed({ ...settled, side }, there)
}

/** Records the commits on the host's branch: an earlier push whose response was lost, or commits of people. */
async function settle(all: Sided<Export>, there: CommitId): Promise<Export> {
  const { pushed: before, offered } = all.doc
  if (before?.commit === there) return all
  if (offered?.commit === there) return { ...all, doc: await recordPushed(all, offered) }
  if (!before && !offered)
    throw new SyncFailure(
      `The host already has another branch ${all.doc.branch}. Nothing was overwritten. Delete or rename that branch on the host.`,
    )
  return takeIn(all, there, before ?? required(offered))
}

async function pushed(all: Sided<Export>, there: CommitId | null): Promise<Export> {
  const { app, space, doc, head, side } = all
  const last = doc.pushed?.commit
  // If the branch was deleted, the next commit builds on the last one, if it is still available.
  const on = there ?? (last !== undefined && (await side.commits.objects.hasCommit(last)) ? last : null)
  await fetchBase(all, on)
  const commit = await app.locks.run(space.doc.id, async (lease) => {
    const again = doc.offered?.revision === head && (await isOn(side, doc.offered.commit, on))
    const made = again ? required(doc.offered?.commit) : await exportCommit(all, on)
    await note(all, made, 'offered', lease)
    return made
  })
  const offered = { revision: head, commit }
  const noted = { ...all, doc: await record(all, (stored) => ({ ...stored, offered })) }
  if (commit !== there) await sendCommit(noted, commit, there)
  await app.locks.run(space.doc.id, (lease) => note(noted, commit, 'known', lease))
  return { ...noted, doc: await recordPushed(noted, offered) }
}

async function isOn({ commits }: RemoteSide, one: CommitId, parent: CommitId | null): Promise<boolean> {
  if (!(await commits.objects.hasCommit(one))) return false
  return parent === null || (await commits.objects.commit(one)).parents[0] === parent
}

/** Fetches the base of the commit if its scratch repository was deleted. Must not run under the lock of the space. */
async function fetchBase({ space, remote, side, branch, head }: Sided<Export>, on: CommitId | null): Promise<void> {
  if (!side.usesScratch) return
  const base = (await readSyncLog(space.repo, remote, head)).last?.remote
  if (base !== undefined && !(await side.commits.objects.hasCommit(base))) await side.fetch(remote.ref)
  if (on !== null && !(await side.commits.objects.hasCommit(on))) await side.fetch(branch)
}

async function sendCommit(
  { side, connection, branch }: Sided<Export>,
  commit: CommitId,
  there: CommitId | null,
): Promise<void> {
  try {
    await side.commits.remote.push(connection, branch, commit, there)
  } catch (error) {
    if (error instanceof RemoteError && error.kind === 'stale')
      throw new SyncFailure(
        'Another push to the branch on the host happened at the same time. Nothing was overwritten. Its commits are merged first.',
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

/**
 * Records in the sync log that a commit of the host has the content of the head. The entry counts once main contains
 * the head.
 */
async function note(
  all: Sided<Export>,
  remote: CommitId,
  kind: Entry['kind'],
  lease: Parameters<Export['space']['repo']['refs']['move']>[2],
): Promise<void> {
  const { space, head, branch, side } = all
  const { repo } = space
  const main = headOf(space)
  const log = await readSyncLog(repo, all.remote, main)
  if (log.entries.some((one) => one.kind === kind && one.remote === remote && one.local === head)) return
  const theirs = (await side.local(await readSyncLog(repo, all.remote, head), remote)) ?? remote
  const entry: Entry = { kind, remote, theirs, local: head, anchor: head, ref: branch }
  const over = log.entries.filter((one) => one.kind === 'offered' && one.remote === remote && one.ref === branch)
  await repo.refs.move(
    await logMoves(repo, log, main, { added: [entry], removed: over }),
    'export a change request',
    lease,
  )
}

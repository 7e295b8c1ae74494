/** Fetches a branch into a scratch repository. Leaves out the files if the remote supports that. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import { RemoteError } from '../errors.js'
import type { Connection, LocalRepository, RemoteOptions } from '../remote/connection.js'
import { receive, requireWhole, whyRefused } from '../remote/fetch.js'
import { requireCommit } from '../remote/inspect.js'
import { openQuarantine } from '../remote/quarantine.js'
import { withEnv } from '../remote/run.js'
import type { FetchLimits, Remote } from '../types.js'
import type { FolderOrder } from './types.js'

/** Requests commits and folders without files. */
const WITHOUT_FILES = '--filter=blob:none'
/** Requests everything, even if an earlier fetch of the same scratch repository was without files. */
const WHOLE = '--no-filter'

/** The limits of every fetch into a scratch repository. */
type Limits = Omit<FetchLimits, 'pushed' | 'directory' | 'within'>

/** A fetch into the scratch repository at `path`. */
export interface PartialFetch<O extends Limits = FolderOrder> {
  options: RemoteOptions
  connection: Connection
  /** The repository of the space, whose processes are used. */
  local: LocalRepository
  path: string
  remote: Remote
  ref: RefName
  order: O
  left(): number
}

/**
 * Fetches the branch and returns its head. The commits and folders are then in the scratch repository. Throws
 * `RemoteError`.
 */
export async function fetchPartial(fetch: PartialFetch<Limits>): Promise<CommitId> {
  const { options, connection, local, path, remote, ref, order, left } = fetch
  let quarantine = await openQuarantine(path)
  try {
    const ask = (filter: string) =>
      receive(connection, quarantine, { options: [filter], refs: [ref] }, { ...order, timeoutMs: left() })
    let run = await ask(WITHOUT_FILES)
    if (run.code !== 0 && refusesFilter(run.stderr)) {
      await quarantine.remove()
      quarantine = await openQuarantine(path)
      run = await ask(WHOLE)
    }
    const scratch = { path, launcher: local.launcher, isAncestor: local.isAncestor }
    if (run.code !== 0)
      throw await whyRefused(options, connection, run, {
        local: scratch,
        remote,
        ref,
        limits: { ...order, timeoutMs: left() },
      })
    await quarantine.requireChecked()
    const head = await quarantine.fetchedHead()
    requireWhole(head)
    await requireCommit(
      withEnv(connection.git, { ...quarantine.env, GIT_ALLOW_PROTOCOL: '' }),
      head,
      null,
      order,
      left(),
    )
    await quarantine.publish()
    return head
  } finally {
    await quarantine.remove()
  }
}

/** Whether the remote rejected the filter. Some remotes advertise filters but reject them. */
const refusesFilter = (stderr: string): boolean => /\bfilter/i.test(stderr)

/** Maximum number of files in one request. */
const MAX_FILES = 100_000

/**
 * Fetches files by their IDs into a quarantine of the scratch repository, and leaves them there. The caller takes what
 * it needs, removes the quarantine, and checks whether all files arrived. Throws `RemoteError`.
 */
export async function fetchFiles(
  { connection, order, left }: PartialFetch<Limits>,
  into: Awaited<ReturnType<typeof openQuarantine>>,
  files: readonly string[],
): Promise<void> {
  for (let at = 0; at < files.length; at += MAX_FILES) {
    const input = Buffer.from(
      files
        .slice(at, at + MAX_FILES)
        .map((oid) => `${oid}\n`)
        .join(''),
    )
    const wanted = {
      settings: ['-c', 'fetch.negotiationAlgorithm=noop'],
      options: [WITHOUT_FILES, '--no-write-fetch-head', '--stdin'],
      refs: [],
      input,
    }
    const run = await receive(connection, into, wanted, { ...order, timeoutMs: left() })
    if (run.code !== 0) {
      const failure = connection.failure(run)
      throw failure.kind === 'missing-ref' ? lacksFiles() : failure
    }
    await into.requireChecked()
  }
}

/** Returns the error for a remote whose folders name files that it does not have or does not send. */
export const lacksFiles = (): RemoteError =>
  new RemoteError(
    'unsafe-content',
    'The remote did not send all files of the folder that its commits refer to. Check it with "git fsck".',
  )

/**
 * Fetches a ref of a remote into a quarantine, with limits on time and size, and explains why Git rejects an object.
 */
import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import { receivedFromRemote } from '../../kernel/remote-wait.js'
import { PackTooLarge, RemoteError } from '../errors.js'
import type { FetchLimits, FetchResult, Remote } from '../types.js'
import { type Connection, connect, type LocalRepository, type RemoteOptions } from './connection.js'
import { type ReceivedFetch, fetchHere, PackRefused } from './fetch-here.js'
import { inspect } from './inspect-arrived.js'
import { faultOf, refusalOf } from './fault.js'
import { remoteHead } from './head.js'
import { openQuarantine, type Quarantine } from './quarantine.js'
import { requireRemoteRefName } from '../refs/name.js'
import { type GitRun, withEnv } from './run.js'
import { maxUnpackMs, tooCostly } from './unpacking.js'
import { defined } from '../../kernel/defined.js'

const WATCH_MS = 100
/**
 * Allowance on top of the kernel's limit for one file, for Git's trace and the bases of thin packs. The exact limit is
 * checked afterwards.
 */
const SLACK_BYTES = 1024 * 1024

const ARGUMENTS = [
  'fetch',
  '--no-tags',
  '--no-auto-gc',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--no-progress',
  '--no-show-forced-updates',
  '--quiet',
]

const tooLarge = (limits: Pick<FetchLimits, 'maxPackBytes'>): PackTooLarge =>
  new PackTooLarge(`The remote sends more than the limit of ${limits.maxPackBytes} bytes.`)

/** The content of one fetch request. */
interface Request {
  /** Options of Git itself, such as `-c`. */
  settings?: readonly string[]
  /** Options of `git fetch`. */
  options?: readonly string[]
  refs: readonly string[]
  /** Additional refs, one per line. */
  input?: Buffer
}

/** Fetches into the quarantine. Kills Git and throws `RemoteError` as soon as it exceeds a limit. */
export async function receive(
  connection: Connection,
  quarantine: Quarantine,
  { settings = [], options = [], refs, input }: Request,
  limits: Pick<FetchLimits, 'maxPackBytes' | 'timeoutMs' | 'received'>,
): Promise<GitRun> {
  let watch: NodeJS.Timeout | undefined
  let over = false
  let slow = false
  let arrived = { bytes: 0, at: performance.now() }
  try {
    const run = await connection.run([...settings, ...ARGUMENTS, ...options, '--', connection.url, ...refs], {
      env: quarantine.env,
      ...defined({ input }),
      timeoutMs: limits.timeoutMs,
      maxFileBytes: limits.maxPackBytes + SLACK_BYTES,
      onStart: (stop) => {
        watch = setInterval(async () => {
          const bytes = await quarantine.bytes()
          limits.received?.(bytes)
          receivedFromRemote(bytes - arrived.bytes)
          if (bytes !== arrived.bytes) arrived = { bytes, at: performance.now() }
          over ||= bytes > limits.maxPackBytes + SLACK_BYTES
          slow ||= bytes > 0 && performance.now() - arrived.at > maxUnpackMs(bytes)
          if (over || slow) stop()
        }, WATCH_MS)
      },
    })
    if (slow) throw tooCostly(`${Math.ceil(maxUnpackMs(arrived.bytes) / 1000)} s`, 'the data from the remote')
    // If the kernel killed index-pack, Git only reports bad output. The received size shows the reason.
    if (over || run.signal === 'SIGXFSZ' || (await quarantine.bytes()) > limits.maxPackBytes) throw tooLarge(limits)
    return run
  } finally {
    clearInterval(watch)
  }
}

/**
 * States at once that nothing is here. Otherwise, Git offers its newest commits, and asks again after the remote has
 * none of them.
 */
const UNRELATED = ['-c', 'fetch.negotiationAlgorithm=noop']

/** Files that are moved out of the quarantine are synced there, so Git need not sync them. */
const UNSYNCED = ['-c', 'core.fsync=none']

const UNCHECKED = ['-c', 'fetch.fsckObjects=false', '-c', 'transfer.fsckObjects=false']

/** A fetch: the remote, the ref, and the local repository. */
interface FetchOrder {
  local: LocalRepository
  remote: Remote
  ref: RefName
  limits: FetchLimits
}

/**
 * Returns why a fetch failed. Git reports only the ID of an object that its checks reject, and keeps nothing of the
 * fetch. To find the object's path, this fetches the ref again without checks, into a quarantine that is deleted
 * afterwards.
 */
export async function whyRefused(
  options: RemoteOptions,
  connection: Connection,
  run: GitRun,
  order: FetchOrder,
): Promise<RemoteError> {
  const fault = faultOf(run.stderr)
  if (!fault) return connection.failure(run)
  const { local, remote, ref, limits } = order
  const started = Date.now()
  const left = (): number => limits.timeoutMs - (Date.now() - started)
  const quarantine = await openQuarantine(resolve(local.path))
  try {
    const head = await remoteHead(options, local, remote, ref)
    await receive(connection, quarantine, { settings: UNCHECKED, refs: [ref] }, { ...limits, timeoutMs: left() })
    return await refusalOf(
      fault,
      ref,
      head && { git: withEnv(connection.git, quarantine.env), head, timeoutMs: left() },
    )
  } catch {
    return refusalOf(fault, ref, null)
  } finally {
    await quarantine.remove()
  }
}

/** Implements `Exchange.fetch`. Changes no ref. On failure, it adds no object either. */
export async function fetchRemote(
  options: RemoteOptions,
  local: LocalRepository,
  remote: Remote,
  ref: RefName,
  limits: FetchLimits,
): Promise<FetchResult> {
  requireRemoteRefName(ref)
  const started = Date.now()
  const left = (): number => limits.timeoutMs - (Date.now() - started)
  const connection = await connect(remote, options, local.launcher)
  const order = { local, remote, ref, limits }
  const explained = (run: GitRun) =>
    whyRefused(options, connection, run, { ...order, limits: { ...limits, timeoutMs: left() } })
  const here = await fetchHere(connection, { ...order, tooLarge: () => tooLarge(limits) }).catch(
    async (error: unknown) => {
      throw error instanceof PackRefused ? await explained(error.run) : error
    },
  )
  const { head, quarantine, whole } =
    here ?? (await fetchByGit(connection, { ...order, limits: { ...limits, timeoutMs: left() } }, explained))
  if (quarantine === null) return { head, objects: 0 }
  try {
    if (head === limits.known) return { head, objects: 0 }
    const objects = await inspect(connection, quarantine, head, {
      local,
      whole,
      limits: { ...limits, timeoutMs: left() },
    })
    await quarantine.publish(async (pack) => local.protect?.(pack, [head]))
    return { head, objects }
  } finally {
    await quarantine.remove()
  }
}

/** Lets Git fetch into a new quarantine. Throws `RemoteError`. */
async function fetchByGit(
  connection: Connection,
  { local, ref, limits }: FetchOrder,
  explained: (run: GitRun) => Promise<RemoteError>,
): Promise<ReceivedFetch> {
  const quarantine = await openQuarantine(resolve(local.path))
  try {
    const settings = [...UNSYNCED, ...(limits.unrelated ? UNRELATED : [])]
    const run = await receive(connection, quarantine, { settings, refs: [ref] }, limits)
    if (run.code !== 0) throw await explained(run)
    await quarantine.requireChecked()
    const head = await quarantine.fetchedHead()
    requireWhole(head)
    return { head, quarantine, whole: true }
  } catch (error) {
    await quarantine.remove()
    throw error
  }
}

/** Throws if there is no head: Git succeeds without one if the remote is a shallow clone. */
export function requireWhole(head: string): asserts head is CommitId {
  if (!isOid(head))
    throw new RemoteError(
      'failed',
      'The remote is a shallow clone, which lacks the older history. Use the full repository.',
    )
}

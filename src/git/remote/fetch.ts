import { resolve } from 'node:path'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { isOid } from '../../kernel/ids.js'
import { RemoteError } from '../errors.js'
import type { FetchLimits, FetchResult, Remote } from '../types.js'
import { type Connection, connect, type RemoteOptions } from './connection.js'
import { checkArrived, checkHead } from './inspect.js'
import { faultOf, refusalOf } from './fault.js'
import { remoteHead } from './head.js'
import { openQuarantine, type Quarantine } from './quarantine.js'
import { requireRemoteRefName } from '../refs/name.js'
import type { GitRun } from './run.js'

const WATCH_MS = 100
/** Room for Git's trace and for thin packs' bases, under the kernel's limit for one file; the exact limit is checked after. */
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

const tooLarge = (limits: FetchLimits): RemoteError =>
  new RemoteError('too-large', `The remote sends more than the ${limits.maxPackBytes} bytes that are allowed.`)

/** Receives into the quarantine; ends Git as soon as it has written more than is allowed. Throws `RemoteError` for that; else answers how it ended. */
async function receive(connection: Connection, quarantine: Quarantine, ref: RefName, limits: FetchLimits, settings: readonly string[] = []): Promise<GitRun> {
  let watch: NodeJS.Timeout | undefined
  let over = false
  try {
    const run = await connection.run([...settings, ...ARGUMENTS, '--', connection.url, ref], {
      env: { ...connection.env, ...quarantine.env },
      timeoutMs: limits.timeoutMs,
      maxFileBytes: limits.maxPackBytes + SLACK_BYTES,
      onStart: (stop) => {
        watch = setInterval(async () => {
          over ||= (await quarantine.bytes()) > limits.maxPackBytes + SLACK_BYTES
          if (over) stop()
        }, WATCH_MS)
      },
    })
    // Where the kernel ended index-pack, Git reports bad output: what lies there tells.
    if (over || run.signal === 'SIGXFSZ' || (await quarantine.bytes()) > limits.maxPackBytes) throw tooLarge(limits)
    return run
  } finally {
    clearInterval(watch)
  }
}

const UNCHECKED = ['-c', 'fetch.fsckObjects=false', '-c', 'transfer.fsckObjects=false']

/**
 * Why a fetch failed. Git names what its checks refuse by its ID alone, and keeps nothing of it: so that people are told the path, it
 * is fetched once more without checks, to be looked up in a quarantine that is thrown away.
 */
async function whyRefused(
  options: RemoteOptions,
  connection: Connection,
  run: GitRun,
  repoPath: string,
  remote: Remote,
  ref: RefName,
  limits: FetchLimits,
): Promise<RemoteError> {
  const fault = faultOf(run.stderr)
  if (!fault) return connection.failure(run)
  const started = Date.now()
  const left = (): number => limits.timeoutMs - (Date.now() - started)
  const quarantine = await openQuarantine(resolve(repoPath))
  try {
    const head = await remoteHead(options, repoPath, remote, ref)
    await receive(connection, quarantine, ref, { ...limits, timeoutMs: left() }, UNCHECKED)
    return await refusalOf(fault, ref, head && { env: { ...connection.env, ...quarantine.env }, head, timeoutMs: left() })
  } catch {
    return refusalOf(fault, ref, null)
  } finally {
    await quarantine.remove()
  }
}

/** `RemoteOperations.fetch`: the refs and, on failure, the objects of the repository stay as they are. */
export async function fetchRemote(options: RemoteOptions, repoPath: string, remote: Remote, ref: RefName, limits: FetchLimits): Promise<FetchResult> {
  requireRemoteRefName(ref)
  const started = Date.now()
  const left = (): number => limits.timeoutMs - (Date.now() - started)
  const connection = await connect(remote, options)
  const quarantine = await openQuarantine(resolve(repoPath))
  try {
    const run = await receive(connection, quarantine, ref, { ...limits, timeoutMs: left() })
    if (run.code !== 0) throw await whyRefused(options, connection, run, repoPath, remote, ref, { ...limits, timeoutMs: left() })
    await quarantine.requireChecked()
    const head = await quarantine.fetchedHead()
    // Git succeeds without a head where the remote's history is cut off.
    if (!isOid(head)) throw new RemoteError('failed', 'The remote is a shallow clone, which lacks the older history; use the full repository.')
    const checks = [
      checkArrived({ arrived: { ...connection.env, ...quarantine.arrivedEnv }, all: { ...connection.env, ...quarantine.env } }, head, limits, left()),
      checkHead({ ...connection.env, ...quarantine.env }, head, limits, left()),
    ] as const
    // Both end before the quarantine goes.
    await Promise.allSettled(checks)
    const [objects] = await Promise.all(checks)
    await quarantine.publish()
    return { head: head as CommitId, objects }
  } finally {
    await quarantine.remove()
  }
}

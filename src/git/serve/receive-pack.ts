/** Takes the objects of a push: into a quarantine, checked there as what is fetched from remotes is, then into the repository. */
import { resolve } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { RemoteError } from '../errors.js'
import { hermeticEnvironment } from '../process/environment.js'
import { faultOf, refusalOf } from '../remote/fault.js'
import { checkArrived, checkTree, requireCommit, stream } from '../remote/inspect.js'
import { openQuarantine, type Quarantine } from '../remote/quarantine.js'
import type { LocalRepository } from '../remote/connection.js'
import { type GitSetting, withEnv } from '../remote/run.js'
import { TOLERATED } from '../remote/tolerated.js'
import type { FetchLimits } from '../types.js'
import { KeptStart } from './kept-start.js'
import type { PushedPack } from './types.js'

/** Added to the kernel's limit for one file, for the bases of thin packs. */
const SLACK_BYTES = 1024 * 1024
const SIGNATURE = 'PACK'
const HEADER_BYTES = 12

/**
 * Takes a pack, checks it, and makes it part of the repository; moves no ref. Durable when it resolves; if it fails, nothing was added.
 * Throws `RemoteError` 'too-large', 'unsafe-content', 'timeout', with a message for whoever pushes.
 */
export async function receivePack(local: LocalRepository, { bytes, heads, reserved }: PushedPack, limits: FetchLimits): Promise<void> {
  const started = Date.now()
  const left = (): number => Math.max(1, limits.timeoutMs - (Date.now() - started))
  const quarantine = await openQuarantine(resolve(local.path))
  const git: GitSetting = { launcher: local.launcher, env: hermeticEnvironment('/dev/null') }
  try {
    await index(git, quarantine, bytes, { limits, timeoutMs: left(), head: heads[0] })
    const all = withEnv(git, quarantine.env)
    await checkConnected(all, heads, left())
    await checkCommitters(all, heads, reserved, left())
    const arrived = withEnv(git, quarantine.arrivedEnv)
    for (const head of heads) {
      await requireCommit(all, head, null, limits, left())
      await checkTree(all, head, limits, left())
      await checkArrived({ arrived, all }, head, limits, left())
    }
    await quarantine.publish(async (pack) => local.protect?.(pack, heads))
  } finally {
    await quarantine.remove()
  }
}

interface Indexing {
  limits: FetchLimits
  timeoutMs: number
  head: CommitId | undefined
}

/** Writes the pack and its index to the quarantine. Git checks each object on the way. */
async function index(git: GitSetting, quarantine: Quarantine, bytes: AsyncIterable<Uint8Array>, { limits, timeoutMs, head }: Indexing): Promise<void> {
  const pack = new KeptStart(bytes)
  const header = await pack.first(HEADER_BYTES)
  if (header.toString('latin1', 0, 4) !== SIGNATURE || header.length < HEADER_BYTES)
    throw new RemoteError('failed', 'What was pushed is not a pack. Push with a Git client.')
  // Nothing new is pushed: a branch that names a commit which is here.
  if (header.readUInt32BE(8) === 0) return
  const strict = `--strict=${TOLERATED.map((name) => `${name}=warn`).join(',')}`
  const all = withEnv(git, quarantine.env)
  const { ok, stderr } = await feed(all, strict, pack.bytes(), limits, timeoutMs)
  if (ok) return
  const fault = faultOf(stderr)
  if (!fault) throw new RemoteError('failed', 'The pack is damaged, or lacks objects that its deltas need. Run "git fsck" in your clone, then push again.')
  // To find the path of the object that Git refuses, the pack is read again without checks.
  const whole = await pack.whole()
  const readable = whole !== null && head !== undefined && (await feed(all, '--stdin', whole, limits, timeoutMs)).ok
  throw await refusalOf(fault, 'what was pushed', readable ? { git: all, head, timeoutMs } : null, 'What you push')
}

/** Runs `git index-pack` on the bytes, and kills it if there are too many or it takes too long. */
async function feed(
  { launcher, env }: GitSetting,
  mode: string,
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: FetchLimits,
  timeoutMs: number,
) {
  const guard = { maxFileBytes: limits.maxPackBytes + SLACK_BYTES }
  const running = await launcher.start('git', [...INDEXING, 'index-pack', '--stdin', '--fix-thin', mode], { cwd: '/', env, guard })
  const { stream: pipe, ended } = running
  let over = false
  const timer = setTimeout(() => {
    over = true
    running.kill()
  }, timeoutMs)
  // The name of the pack, which nobody needs.
  pipe.on('data', () => {})
  let received = 0
  try {
    for await (const piece of bytes) {
      received += piece.length
      if (received > limits.maxPackBytes) throw new RemoteError('too-large', `You push more than the ${limits.maxPackBytes} bytes that are allowed at once.`)
      if (pipe.destroyed) break
      if (!pipe.write(piece)) await Promise.race([new Promise((drained) => pipe.once('drain', drained)), ended])
    }
    pipe.end()
    const { code, stderr } = await ended
    if (over) throw new RemoteError('timeout', `The push did not arrive within ${Math.ceil(timeoutMs / 1000)} s. Push fewer commits at a time.`)
    return { ok: code === 0, stderr }
  } catch (error) {
    running.kill()
    await ended
    throw error
  } finally {
    clearTimeout(timer)
    pipe.destroy()
  }
}

const INDEXING = ['-c', 'core.fsync=all', '-c', 'core.bigFileThreshold=32m', '-c', 'core.hooksPath=/dev/null']

/** All that the heads contain must be there: what a client with a shallow clone lacks, this repository must have. */
async function checkConnected(git: GitSetting, heads: readonly CommitId[], timeoutMs: number): Promise<void> {
  await stream(git, ['rev-list', '--objects', '--quiet', ...heads, '--not', '--all'], timeoutMs, '\n', () => {}).catch((error: unknown) => {
    if (error instanceof RemoteError && error.kind === 'unsafe-content')
      throw new RemoteError('unsafe-content', 'Objects are missing in what you push. If your clone is shallow, run "git fetch --unshallow", then push again.')
    throw error
  })
}

async function checkCommitters(git: GitSetting, heads: readonly CommitId[], reserved: string, timeoutMs: number): Promise<void> {
  const args = ['rev-list', '--no-commit-header', '--format=%H %ce', ...heads, '--not', '--all']
  await stream(git, args, timeoutMs, '\n', (record) => {
    const line = record.toString('utf8')
    if (line.slice(41).trim().toLowerCase() === reserved.toLowerCase())
      throw new RemoteError(
        'unsafe-content',
        `Commit ${line.slice(0, 40)} names ${reserved} as its committer, as only the service's own commits do. Commit it again under your own address (git config user.email).`,
      )
  })
}

/**
 * Receives the objects of a push: in a quarantine, where they are checked like fetched objects, then in the repository.
 */
import { createReadStream } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { PackTooLarge, RemoteError } from '../errors.js'
import { hermeticEnvironment } from '../process/environment.js'
import { faultOf, refusalOf } from '../remote/fault.js'
import { checkArrived, checkTree, requireCommit, requireUnstopped, stream } from '../remote/inspect.js'
import { openQuarantine, type Quarantine } from '../remote/quarantine.js'
import type { LocalRepository } from '../remote/connection.js'
import { type GitSetting, runGit, withEnv } from '../remote/run.js'
import { maxCpuSeconds } from '../remote/unpacking.js'
import type { FetchLimits } from '../types.js'
import type { PushedPack } from './types.js'

/** Allowance on top of the kernel's limit for one file, for the bases of thin packs. */
const SLACK_BYTES = 1024 * 1024
/** Allowance on top of the limit for one buffer in Git's memory, for trees and tables. */
const ALLOCATION_SLACK_BYTES = 64 * 1024 * 1024
const SIGNATURE = 'PACK'
const HEADER_BYTES = 12

/**
 * Receives and checks a pack, and adds it to the repository. Moves no ref. The pack is durable when the promise
 * resolves. On failure, nothing is added. Throws `RemoteError` 'too-large', 'unsafe-content', 'timeout', 'cancelled',
 * with a message for the user who pushes, and errors of `turn`.
 */
export async function receivePack(local: LocalRepository, pack: PushedPack, limits: FetchLimits): Promise<void> {
  const quarantine = await openQuarantine(resolve(local.path))
  try {
    const file = join(quarantine.folder, 'arriving')
    const size = await arrive(pack.bytes, file, limits)
    const over = await pack.turn()
    try {
      await takeIn(local, quarantine, { ...pack, file, size }, limits)
    } finally {
      over()
    }
  } finally {
    await quarantine.remove()
  }
}

/** A completely received pack. */
interface ArrivedPack extends PushedPack {
  file: string
  /** Size in bytes. */
  size: number
}

/** Writes the pack to a file as it arrives, and returns its size in bytes. Throws `PackTooLarge`. */
async function arrive(bytes: AsyncIterable<Uint8Array>, file: string, { maxPackBytes }: FetchLimits): Promise<number> {
  let size = 0
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      size += piece.length
      if (size > maxPackBytes)
        throw new PackTooLarge(`Your push exceeds the limit of ${maxPackBytes} bytes. Push fewer commits at a time.`)
      yield piece
    }
  }
  await writeFile(file, counted())
  return size
}

async function takeIn(
  local: LocalRepository,
  quarantine: Quarantine,
  pack: ArrivedPack,
  limits: FetchLimits,
): Promise<void> {
  const { heads, reserved, gone, size } = pack
  const started = Date.now()
  const left = (): number => Math.max(1, limits.timeoutMs - (Date.now() - started))
  // Limits a single buffer in Git: it fails for an object that is too large, or if the pack claims more objects than it
  // can hold.
  const GIT_ALLOC_LIMIT = String(limits.maxBlobBytes + ALLOCATION_SLACK_BYTES + size)
  const git: GitSetting = {
    launcher: local.launcher,
    env: { ...hermeticEnvironment('/dev/null'), GIT_ALLOC_LIMIT },
    bounds: { maxCpuSeconds: maxCpuSeconds(size), gone },
  }
  await index(git, quarantine, pack, limits)
  const all = withEnv(git, quarantine.env)
  await checkConnected(all, heads, left())
  const arrived = withEnv(git, quarantine.arrivedEnv)
  for (const head of heads) {
    await requireCommit(all, head, null, limits, left())
    await checkTree(all, head, limits, left())
    await checkArrived({ arrived, all }, head, limits, left())
  }
  // Last, because removed objects of an old clone often have the reserved committer.
  await checkCommitters(all, heads, reserved, left())
  await quarantine.publish(async (name) => local.protect?.(name, heads))
}

/** Lets Git index the pack in the quarantine and check each object. Throws `RemoteError`. */
async function index(
  git: GitSetting,
  quarantine: Quarantine,
  { file, heads: [head] }: ArrivedPack,
  limits: FetchLimits,
): Promise<void> {
  const header = await firstBytes(file)
  if (header.toString('latin1', 0, 4) !== SIGNATURE || header.length < HEADER_BYTES)
    throw new RemoteError('failed', 'The pushed data is not a pack. Push with a Git client.')
  // Nothing new is pushed: the branch names an existing commit.
  if (header.readUInt32BE(8) === 0) return
  const { timeoutMs, maxPackBytes } = limits
  const all = withEnv(git, quarantine.env)
  const run = async (...mode: string[]) => {
    const options = { input: createReadStream(file), timeoutMs, maxFileBytes: maxPackBytes + SLACK_BYTES }
    const ended = await runGit(all, [...INDEXING, 'index-pack', '--stdin', '--fix-thin', ...mode], options)
    requireUnstopped(all, ended)
    if (ended.ended === 'timeout')
      throw new RemoteError(
        'timeout',
        `The push was not checked within ${Math.ceil(timeoutMs / 1000)} s. Push fewer commits at a time.`,
      )
    return ended
  }
  const { code, stderr } = await run(STRICT)
  if (code === 0) return
  if (/attempting to allocate \d+ over limit/.test(stderr))
    throw new RemoteError(
      'too-large',
      `An object in your push is too large. A file may have at most ${limits.maxBlobBytes} bytes.`,
    )
  const fault = faultOf(stderr)
  if (!fault)
    throw new RemoteError(
      'failed',
      'The pack is damaged, or lacks objects that its deltas need. Run "git fsck" in your clone, then push again.',
    )
  // Read the pack again without checks, to find the path of the object that Git rejects.
  const readable = head !== undefined && (await run()).code === 0
  throw await refusalOf(fault, 'the push', readable ? { git: all, head, timeoutMs } : null, 'The push')
}

async function firstBytes(file: string): Promise<Buffer> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/**
 * Treats all errors of `git fsck --strict` as errors, and also file modes that no Git client writes. Imports tolerate
 * some of them (`remote/tolerated.ts`), because old histories have them. A push contains new objects.
 */
const STRICT = '--strict=badFilemode=error'
const INDEXING = ['-c', 'core.fsync=all', '-c', 'core.bigFileThreshold=32m', '-c', 'core.hooksPath=/dev/null']

/**
 * Throws unless everything that the heads need exists: this repository must have the objects that a shallow clone
 * lacks.
 */
async function checkConnected(git: GitSetting, heads: readonly CommitId[], timeoutMs: number): Promise<void> {
  await stream(git, ['rev-list', '--objects', '--quiet', ...heads, '--not', '--all'], timeoutMs, '\n', () => {}).catch(
    (error: unknown) => {
      if (error instanceof RemoteError && error.kind === 'unsafe-content')
        throw new RemoteError(
          'unsafe-content',
          'Objects are missing in your push. If your clone is shallow, run "git fetch --unshallow", then push again.',
        )
      throw error
    },
  )
}

async function checkCommitters(
  git: GitSetting,
  heads: readonly CommitId[],
  reserved: string,
  timeoutMs: number,
): Promise<void> {
  const args = ['rev-list', '--no-commit-header', '--format=%H %ce', ...heads, '--not', '--all']
  await stream(git, args, timeoutMs, '\n', (record) => {
    const line = record.toString('utf8')
    if (line.slice(41).trim().toLowerCase() === reserved.toLowerCase())
      throw new RemoteError(
        'unsafe-content',
        `Commit ${line.slice(0, 40)} has the committer ${reserved}, which is reserved for commits by the service. Commit it again with your own address (git config user.email).`,
      )
  })
}

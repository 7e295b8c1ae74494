/** Maintains a repository: packs objects and refs, and deletes garbage, without endangering writes in progress. */
import { errorCode } from '../../kernel/thrown.js'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, inParallel, syncPath } from '../objects/disk.js'
import { isLooseFolder, loosePath } from '../objects/loose.js'
import { joinPacks, smallPacksIn } from '../objects/small-packs.js'
import type { Launcher } from '../process/launcher.js'
import { readMark, stateOf, writeMark } from './change-mark.js'

const DAY_MS = 86_400_000
/** Minimum age of unreachable objects before they are deleted: a write may be about to use younger ones. */
const GRACE = '2.weeks.ago'
const GRACE_MS = 14 * DAY_MS
/**
 * Time limits in milliseconds for commands that run alongside writers, and for commands during which writers must wait.
 */
const LONG_MS = 3_600_000
const SHORT_MS = 120_000
/** Numbers of loose objects, packs, and loose refs at which packing starts. */
const MANY_LOOSE = 1000
const MANY_PACKS = 16
const MANY_REFS = 200
/**
 * Minimum total size of the pack indexes (about 1,100 objects) at which a commit graph is written. Below it, Git walks
 * the history as fast without one, and writing it needs a process.
 */
const GRAPHED_BYTES = 32 * 1024
/** Content of the `.keep` files of maintenance. Those of writes have other content. */
const OURS = 'bindery\n'

/** The services and settings for maintenance. */
interface Upkeep {
  launcher: Launcher
  disk: Disk
  /** Runs work while no process writes to the repository. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Runs work that packs refs while this process moves no ref of the repository. */
  packingRefs<T>(work: () => Promise<T>): Promise<T>
  /** Removes the `.keep` files of interrupted writes. */
  recoverKept(): void
  /** Whether to pack and delete even small amounts. */
  thorough: boolean
}

/**
 * Packs loose objects and refs, and deletes objects that have been unreachable for two weeks. Does nothing if neither
 * objects nor refs have changed. Packing only adds files, so it runs alongside writers. Writers must wait while packs
 * are removed whose objects are in another pack, and while garbage is deleted. Garbage is determined earlier, so its
 * time is checked again: using an object renews its time.
 */
export async function maintain(repository: string, upkeep: Upkeep): Promise<void> {
  const before = await readMark(repository)
  const due =
    !before || before.state !== (await stateOf(repository)) || (before.loose > 0 && Date.now() - before.at > GRACE_MS)
  if (!due && !upkeep.thorough) return
  const git = (args: readonly string[], timeoutMs = LONG_MS) =>
    upkeep.launcher.mustRun(args, { cwd: repository, timeoutMs })
  await removeKeeps(repository)
  upkeep.recoverKept()
  if (upkeep.thorough || (await countRefs(repository)) >= MANY_REFS) await packRefs(repository, upkeep, git)
  if (upkeep.thorough || (await looseObjects(repository)).length >= MANY_LOOSE) await packLoose(repository, upkeep, git)
  await joinSmallPacks(repository, upkeep)
  if (upkeep.thorough || (await packsOf(repository)).length >= MANY_PACKS) await packTogether(repository, upkeep, git)
  await dropGarbage(repository, upkeep, git)
  if (upkeep.thorough || (await indexBytes(repository)) >= GRAPHED_BYTES)
    await git(['commit-graph', 'write', '--reachable', '--no-progress'])
  await writeMark(repository, {
    state: await stateOf(repository),
    at: Date.now(),
    loose: (await looseObjects(repository)).length,
  })
}

type RunGit = (args: readonly string[], timeoutMs?: number) => Promise<Buffer>

/** Packs refs. Loose refs are removed only after packed-refs was synced. */
async function packRefs(repository: string, { disk, packingRefs }: Upkeep, git: RunGit): Promise<void> {
  await packingRefs(async () => {
    await git(['pack-refs', '--all', '--no-prune'], SHORT_MS)
    await syncPath(disk, repository)
    await git(['pack-refs', '--all', '--prune'], SHORT_MS)
    await syncPath(disk, repository)
  })
}

async function packLoose(repository: string, { disk }: Upkeep, git: RunGit): Promise<void> {
  await git(['repack', '-l', '-q', '-n'])
  await syncPath(disk, join(repository, 'objects/pack'))
  await git(['prune-packed', '-q'])
}

/** Joins the packs of write batches without Git, so that their number does not cause a full repack. */
async function joinSmallPacks(repository: string, { disk, exclusive }: Upkeep): Promise<void> {
  const folder = join(repository, 'objects/pack')
  const small = await smallPacksIn(folder)
  if (small.length > 1) await exclusive(() => joinPacks(disk, folder, small))
}

/**
 * Packs all reachable objects into one new pack, then removes the other packs. Young unreachable objects become loose.
 */
async function packTogether(repository: string, { disk, exclusive }: Upkeep, git: RunGit): Promise<void> {
  const folder = join(repository, 'objects/pack')
  const old = new Set(await packsOf(repository))
  await git(['repack', '-a', '-l', '-q', '-n', '--no-write-bitmap-index'])
  const keeps = (await packsOf(repository))
    .filter((name) => !old.has(name))
    .map((name) => join(folder, name.replace(/\.pack$/, '.keep')))
  for (const keep of keeps) await writeFile(keep, OURS)
  await syncPath(disk, folder)
  try {
    const drop = ['repack', '-A', '-d', '-l', '-q', '-n', '--no-write-bitmap-index', `--unpack-unreachable=${GRACE}`]
    await exclusive(() => git(drop, SHORT_MS))
    await syncPath(disk, folder)
  } finally {
    for (const keep of keeps) await rm(keep, { force: true })
  }
}

async function dropGarbage(repository: string, { disk, exclusive }: Upkeep, git: RunGit): Promise<void> {
  const isOld = async (path: string): Promise<boolean> =>
    ((await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - GRACE_MS
  const loose = await looseObjects(repository)
  const old = new Set<string>()
  await inParallel(loose, 8, async (path) => {
    if (await isOld(path)) old.add(path)
  })
  const temporary = [...old].filter((path) => path.includes('/tmp_obj_'))
  for (const path of temporary) await disk.unlink(path).catch(() => {})
  if (old.size === temporary.length) return
  const listed = (await git(['prune', '--dry-run', `--expire=${GRACE}`])).toString('latin1')
  const garbage = listed.split('\n').flatMap((line) => /^[0-9a-f]{40}(?= )/.exec(line) ?? [])
  const paths = garbage.map((oid) => loosePath(join(repository, 'objects'), oid))
  await exclusive(() =>
    inParallel(paths, 8, async (path) => {
      if (await isOld(path)) await disk.unlink(path)
    }),
  )
}

/** Returns the paths of loose objects, and of temporary files of their writers. */
async function looseObjects(repository: string): Promise<string[]> {
  const objects = join(repository, 'objects')
  const folders = (await readdir(objects)).filter(isLooseFolder)
  const names = folders.map(async (folder) =>
    (await readdir(join(objects, folder)).catch(() => [])).map((name) => join(objects, folder, name)),
  )
  return (await Promise.all(names)).flat()
}

const packsOf = async (repository: string): Promise<string[]> =>
  (await readdir(join(repository, 'objects/pack'))).filter((name) => name.endsWith('.pack'))

async function indexBytes(repository: string): Promise<number> {
  const folder = join(repository, 'objects/pack')
  const sizes = (await readdir(folder))
    .filter((name) => name.endsWith('.idx'))
    .map(async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const countRefs = async (repository: string): Promise<number> =>
  (await readdir(join(repository, 'refs'), { recursive: true })).length

/** Removes the `.keep` files of an interrupted maintenance. */
async function removeKeeps(repository: string): Promise<void> {
  const folder = join(repository, 'objects/pack')
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.keep'))) {
    const text = await readFile(join(folder, name), 'utf8').catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      return ''
    })
    if (text === OURS) await rm(join(folder, name), { force: true })
  }
}

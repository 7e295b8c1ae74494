import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Disk, errorCode, inParallel, syncPath } from '../objects/disk.js'
import { loosePath } from '../objects/loose.js'
import type { Launcher } from '../process/launcher.js'
import { readMark, stateOf, writeMark } from './change-mark.js'

const DAY_MS = 86_400_000
/** Unreachable objects younger than this survive: a write may be about to name them. */
const GRACE = '2.weeks.ago'
const GRACE_MS = 14 * DAY_MS
/** Milliseconds for what runs beside writers, and for what holds them off. */
const LONG_MS = 3_600_000
const SHORT_MS = 120_000
/** What is worth the work: so many loose objects are packed, so many packs are made one, so many loose refs are packed. */
const MANY_LOOSE = 1000
const MANY_PACKS = 16
const MANY_REFS = 200
const OURS = 'bindery\n'

export interface Upkeep {
  launcher: Launcher
  disk: Disk
  /** Runs work with the repository's writers held off. */
  exclusive<T>(work: () => Promise<T>): Promise<T>
  /** Runs work while no ref of ours moves. */
  betweenMoves<T>(work: () => Promise<T>): Promise<T>
  /** Packs and drops what can be, however little it is. */
  thorough: boolean
}

/**
 * Packs what is loose and drops what nothing has named for two weeks; nothing at all where neither objects nor refs have changed.
 * Packing only adds, so it runs beside writers. Held off they are while packs that another holds are removed, and while
 * files are deleted that were found to be garbage before and have not been dated anew since: whoever uses an object dates it.
 */
export async function maintain(repository: string, upkeep: Upkeep): Promise<void> {
  const before = await readMark(repository)
  const due = !before || before.state !== (await stateOf(repository)) || (before.loose > 0 && Date.now() - before.at > GRACE_MS)
  if (!due && !upkeep.thorough) return
  const git = (args: readonly string[], timeoutMs = LONG_MS) => upkeep.launcher.mustRun(args, { cwd: repository, timeoutMs })
  await forgetKeeps(repository)
  if (upkeep.thorough || (await countRefs(repository)) >= MANY_REFS) await packRefs(repository, upkeep, git)
  if (upkeep.thorough || (await looseObjects(repository)).length >= MANY_LOOSE) await packLoose(repository, upkeep, git)
  if (upkeep.thorough || (await packsOf(repository)).length >= MANY_PACKS) await joinPacks(repository, upkeep, git)
  await dropGarbage(repository, upkeep, git)
  await git(['commit-graph', 'write', '--reachable', '--no-progress'])
  await writeMark(repository, { state: await stateOf(repository), at: Date.now(), loose: (await looseObjects(repository)).length })
}

type RunGit = (args: readonly string[], timeoutMs?: number) => Promise<Buffer>

/** The loose files go only when the packed one is on the disk under its name. */
async function packRefs(repository: string, { disk, betweenMoves }: Upkeep, git: RunGit): Promise<void> {
  await betweenMoves(async () => {
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

/** All that is reachable goes into one new pack, which is then kept while the others are removed; what is unreachable and young becomes loose. */
async function joinPacks(repository: string, { disk, exclusive }: Upkeep, git: RunGit): Promise<void> {
  const folder = join(repository, 'objects/pack')
  const old = new Set(await packsOf(repository))
  await git(['repack', '-a', '-l', '-q', '-n', '--no-write-bitmap-index'])
  const keeps = (await packsOf(repository)).filter((name) => !old.has(name)).map((name) => join(folder, name.replace(/\.pack$/, '.keep')))
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
  const isOld = async (path: string): Promise<boolean> => ((await stat(path).catch(() => null))?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - GRACE_MS
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

/** Paths of loose objects, and of files that were to become such. */
async function looseObjects(repository: string): Promise<string[]> {
  const objects = join(repository, 'objects')
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const names = folders.map(async (folder) => (await readdir(join(objects, folder)).catch(() => [])).map((name) => join(objects, folder, name)))
  return (await Promise.all(names)).flat()
}

const packsOf = async (repository: string): Promise<string[]> => (await readdir(join(repository, 'objects/pack'))).filter((name) => name.endsWith('.pack'))

const countRefs = async (repository: string): Promise<number> => (await readdir(join(repository, 'refs'), { recursive: true })).length

/** A run that was cut short leaves its mark at the pack that it had made. */
async function forgetKeeps(repository: string): Promise<void> {
  const folder = join(repository, 'objects/pack')
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.keep'))) {
    const text = await readFile(join(folder, name), 'utf8').catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error
      return ''
    })
    if (text === OURS) await rm(join(folder, name), { force: true })
  }
}

/** The location of the temporary files of a run: in memory if there is enough of it. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './compile.js'
import { SHARED_FOLDER } from './shared-path.js'

const MEMORY = '/dev/shm'
const PREFIX = 'bindery-tests-'
const LEFT = new RegExp(`^${PREFIX}(\\d+)-`)
/** In bytes. A whole run needs less than half of it. */
const ENOUGH = 4 * 1024 ** 3

/**
 * Creates the folder and sets `TMPDIR`, which every process of the run inherits. On a disk, a third of the run would be
 * spent on syncs although no test cuts its power: durability tests count the calls or simulate the loss. An existing
 * `TMPDIR` is kept.
 */
export function temporaryFolder(): { remove(): void } {
  if (process.env.TMPDIR !== undefined) return withSharedFolder(process.env.TMPDIR, () => {})
  const parent = hasRoom(MEMORY) ? MEMORY : tmpdir()
  removeLeftovers(parent)
  const dir = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`))
  process.env.TMPDIR = dir
  return withSharedFolder(dir, () => rmSync(dir, { recursive: true, force: true }))
}

/** Creates the folder that all processes of the run share. */
function withSharedFolder(parent: string, remove: () => void): { remove(): void } {
  const shared = mkdtempSync(join(parent, 'bindery-run-'))
  process.env[SHARED_FOLDER] = shared
  return {
    remove: () => {
      rmSync(shared, { recursive: true, force: true })
      remove()
    },
  }
}

/** Removes the folders of killed runs, which use memory. A test may have mounted a small disk there. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = LEFT.exec(name) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    for (const mount of mountsBelow(join(parent, name))) spawnSync('umount', ['--lazy', mount])
    rmSync(join(parent, name), { recursive: true, force: true })
  }
}

/** The mount points below a folder. None if the system does not list them. */
function mountsBelow(folder: string): string[] {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  return mounts.flatMap((line) => line.split(' ')[1] ?? []).filter((point) => point.startsWith(`${folder}/`))
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > ENOUGH
  } catch {
    return false
  }
}

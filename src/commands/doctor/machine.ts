/** Checks of the machine: programs, disks, permissions. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, open, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Config } from '../../config.js'
import { roomOf } from '../../disk/folder-watch.js'
import { checkGitVersion } from '../../git/index.js'
import { errorCode } from '../../kernel/thrown.js'
import { findEngine } from '../../printing/index.js'
import { type Check, type Finding, note, ok, problem } from './check.js'

const MIB = 1024 * 1024

/** The folders of the settings. */
const foldersOf = ({ dataDir, reposDir }: Config) => [
  { setting: 'BINDERY_DATA_DIR', path: dataDir },
  { setting: 'BINDERY_REPOS_DIR', path: reposDir },
]

/** Returns the folder, or the closest one above it that exists: the first start creates the rest. */
const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

const node: Check = {
  name: 'Node.js',
  async run() {
    const { engines }: { engines: { node: string } } = createRequire(import.meta.url)('../../../package.json')
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
    const ranges = [...engines.node.matchAll(/\^(\d+)\.(\d+)/g)].map(([, from, least]) => [Number(from), Number(least)])
    const fits = ranges.some(([from, least = 0]) => from === major && minor >= least)
    return fits
      ? ok(process.version)
      : problem(
          `${process.version} is not supported`,
          `Install Node.js ${ranges.map((one) => one.join('.')).join(', ')} or a later minor version.`,
        )
  },
}

const git: Check = {
  name: 'Git',
  async run() {
    return ok(await checkGitVersion(tmpdir()))
  },
}

const flock: Check = {
  name: 'flock',
  async run() {
    if (process.platform === 'darwin') return ok('macOS locks files without it')
    try {
      await promisify(execFile)('flock', ['--version'])
      return ok('available')
    } catch (error) {
      // busybox has no --version.
      if (errorCode(error) !== 'ENOENT') return ok('available')
      return problem('the command is missing, so no server can start', 'Install the package util-linux.')
    }
  },
}

const ENGINE_MS = 90_000

const chromium: Check = {
  name: 'Chromium',
  limitMs: ENGINE_MS,
  async run({ chromium: setting }, signal) {
    const folder = await mkdtemp(join(tmpdir(), 'bindery-doctor-'))
    try {
      const engine = await findEngine(setting, folder, signal)
      if (engine) return ok(engine.version)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    const remedy = 'Install the package chromium-headless-shell or chromium.'
    return setting === null
      ? note(`none prints on this machine, so there are no PDFs and no pictures for link previews. ${remedy}`)
      : problem(`${setting} of BINDERY_CHROMIUM does not print`, `Correct the setting, or remove it. ${remedy}`)
  },
}

const space: Check = {
  name: 'disk space',
  async run(config) {
    const found = await Promise.all(
      foldersOf(config).map(async ({ setting, path }) => {
        const { free, isLow } = await roomOf(existing(path))
        return { text: `${setting} has ${Math.floor(free / MIB).toLocaleString('en')} MiB free`, isLow }
      }),
    )
    const text = found.map((one) => one.text).join(', ')
    return found.some(({ isLow }) => isLow)
      ? problem(text, 'Enlarge the disk, or delete files: 2 GiB or 5 % should be free.')
      : ok(text)
  },
}

const SYNCS = 25
/** Duration of a sync above which every edit feels slow, in milliseconds. */
const SLOW_SYNC_MS = 30

const sync: Check = {
  name: 'disk speed',
  async run(config) {
    const found: { text: string; slow: boolean }[] = []
    for (const { setting, path } of foldersOf(config)) {
      const ms = await measureSync(existing(path))
      found.push({ text: `${setting} syncs in ${ms.toFixed(1)} ms`, slow: ms > SLOW_SYNC_MS })
    }
    const text = found.map((one) => one.text).join(', ')
    return found.some(({ slow }) => slow)
      ? problem(text, 'Every write waits for two to four syncs. Use a local SSD, not a network disk.')
      : ok(text)
  },
}

/** Returns the median duration of a small write with fdatasync in a folder, in milliseconds. */
async function measureSync(folder: string): Promise<number> {
  const path = join(folder, `.probe-doctor-${process.pid}`)
  const file = await open(path, 'w', 0o600)
  const times: number[] = []
  try {
    for (let n = 0; n < SYNCS; n++) {
      const from = performance.now()
      await file.write(Buffer.alloc(4096, n))
      await file.datasync()
      times.push(performance.now() - from)
    }
  } finally {
    await file.close()
    await rm(path, { force: true })
  }
  return times.sort((a, b) => a - b)[Math.floor(SYNCS / 2)] ?? 0
}

/** Maximum number of files whose owner is compared. */
const MAX_FILES = 20_000

const permissions: Check = {
  name: 'permissions',
  async run(config) {
    const user = process.getuid?.()
    if (user === undefined) return note('this system has no file owners')
    for (const { setting, path } of foldersOf(config)) {
      if (!existsSync(path)) continue
      const found = await foreignFile(path, user)
      if (found !== null)
        return problem(
          `${found} belongs to another user than this process (${user})`,
          `Run the command as the user of the server. If that is this user: chown -R ${user} ${path} (${setting}).`,
        )
      const { mode } = await lstat(path)
      if ((mode & 0o077) !== 0) return problem(`other users can open ${path} (${setting})`, `chmod 700 ${path}`)
    }
    return rootFinding(user)
  },
}

const rootFinding = (user: number): Finding =>
  user === 0
    ? note('the process runs as root. A user without rights is safer: see the systemd unit in docs/administration.md')
    : ok('all files belong to the user of this process')

/** Returns a file that belongs to another user; null if there is none among the first files. */
async function foreignFile(root: string, user: number): Promise<string | null> {
  const waiting = [root]
  let seen = 0
  for (let at = waiting.pop(); at !== undefined && seen < MAX_FILES; at = waiting.pop()) {
    const stat = await lstat(at).catch(() => null)
    if (stat === null) continue
    seen++
    if (stat.uid !== user) return at
    if (!stat.isDirectory()) continue
    for (const name of await readdir(at).catch((): string[] => [])) waiting.push(join(at, name))
  }
  return null
}

export const machineChecks: readonly Check[] = [node, git, flock, chromium, space, sync, permissions]

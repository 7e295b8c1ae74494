/**
 * Scratch repositories: the data fetched from remotes whose spaces import only a folder. There is one per remote and
 * owner. Each can be deleted at any time.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteError } from '../errors.js'
import { bytesBelow } from '../lifecycle/paths.js'
import { exists } from '../objects/disk.js'

/** The folder of all scratch repositories, inside the repositories folder. */
const FOLDER = '.remotes'
/** Maximum age in milliseconds after the last use. */
const MAX_AGE_MS = 30 * 24 * 3_600_000
/** A repository with more packs is recreated, because each pack slows down every read. */
const MAX_PACKS = 200
/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = all\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'

/** A request for a scratch repository. */
interface ScratchUse {
  /** The URL without credentials. */
  url: string
  /** The owner. Two owners never share a repository, so neither can find out what the other has fetched. */
  owner: string
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** The scratch repositories of a service. */
export class RemoteScratches {
  readonly #root: string
  /** The end of the last requested use, by name. */
  // bound: active and waiting uses
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(
    reposDir: string,
    /** Maximum total size of all scratch repositories in bytes. The least recently used ones are deleted. */
    readonly maxBytes: number,
  ) {
    this.#root = join(reposDir, FOLDER)
  }

  /**
   * Runs work on the scratch repository of a remote, and creates it if there is none. No other task uses it at the same
   * time. Throws `RemoteError` 'timeout' or 'cancelled' if other tasks use it for too long.
   */
  async use<T>({ url, owner, timeoutMs, signal }: ScratchUse, work: (path: string) => Promise<T>): Promise<T> {
    const name = createHash('sha256')
      .update(JSON.stringify([owner, url]))
      .digest('hex')
      .slice(0, 40)
    const { givenUp, stop } = rejectAfter(timeoutMs, signal)
    const begun = async (): Promise<T> => {
      stop()
      return work(await this.#ready(join(this.#root, name)))
    }
    try {
      return await this.#inTurn(name, begun, givenUp)
    } finally {
      stop()
    }
  }

  /**
   * Runs work after all earlier work on the same scratch repository, unless `givenUp` rejects first. A caller that
   * gives up leaves at once. Later callers still wait for the earlier ones.
   */
  async #inTurn<T>(name: string, work: () => Promise<T>, givenUp?: Promise<never>): Promise<T> {
    const before = this.#turns.get(name) ?? Promise.resolve()
    const turn = (givenUp ? Promise.race([givenUp, before]) : before).then(work)
    const over = Promise.allSettled([before, turn])
    this.#turns.set(name, over)
    try {
      return await turn
    } finally {
      over.then(() => this.#turns.get(name) === over && this.#turns.delete(name))
    }
  }

  /** Deletes and recreates a scratch repository that the caller uses, because something in it is missing or damaged. */
  async renew(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true })
    await this.#ready(path)
  }

  /**
   * Deletes scratch repositories that were not used for 30 days. While the total exceeds `maxBytes`, deletes the least
   * recently used ones as well. Returns the number of bytes freed.
   */
  async trim(now = Date.now(), maxBytes = this.maxBytes): Promise<number> {
    let freed = 0
    const names = (await readdir(this.#root).catch(() => [])).filter((name) => !this.#turns.has(name))
    const found = await Promise.all(
      names.map(async (name) => ({
        name,
        bytes: await bytesBelow(join(this.#root, name)),
        used: await usedAt(join(this.#root, name)),
      })),
    )
    let total = found.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { name, bytes, used } of found.sort((a, b) => a.used - b.used)) {
      if (now - used < MAX_AGE_MS && total <= maxBytes) continue
      // Another task has started to use it. Skip it.
      if (this.#turns.has(name)) continue
      await this.#inTurn(name, () => rm(join(this.#root, name), { recursive: true, force: true }))
      total -= bytes
      freed += bytes
    }
    return freed
  }

  async #ready(path: string): Promise<string> {
    if (await isUsable(path)) await removeLeftovers(path)
    else await makeEmpty(path)
    const now = new Date()
    await utimes(join(path, 'HEAD'), now, now)
    return path
  }
}

/** Whether the repository can be used. HEAD is written last, so a repository without HEAD is unfinished. */
async function isUsable(path: string): Promise<boolean> {
  if (!(await exists(join(path, 'HEAD')))) return false
  return (await readdir(join(path, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length <= MAX_PACKS
}

async function makeEmpty(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'maps'])
    await mkdir(join(path, folder), { recursive: true, mode: 0o700 })
  await writeFile(join(path, 'config'), CONFIG)
  await writeFile(join(path, 'HEAD'), 'ref: refs/heads/none\n')
}

/** Deletes leftovers of killed processes. No other task uses the repository at this time. */
async function removeLeftovers(path: string): Promise<void> {
  const left = [
    ...(await readdir(path)).filter((name) => name.endsWith('.lock')).map((name) => join(path, name)),
    ...(await readdir(join(path, 'refs/heads')))
      .filter((name) => name.endsWith('.lock'))
      .map((name) => join(path, 'refs/heads', name)),
    ...(await readdir(join(path, 'objects')))
      .filter((name) => name.startsWith('tmp_'))
      .map((name) => join(path, 'objects', name)),
    ...(await readdir(join(path, 'objects/pack')))
      .filter((name) => /^\.?tmp[_-]/.test(name))
      .map((name) => join(path, 'objects/pack', name)),
  ]
  for (const one of left) await rm(one, { recursive: true, force: true })
  await mkdir(join(path, 'maps'), { recursive: true, mode: 0o700 })
}

const usedAt = (path: string): Promise<number> =>
  stat(join(path, 'HEAD')).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

/** Returns a promise that rejects when the time is over or the signal is aborted, until it is stopped. */
function rejectAfter(
  timeoutMs: number,
  signal: AbortSignal | undefined,
): { givenUp: Promise<never>; stop: () => void } {
  let giveUp: (why: RemoteError) => void = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Prevent an unhandled rejection if no one waits for it.
  givenUp.catch(() => {})
  const cancel = (): void => giveUp(new RemoteError('cancelled', 'The operation was canceled.'))
  const timer = setTimeout(
    () =>
      giveUp(new RemoteError('timeout', 'Other operations with the same repository took too long. Try again later.')),
    Math.min(timeoutMs, MAX_TIMER_MS),
  )
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  const stop = (): void => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
  return { givenUp, stop }
}

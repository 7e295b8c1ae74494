/** Scratch repositories hold what was fetched from remotes whose spaces import only a folder: one per remote and owner; each can be deleted at any time. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteError } from '../errors.js'
import { bytesBelow } from '../lifecycle/paths.js'
import { exists } from '../objects/disk.js'

/** The folder of all scratch repositories, in that of the repositories. */
const FOLDER = '.remotes'
/** Milliseconds after its last use. */
const MAX_AGE_MS = 30 * 24 * 3_600_000
/** One with more packs is made anew, since each of them costs every later read. */
const MAX_PACKS = 200
/** More than a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = true\n\tfsync = all\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n'

/** Which scratch repository is meant, and how long is waited for it. */
interface ScratchUse {
  /** URL without credentials. */
  url: string
  /** Whose it is: two owners never share one, so neither can learn what the other has fetched. */
  owner: string
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** The scratch repositories of a service. */
export class RemoteScratches {
  readonly #root: string
  /** The end of the last use that was asked for, by name. */
  // bound: uses under way and those that wait
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(
    reposDir: string,
    /** Bytes of all together, beyond which those that were not used for the longest time are deleted. */
    readonly maxBytes: number,
  ) {
    this.#root = join(reposDir, FOLDER)
  }

  /**
   * Runs work on the scratch repository of a remote, which is made if there is none; nobody else uses it meanwhile. Throws `RemoteError` 'timeout' or
   * 'cancelled' if others use it for too long.
   */
  async use<T>({ url, owner, timeoutMs, signal }: ScratchUse, work: (path: string) => Promise<T>): Promise<T> {
    const name = createHash('sha256')
      .update(JSON.stringify([owner, url]))
      .digest('hex')
      .slice(0, 40)
    const { givenUp, stop } = patience(timeoutMs, signal)
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
   * Runs work when all work on the same scratch repository that was asked for before has ended, unless `givenUp` is rejected before that. Who gives up leaves at
   * once; those who came later still wait for those before.
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

  /** Deletes a scratch repository that is in use, because something in it is missing or damaged, and makes it anew. */
  async renew(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true })
    await this.#ready(path)
  }

  /** Deletes those that were not used for 30 days, and the longest unused ones while all together have more than `maxBytes`. Returns the bytes that it freed. */
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
      // Whoever came to use it meanwhile has it now.
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

/** HEAD is written last, so what has none was not finished. */
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

/** Deletes what processes left that were killed: nobody else uses the repository now. */
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

/** A promise that is rejected when the time is over or the signal is aborted, until it is stopped. */
function patience(timeoutMs: number, signal: AbortSignal | undefined): { givenUp: Promise<never>; stop: () => void } {
  let giveUp: (why: RemoteError) => void = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject
  })
  // Nobody may be waiting for it any more.
  givenUp.catch(() => {})
  const cancel = (): void => giveUp(new RemoteError('cancelled', 'The operation was cancelled.'))
  const timer = setTimeout(
    () =>
      giveUp(new RemoteError('timeout', 'Other operations with the same repository took too long; try again later.')),
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

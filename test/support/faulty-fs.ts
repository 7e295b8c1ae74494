import { setImmediate as breathe } from 'node:timers/promises'
import type { Lock } from '../../src/disk/folder-lock.js'
import type { FileSystem, OpenFile } from '../../src/store/index.js'

/** The way in which a call fails: before any effect, with half of its data written, or after its full effect. */
export type Failing = 'before' | 'half' | 'after'

/**
 * A file system in which single calls fail, by their number. All other calls are passed to the underlying file system.
 */
export class FaultyFs implements FileSystem {
  /** Number of calls so far. */
  calls = 0
  /** The numbers of the calls that fail. */
  failsAt: (call: number) => boolean = () => false
  #underWay = 0
  #whenNone: (() => void)[] = []
  /** Descriptions of the failed calls. */
  readonly failed: string[] = []

  constructor(
    readonly below: FileSystem,
    readonly how: Failing,
  ) {}

  async #call<R>(
    name: string,
    work: () => Promise<R>,
    half: () => Promise<unknown> = async () => undefined,
  ): Promise<R> {
    this.#underWay++
    try {
      if (!this.failsAt(this.calls++)) return await work()
      this.failed.push(name)
      if (this.how === 'after') await work()
      if (this.how === 'half') await half()
      throw Object.assign(new Error(`injected: ${name}`), { code: 'EIO' })
    } finally {
      if (--this.#underWay === 0) for (const wake of this.#whenNone.splice(0)) wake()
    }
  }

  /** Resolves when no call is running and none follows from earlier ones. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 4; turns++) {
      if (this.#underWay > 0) {
        // Turns of the event loop would cost more than the work while a disk is busy.
        await new Promise<void>((done) => this.#whenNone.push(done))
        turns = 0
      }
      await breathe()
    }
  }

  async open(path: string, mode: 'append' | 'create'): Promise<OpenFile> {
    // A failed open returns no file, so there is no 'after' that a caller could close.
    const file = await this.#call(`open ${path}`, () =>
      this.how === 'after' && this.failsAt(this.calls - 1)
        ? closed(this.below, path, mode)
        : this.below.open(path, mode),
    )
    return {
      append: (data) =>
        this.#call(
          `append ${path}`,
          () => file.append(data),
          () => file.append(data.subarray(0, data.length >> 1)),
        ),
      truncate: (length) => this.#call(`truncate ${path}`, () => file.truncate(length)),
      datasync: () => this.#call(`datasync ${path}`, () => file.datasync()),
      close: async () => {
        await file.close()
        await this.#call(`close ${path}`, async () => undefined)
      },
    }
  }
  readFile = (path: string): Promise<Buffer> => this.#call(`readFile ${path}`, () => this.below.readFile(path))
  readLater = (path: string): Promise<Buffer> => this.#call(`readLater ${path}`, () => this.below.readLater(path))
  size = (path: string): Promise<number> => this.#call(`size ${path}`, () => this.below.size(path))
  readdir = (path: string): Promise<string[]> => this.#call(`readdir ${path}`, () => this.below.readdir(path))
  mkdir = (path: string): Promise<void> => this.#call(`mkdir ${path}`, () => this.below.mkdir(path))
  rename = (from: string, to: string): Promise<void> => this.#call(`rename ${to}`, () => this.below.rename(from, to))
  unlink = (path: string): Promise<void> => this.#call(`unlink ${path}`, () => this.below.unlink(path))
  syncDir = (path: string): Promise<void> => this.#call(`syncDir ${path}`, () => this.below.syncDir(path))
  lock = (dir: string, path: string): Lock => this.below.lock(dir, path)
}

/** Counts opens and closes: the file that a failed open leaves open. */
async function closed(fs: FileSystem, path: string, mode: 'append' | 'create'): Promise<OpenFile> {
  const file = await fs.open(path, mode)
  await file.close()
  return file
}

import { setImmediate as breathe } from 'node:timers/promises'
import type { Lock } from '../../src/disk/folder-lock.js'
import type { FileSystem, OpenFile } from '../../src/store/index.js'

/** How a call fails: before it did anything, with half of its data written, or though it did all that was asked. */
export type Failing = 'before' | 'half' | 'after'

/** A file system in which single calls fail, by their number; everything else is passed to the one below. */
export class FaultyFs implements FileSystem {
  /** Calls so far. */
  calls = 0
  /** The numbers of the calls that fail. */
  failsAt: (call: number) => boolean = () => false
  #underWay = 0
  #whenNone: (() => void)[] = []
  /** What failed, in words. */
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

  /** Resolves when nothing is under way, nor follows from what was. */
  async quiet(): Promise<void> {
    for (let turns = 0; turns < 4; turns++) {
      if (this.#underWay > 0) {
        // Turns of the event loop while a disk works would cost more than the work.
        await new Promise<void>((done) => this.#whenNone.push(done))
        turns = 0
      }
      await breathe()
    }
  }

  async open(path: string, mode: 'append' | 'create'): Promise<OpenFile> {
    // An open that fails hands out no file: there is no 'after' that one could close.
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

/** Opens and closes: what an open leaves of which the caller hears that it failed. */
async function closed(fs: FileSystem, path: string, mode: 'append' | 'create'): Promise<OpenFile> {
  const file = await fs.open(path, mode)
  await file.close()
  return file
}

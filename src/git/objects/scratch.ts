/** Folders outside of a repository that take the objects of its merges until a merge is committed or given up. */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { newId } from '../../kernel/ids.js'
import { borrowingObjects } from '../process/environment.js'
import type { Environment } from '../process/messages.js'
import type { EncodedObject } from './hash.js'
import { type HeldByName, type HeldObject, HeldObjects } from './held-objects.js'
import { deflated, findLoose, loosePath, type RawObject } from './loose.js'

/** A folder is used for this many merges, or until it contains this many bytes; then a new one is begun. */
const MAX_USES = 1000
const MAX_BYTES = 64 * 1024 * 1024
/** The size of the folder is measured after so many merges: the fewer, the nearer it is to being full. */
const USES_PER_MEASURE = { least: 16, most: 128 }
/** How long a folder is kept after its last merge began, in milliseconds: until then its results were read or committed. */
const RETIRED_MS = 600_000
const MAX_REPOSITORIES = 32

/** A folder to which Git writes objects instead of to the repository, whose objects it still reads. */
export interface ScratchFolder {
  /** Tells it from every other of the same process. */
  readonly name: string
  readonly path: string
  /** Environment that makes Git write to it. */
  readonly env: Environment
}

interface Live extends ScratchFolder {
  uses: number
  full: boolean
  /** After how many uses it is measured next. */
  measureAt: number
  /** Of the files that were counted. */
  bytes: number
  /** Their names: objects do not change, so each is measured once. */
  // bound: MAX_USES merges
  readonly counted: Set<string>
}

/**
 * The objects that merges of one repository make: in memory until a Git process may have to read them, then outside of the repository, not synced, deleted when the process ends. If a merge
 * is committed, its objects are verified and copied durably into the repository; otherwise they never get there.
 */
export class Scratch {
  #live: Promise<Live> | null = null
  /** Folders that still exist, the newest first. */
  readonly #readable: ScratchFolder[] = []
  // bound: that of `HeldObjects`
  readonly #held: HeldByName = new Map()

  constructor(
    readonly repository: string,
    readonly all: Scratches,
  ) {}

  /** Keeps objects that only this process reads: in memory, or in the folder if there is no room. */
  async keep(objects: readonly HeldObject[]): Promise<void> {
    if (objects.length === 0 || this.all.held.hold(this.#held, objects)) return
    await this.put(
      await this.folder(() => {}),
      objects.map(({ object }) => object),
    )
  }

  /**
   * The folder for the next merge, with all that was kept in memory. If the one before is full, `replaced` is called with it; it can be read for some
   * more minutes.
   */
  async folder(replaced: (before: ScratchFolder) => void): Promise<ScratchFolder> {
    const folder = await this.#next(replaced)
    const held = this.#held
    if (held.size === 0) return folder
    const objects = [...held.values()]
    await this.put(
      folder,
      objects.map(({ object }) => object),
    )
    this.all.held.release(held, objects)
    return folder
  }

  async #next(replaced: (before: ScratchFolder) => void): Promise<Live> {
    const current = this.#live
    const before = await current
    if (before && (before.full || before.uses >= MAX_USES) && current === this.#live) {
      this.close()
      replaced(before)
    }
    this.#live ??= this.#begin()
    this.all.noteUse(this)
    const live = await this.#live
    if (++live.uses === live.measureAt) {
      live.measureAt = Number.POSITIVE_INFINITY
      void measure(live)
    }
    return live
  }

  /** Stops using the current folder. It can be read for some more minutes. */
  close(): void {
    const live = this.#live
    this.#live = null
    const gone = (folder: ScratchFolder) => this.#readable.splice(this.#readable.indexOf(folder), 1)
    live?.then((folder) => this.all.retire(folder, () => gone(folder))).catch(() => {})
  }

  /** Writes objects into a folder, for Git to read. */
  async put(folder: ScratchFolder, objects: readonly EncodedObject[]): Promise<void> {
    for (const object of objects) {
      const path = loosePath(folder.path, object.oid)
      await mkdir(dirname(path), { recursive: true })
      // Renamed only when it is complete: Git may be reading.
      const temporary = `${path}-${newId()}`
      await writeFile(temporary, await deflated(object), { mode: 0o444 })
      await rename(temporary, path)
    }
  }

  /** A tree or blob that a merge made, verified; null if there is none. The commits here are only input for Git's merge, so they are never returned. */
  async find(oid: string, maxBytes: number): Promise<RawObject | null> {
    const held = this.#held.get(oid)
    if (held) return { type: held.type, content: bufferOf(held.object.content) }
    for (const { path } of [...this.#readable]) {
      const found = await findLoose(path, oid, maxBytes, { verify: true })
      if (found && found.type !== 'commit') return found
    }
    return null
  }

  /** Whether a merge of this process made the object. */
  async has(oid: string): Promise<boolean> {
    if (this.#held.has(oid)) return true
    for (const { path } of [...this.#readable]) if (await stat(loosePath(path, oid)).catch(() => null)) return true
    return false
  }

  async #begin(): Promise<Live> {
    const folder = await this.all.make(this.repository)
    const live: Live = {
      ...folder,
      uses: 0,
      full: false,
      measureAt: USES_PER_MEASURE.least,
      bytes: 0,
      counted: new Set(),
    }
    this.#readable.unshift(live)
    return live
  }
}

/** The scratch folders of all repositories, in one folder of this process. */
export class Scratches {
  /** Repositories that have a folder in use. */
  readonly #open = new LRUCache<Scratch, true>({ max: MAX_REPOSITORIES, dispose: (_, scratch) => scratch.close() })
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly held = new HeldObjects(RETIRED_MS)
  #made = 0

  /** `path`: a folder that nobody else uses; created when it is needed. */
  constructor(readonly path: string) {}

  noteUse(scratch: Scratch): void {
    this.#open.set(scratch, true)
  }

  async make(repository: string): Promise<ScratchFolder> {
    const name = String(++this.#made)
    const path = join(this.path, name)
    await mkdir(path, { recursive: true })
    return { name, path, env: { GIT_OBJECT_DIRECTORY: path, ...borrowingObjects(repository) } }
  }

  /** Deletes a folder after some minutes, when its objects have certainly been read. */
  retire(folder: ScratchFolder, gone: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      gone()
      void rm(folder.path, { recursive: true, force: true }).catch(() => {})
    }, RETIRED_MS)
    this.#timers.add(timer.unref())
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    await rm(this.path, { recursive: true, force: true })
  }
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

/** Counts the files that have come since the last time, and says when to do so again. */
async function measure(live: Live): Promise<void> {
  const files = await readdir(live.path, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const file of files) {
    if (!file.isFile() || live.counted.has(file.name)) continue
    live.counted.add(file.name)
    live.bytes += (await stat(join(file.parentPath, file.name)).catch(() => null))?.size ?? 0
  }
  live.full ||= live.bytes > MAX_BYTES
  // Half of the merges after which it would be full if those to come left as much as those before.
  const room = (live.uses * (MAX_BYTES - live.bytes)) / (2 * live.bytes + 1)
  live.measureAt = live.uses + Math.max(USES_PER_MEASURE.least, Math.min(USES_PER_MEASURE.most, Math.floor(room)))
}

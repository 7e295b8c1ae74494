/** Folders outside a repository for the objects of its merges, until a merge is committed or abandoned. */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { newId } from '../../kernel/ids.js'
import { borrowingObjects } from '../process/environment.js'
import type { Environment } from '../process/messages.js'
import type { EncodedObject } from './hash.js'
import { type HeldByName, type HeldObject, HeldObjects } from './held-objects.js'
import { deflated, findLoose, loosePath, type RawObject } from './loose.js'

/** Maximum number of merges and bytes of a folder. After that, a new folder is started. */
const MAX_USES = 1000
const MAX_BYTES = 64 * 1024 * 1024
/** Number of merges between two measurements of the folder size: fewer when it is nearly full. */
const USES_PER_MEASURE = { least: 16, most: 128 }
/**
 * Time for which a folder exists after its last merge started, in milliseconds. By then, its results have been read or
 * committed.
 */
const RETIRED_MS = 600_000
const MAX_REPOSITORIES = 32

/** A folder to which Git writes objects instead of the repository. Git still reads the objects of the repository. */
export interface ScratchFolder {
  /** Distinguishes the folder from all others of the same process. */
  readonly name: string
  readonly path: string
  /** The environment that makes Git write to the folder. */
  readonly env: Environment
}

interface Live extends ScratchFolder {
  uses: number
  full: boolean
  /** Number of uses at which the folder is measured next. */
  measureAt: number
  /** Size of the counted files in bytes. */
  bytes: number
  /** Names of the counted files. Objects never change, so each is measured once. */
  // bound: MAX_USES merges
  readonly counted: Set<string>
}

/**
 * The new objects of merges in one repository. They are in memory until a Git process may have to read them. Then they
 * are in files outside the repository, which are not synced, and are deleted when the process ends. If a merge is
 * committed, its objects are verified and copied durably into the repository. Otherwise, they never get there.
 */
export class Scratch {
  #live: Promise<Live> | null = null
  /** Existing folders, newest first. */
  readonly #readable: ScratchFolder[] = []
  // bound: the limit of `HeldObjects`
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
   * Returns the folder for the next merge, including all objects from memory. If the previous folder is full, calls
   * `replaced` with it; it can be read for a few more minutes.
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

  /** Stops using the current folder. It can be read for a few more minutes. */
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
      // Rename only complete files, since Git may be reading.
      const temporary = `${path}-${newId()}`
      await writeFile(temporary, await deflated(object), { mode: 0o444 })
      await rename(temporary, path)
    }
  }

  /**
   * Returns a verified tree or blob of a merge; null if there is none. Never returns commits: those in the folder are
   * only input for Git's merge.
   */
  async find(oid: string, maxBytes: number): Promise<RawObject | null> {
    const held = this.#held.get(oid)
    if (held) return { type: held.type, content: bufferOf(held.object.content) }
    for (const { path } of [...this.#readable]) {
      const found = await findLoose(path, oid, maxBytes, { verify: true })
      if (found && found.type !== 'commit') return found
    }
    return null
  }

  /** Whether a merge in this process created the object. */
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
  /** Repositories with a folder in use. */
  readonly #open = new LRUCache<Scratch, true>({ max: MAX_REPOSITORIES, dispose: (_, scratch) => scratch.close() })
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly held = new HeldObjects(RETIRED_MS)
  #made = 0

  /** @param path a folder that only this process uses; created on demand */
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

  /** Deletes a folder after a few minutes, when its objects have certainly been read. */
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

/** Counts the new files since the last measurement, and schedules the next one. */
async function measure(live: Live): Promise<void> {
  const files = await readdir(live.path, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const file of files) {
    if (!file.isFile() || live.counted.has(file.name)) continue
    live.counted.add(file.name)
    live.bytes += (await stat(join(file.parentPath, file.name)).catch(() => null))?.size ?? 0
  }
  live.full ||= live.bytes > MAX_BYTES
  // Half the number of merges after which the folder would be full at the current rate.
  const room = (live.uses * (MAX_BYTES - live.bytes)) / (2 * live.bytes + 1)
  live.measureAt = live.uses + Math.max(USES_PER_MEASURE.least, Math.min(USES_PER_MEASURE.most, Math.floor(room)))
}

import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { newId } from '../../kernel/ids.js'
import type { Environment } from '../process/messages.js'
import type { EncodedObject } from './hash.js'
import { deflated, findLoose, loosePath, type RawObject } from './loose.js'

/** A folder is filled by so many merges, or until it is found to hold so many bytes; then another is begun. */
const MAX_USES = 1000
const MAX_BYTES = 64 * 1024 * 1024
const USES_BETWEEN_LOOKS = 16
/** Milliseconds in which a merge under way ends, and what it answered is read or taken up by a commit. */
const RETIRED_MS = 600_000
const MAX_REPOSITORIES = 32

/** A folder that Git writes objects to instead of the repository's, whose objects it reads too. */
export interface ScratchFolder {
  /** Tells it from every other of the same process. */
  readonly name: string
  readonly path: string
  /** Makes Git write there. */
  readonly env: Environment
}

interface Live extends ScratchFolder {
  uses: number
  full: boolean
}

/**
 * Where one repository's merges put their objects: beside it, unsynced, named by nothing, gone with the process. What a commit
 * takes up is copied from here into the repository, verified and durable; nothing else ever gets there.
 */
export class Scratch {
  #live: Promise<Live> | null = null
  /** The newest first. */
  readonly #readable: ScratchFolder[] = []

  constructor(
    readonly repository: string,
    readonly all: Scratches,
  ) {}

  /** The folder for the next merge. `replaced`: told of the one before, where it is full; it can be read for some minutes more. */
  async folder(replaced: (before: ScratchFolder) => void): Promise<ScratchFolder> {
    const current = this.#live
    const before = await current
    if (before && (before.full || before.uses >= MAX_USES) && current === this.#live) {
      this.close()
      replaced(before)
    }
    this.#live ??= this.#begin()
    this.all.noteUse(this)
    const live = await this.#live
    if (++live.uses % USES_BETWEEN_LOOKS === 0)
      void bytesBelow(live.path).then((bytes) => {
        live.full ||= bytes > MAX_BYTES
      })
    return live
  }

  /** Lets go of the folder in use: what it holds can be read for some minutes more. */
  close(): void {
    const live = this.#live
    this.#live = null
    const gone = (folder: ScratchFolder) => this.#readable.splice(this.#readable.indexOf(folder), 1)
    live?.then((folder) => this.all.retire(folder, () => gone(folder))).catch(() => {})
  }

  /** Writes objects for Git to read there. */
  async put(folder: ScratchFolder, objects: readonly EncodedObject[]): Promise<void> {
    for (const object of objects) {
      const path = loosePath(folder.path, object.oid)
      await mkdir(dirname(path), { recursive: true })
      // Under its name only when it is whole: Git may be reading.
      const temporary = `${path}-${newId()}`
      await writeFile(temporary, await deflated(object), { mode: 0o444 })
      await rename(temporary, path)
    }
  }

  /** A tree or blob that a merge made, its content verified against its name; null where none did. Commits are Git's crutches: nobody may take one for real. */
  async find(oid: string, maxBytes: number): Promise<RawObject | null> {
    for (const { path } of [...this.#readable]) {
      const found = await findLoose(path, oid, maxBytes, { verify: true })
      if (found && found.type !== 'commit') return found
    }
    return null
  }

  /** Whether a merge of this process made it. */
  async has(oid: string): Promise<boolean> {
    for (const { path } of [...this.#readable]) if (await stat(loosePath(path, oid)).catch(() => null)) return true
    return false
  }

  async #begin(): Promise<Live> {
    const folder = await this.all.make(this.repository)
    const live: Live = { ...folder, uses: 0, full: false }
    this.#readable.unshift(live)
    return live
  }
}

/** The scratch folders of all repositories, below one folder of this process. */
export class Scratches {
  /** Those that have a folder in use. */
  readonly #open = new LRUCache<Scratch, true>({ max: MAX_REPOSITORIES, dispose: (_, scratch) => scratch.close() })
  readonly #timers = new Set<NodeJS.Timeout>()
  #made = 0

  /** `path`: a folder that nobody else uses; made when it is needed. */
  constructor(readonly path: string) {}

  noteUse(scratch: Scratch): void {
    this.#open.set(scratch, true)
  }

  async make(repository: string): Promise<ScratchFolder> {
    const name = String(++this.#made)
    const path = join(this.path, name)
    await mkdir(path, { recursive: true })
    // Quoted, since a ":" would part it in two.
    const env = { GIT_OBJECT_DIRECTORY: path, GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(join(repository, 'objects')) }
    return { name, path, env }
  }

  /** Deletes a folder when what it holds is certainly read. */
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

async function bytesBelow(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  let bytes = 0
  for (const file of files) if (file.isFile()) bytes += (await stat(join(file.parentPath, file.name)).catch(() => null))?.size ?? 0
  return bytes
}

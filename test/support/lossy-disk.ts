import { closeSync, fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Disk, disk } from '../../src/git/objects/disk.js'

type Id = string

/**
 * The real disk with a record of what a power cut would leave. A file has its content at the last sync (none if it was
 * never synced), a folder its names at the last sync. Writes of a Git process count as synced if `syncsItself` allows
 * it. Their names still need a sync of the folder.
 */
export class LossyDisk implements Disk {
  readonly #files = new Map<Id, Buffer>()
  readonly #folders = new Map<Id, Map<string, { id: Id; folder: boolean }>>()
  readonly #kept: number[] = []
  /** Called before every operation that changes something. */
  before: (operation: string) => void = () => {}
  /** Omits a sync, to see a test fail. */
  forget: (path: string) => boolean = () => false
  readonly #paths = new Map<number, string>()

  /** Everything below `root` now counts as synced. */
  constructor(
    readonly root: string,
    readonly syncsItself: (path: string) => boolean,
  ) {
    this.#settle(root)
  }

  #settle(path: string): void {
    this.#record(path)
    if (!lstatSync(path).isDirectory()) return
    for (const name of readdirSync(path)) this.#settle(join(path, name))
  }

  /** The descriptor stays open, so that no other file reuses the inode. */
  #record(path: string): Id {
    const fd = openSync(path, 'r')
    const { ino, dev } = fstatSync(fd)
    const id = `${dev}:${ino}`
    this.#kept.push(fd)
    if (!fstatSync(fd).isDirectory()) {
      this.#files.set(id, readFileSync(path))
      return id
    }
    const names = new Map<string, { id: Id; folder: boolean }>()
    for (const name of readdirSync(path)) {
      const below = join(path, name)
      const held = openSync(below, 'r')
      this.#kept.push(held)
      const stat = fstatSync(held)
      const entry = { id: `${stat.dev}:${stat.ino}`, folder: stat.isDirectory() }
      names.set(name, entry)
      if (!entry.folder && this.syncsItself(below)) this.#files.set(entry.id, readFileSync(below))
    }
    this.#folders.set(id, names)
    return id
  }

  async open(path: string, flags: 'r' | 'wx', mode?: number): Promise<number> {
    if (flags === 'wx') this.before('open')
    const fd = await disk.open(path, flags, mode)
    this.#paths.set(fd, path)
    return fd
  }
  write(fd: number, data: Uint8Array): Promise<void> {
    this.before('write')
    return disk.write(fd, data)
  }
  async fsync(fd: number): Promise<void> {
    this.before('fsync')
    const path = this.#paths.get(fd) as string
    if (!this.forget(path)) this.#record(path)
  }
  close(fd: number): Promise<void> {
    return disk.close(fd)
  }
  rename(from: string, to: string): Promise<void> {
    this.before('rename')
    return disk.rename(from, to)
  }
  unlink(path: string): Promise<void> {
    this.before('unlink')
    return disk.unlink(path)
  }
  utimes(path: string, seconds: number): Promise<void> {
    return disk.utimes(path, seconds)
  }
  mkdir(path: string): Promise<void> {
    this.before('mkdir')
    return disk.mkdir(path)
  }
  readdir(path: string): Promise<string[]> {
    return disk.readdir(path)
  }

  /** Writes to `to` what a power cut at this moment would leave of `root`. */
  afterPowerCut(to: string): void {
    const { dev, ino } = lstatSync(this.root)
    this.#restore(`${dev}:${ino}`, to)
  }

  #restore(id: Id, to: string): void {
    mkdirSync(to, { recursive: true })
    for (const [name, entry] of this.#folders.get(id) ?? []) {
      if (entry.folder) this.#restore(entry.id, join(to, name))
      else writeFileSync(join(to, name), this.#files.get(entry.id) ?? '')
    }
  }

  release(): void {
    for (const fd of this.#kept.splice(0)) closeSync(fd)
  }
}

import * as fs from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { FolderLocked, type Lock } from '../../src/disk/folder-lock.js'
import type { FileSystem, OpenFile } from '../../src/store/index.js'

/** The name of a file system operation in counts and faults. */
export type Operation =
  | 'open'
  | 'append'
  | 'truncate'
  | 'datasync'
  | 'readFile'
  | 'readdir'
  | 'mkdir'
  | 'rename'
  | 'unlink'
  | 'syncDir'

/** Runs before an operation: returns an error to throw instead. Of an append, `partial` bytes are written first. */
export type Fault = (operation: Operation, path: string) => { error: Error; partial?: number } | undefined

type Write = { at: number; data: Buffer } | { cut: number }

/** A file's content on the disk, and the writes since the last sync. */
class FileNode {
  durable: Buffer = Buffer.alloc(0)
  pending: Write[] = []
  size = 0
}
/** One folder operation: the names that it changed together. */
type Entries = Map<string, Node | null>
class DirNode {
  durable = new Map<string, Node>()
  live = new Map<string, Node>()
  pending: Entries[] = []
  change(entries: Entries): void {
    put(this.live, entries)
    this.pending.push(entries)
  }
}
type Node = FileNode | DirNode

function put(into: Map<string, Node>, entries: Entries): void {
  for (const [name, node] of entries) {
    if (node) into.set(name, node)
    else into.delete(name)
  }
}

function written(durable: Buffer, write: Write): Buffer {
  if ('cut' in write)
    return write.cut <= durable.length
      ? durable.subarray(0, write.cut)
      : Buffer.concat([durable, Buffer.alloc(write.cut - durable.length)])
  const size = Math.max(durable.length, write.at + write.data.length)
  const next = Buffer.alloc(size)
  durable.copy(next)
  write.data.copy(next, write.at)
  return next
}

/** The held locks, by the path of their file. */
const locked = new Set<string>()

export class PowerIsOff extends Error {
  constructor() {
    super('the power is off')
  }
}

/**
 * A file system over a real folder that records what a power cut would leave. File data that was not synced is lost,
 * torn at any byte or replaced by zeros. Entries whose folder was not synced may be undone. Until the cut, the real
 * folder holds everything, so other tools can use it. `crash` leaves what survived in it. Calls are synchronous, after
 * a turn of the event loop in which others run, because threads for them took half of the tests' processor time. The
 * folder must be empty at first, and nothing else may write there (foreign files vanish in a crash).
 */
export class LossyFs implements FileSystem {
  readonly counts: Record<Operation, number> = {
    open: 0,
    append: 0,
    truncate: 0,
    datasync: 0,
    readFile: 0,
    readdir: 0,
    mkdir: 0,
    rename: 0,
    unlink: 0,
    syncDir: 0,
  }
  fault: Fault | undefined
  /** Operations until the power cut. */
  operationsLeft = Number.POSITIVE_INFINITY
  readonly #root: string
  #tree = new DirNode()
  #isOff = false

  constructor(root: string, tree?: DirNode) {
    this.#root = resolve(root)
    if (tree) this.#tree = tree
    else if (fs.readdirSync(this.#root).length > 0) throw new Error('the folder must be empty')
  }

  get isOff(): boolean {
    return this.#isOff
  }

  /** From now on, every operation fails. */
  powerOff(): void {
    this.#isOff = true
  }

  #before(operation: Operation, path: string): { error: Error; partial?: number } | undefined {
    if (this.#isOff) throw new PowerIsOff()
    if (this.operationsLeft-- <= 0) {
      this.#isOff = true
      return { error: new PowerIsOff(), partial: Number.POSITIVE_INFINITY }
    }
    this.counts[operation]++
    const fault = this.fault?.(operation, path)
    if (fault && operation !== 'append') throw fault.error
    return fault
  }

  #check(operation: Operation, path: string): void {
    const fault = this.#before(operation, path)
    if (fault) throw fault.error
  }

  #dir(path: string): DirNode | undefined {
    const inside = relative(this.#root, resolve(path))
    if (inside.startsWith('..')) return undefined
    let node: Node | undefined = this.#tree
    for (const name of inside.split('/').filter(Boolean))
      node = node instanceof DirNode ? node.live.get(name) : undefined
    return node instanceof DirNode ? node : undefined
  }

  #parent(path: string): DirNode {
    const dir = this.#dir(dirname(path))
    if (!dir) throw new Error(`${path} is not in a folder made here`)
    return dir
  }

  async open(path: string, mode: 'append' | 'create'): Promise<OpenFile> {
    this.#check('open', path)
    await turn()
    const handle = fs.openSync(path, mode === 'append' ? 'r+' : 'w')
    const parent = this.#parent(path)
    let node = parent.live.get(basename(path))
    if (!(node instanceof FileNode)) {
      node = new FileNode()
      parent.change(new Map([[basename(path), node]]))
    }
    const file = node
    if (mode === 'create') {
      file.pending.push({ cut: 0 })
      file.size = 0
    }
    return {
      append: async (data) => {
        const fault = this.#before('append', path)
        const part = Buffer.from(fault ? data.subarray(0, fault.partial ?? 0) : data)
        await turn()
        fs.writeSync(handle, part, 0, part.length, file.size)
        file.pending.push({ at: file.size, data: part })
        file.size += part.length
        if (fault) throw fault.error
      },
      truncate: async (length) => {
        this.#check('truncate', path)
        await turn()
        fs.ftruncateSync(handle, length)
        file.pending.push({ cut: length })
        file.size = length
      },
      datasync: async () => {
        this.#check('datasync', path)
        const todo = file.pending
        // A turn of the event loop, as for a real disk: others run in between, and this sync does not cover their
        // writes.
        file.pending = []
        file.durable = todo.reduce(written, file.durable)
        await turn()
      },
      close: () => turn().then(() => fs.closeSync(handle)),
    }
  }

  async readFile(path: string): Promise<Buffer> {
    this.#check('readFile', path)
    await turn()
    return fs.readFileSync(path)
  }

  readLater(path: string): Promise<Buffer> {
    return this.readFile(path)
  }

  async size(path: string): Promise<number> {
    this.#check('readFile', path)
    await turn()
    return fs.statSync(path).size
  }

  async readdir(path: string): Promise<string[]> {
    this.#check('readdir', path)
    await turn()
    return fs.readdirSync(path)
  }

  async mkdir(path: string): Promise<void> {
    this.#check('mkdir', path)
    // At once: another call may be about to create a folder in this one.
    fs.mkdirSync(path)
    this.#parent(path).change(new Map([[basename(path), new DirNode()]]))
  }

  async rename(from: string, to: string): Promise<void> {
    this.#check('rename', to)
    await turn()
    fs.renameSync(from, to)
    const [source, target] = [this.#parent(from), this.#parent(to)]
    const node = source.live.get(basename(from))
    if (!node) throw new Error(`${from} was not made here`)
    if (source === target) {
      source.change(
        new Map<string, Node | null>([
          [basename(from), null],
          [basename(to), node],
        ]),
      )
    } else {
      target.change(new Map([[basename(to), node]]))
      source.change(new Map([[basename(from), null]]))
    }
  }

  async unlink(path: string): Promise<void> {
    this.#check('unlink', path)
    await turn()
    fs.unlinkSync(path)
    this.#parent(path).change(new Map([[basename(path), null]]))
  }

  async syncDir(path: string): Promise<void> {
    this.#check('syncDir', path)
    const dir = this.#dir(path)
    if (!dir) return
    for (const entries of dir.pending) put(dir.durable, entries)
    dir.pending = []
  }

  /**
   * Held in the memory of this process. The system's lock takes a process each time, and a test of power cuts opens
   * hundreds of stores.
   */
  lock(dir: string, path: string): Lock {
    if (locked.has(path)) throw new FolderLocked(dir, process.pid, null, null)
    locked.add(path)
    return { release: () => void locked.delete(path) }
  }

  /**
   * Cuts the power and leaves what survived in the folder. `random` returns an integer from 0 to `max`. 0 is the worst
   * case, where nothing unsynced survives. Continue with `afterCrash`.
   */
  crash(random: (max: number) => number = () => 0): void {
    this.#isOff = true
    this.#tree = survivingDir(this.#tree, random)
    for (const name of fs.readdirSync(this.#root)) fs.rmSync(join(this.#root, name), { recursive: true })
    writeOut(this.#tree, this.#root)
  }

  /** The system after the power returned, over the same folder. */
  afterCrash(): LossyFs {
    return new LossyFs(this.#root, this.#tree)
  }
}

function survivingDir(dir: DirNode, random: (max: number) => number): DirNode {
  const after = new DirNode()
  const entries = new Map(dir.durable)
  for (const change of dir.pending.slice(0, random(dir.pending.length))) put(entries, change)
  for (const [name, node] of entries) {
    const survivor = node instanceof DirNode ? survivingDir(node, random) : survivingFile(node, random)
    after.durable.set(name, survivor)
    after.live.set(name, survivor)
  }
  return after
}

function survivingFile(file: FileNode, random: (max: number) => number): FileNode {
  const after = new FileNode()
  const whole = random(file.pending.length)
  after.durable = file.pending.slice(0, whole).reduce(written, file.durable)
  const next = file.pending[whole]
  if (next && 'data' in next) {
    const data: Buffer = Buffer.from(next.data.subarray(0, random(next.data.length)))
    // A hole: the length reached the disk, a block of the data did not.
    if (data.length > 0 && random(3) === 3) data.fill(0, random(data.length - 1))
    after.durable = written(after.durable, { at: next.at, data })
  }
  after.size = after.durable.length
  return after
}

function writeOut(dir: DirNode, path: string): void {
  for (const [name, node] of dir.durable) {
    const to = join(path, name)
    if (node instanceof FileNode) fs.writeFileSync(to, node.durable)
    else {
      fs.mkdirSync(to)
      writeOut(node, to)
    }
  }
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hermeticEnv } from '../../support/hermetic-git.js'

interface GitObject {
  oid: string
  type: string
  bytes: Buffer
}

/** Reads a repository with one long-lived `git cat-file --batch` of plain Git. */
export class Objects {
  #child: ChildProcessWithoutNullStreams | null = null
  #waiting: ((found: GitObject | null) => void)[] = []
  #pieces = Buffer.alloc(0)
  #trees = new Map<string, { mode: string; name: string; oid: string }[]>()

  constructor(readonly dir: string) {}

  #process(): ChildProcessWithoutNullStreams {
    if (this.#child) return this.#child
    const child = spawn('git', ['cat-file', '--batch'], { cwd: this.dir, env: hermeticEnv, stdio: 'pipe' })
    child.stdout.on('data', (piece: Buffer) => {
      this.#pieces = Buffer.concat([this.#pieces, piece])
      while (this.#takeOne());
    })
    this.#child = child
    return child
  }

  #takeOne(): boolean {
    const end = this.#pieces.indexOf(10)
    if (end < 0) return false
    const [oid = '', type = '', size] = this.#pieces.subarray(0, end).toString('latin1').split(' ')
    if (size === undefined) {
      this.#pieces = this.#pieces.subarray(end + 1)
      this.#waiting.shift()?.(null)
      return true
    }
    const stop = end + 1 + Number(size)
    if (this.#pieces.length <= stop) return false
    const bytes = Buffer.from(this.#pieces.subarray(end + 1, stop))
    this.#pieces = this.#pieces.subarray(stop + 1)
    this.#waiting.shift()?.({ oid, type, bytes })
    return true
  }

  read(name: string): Promise<GitObject | null> {
    return new Promise((done) => {
      this.#waiting.push(done)
      this.#process().stdin.write(`${name}\n`)
    })
  }

  async blob(oid: string): Promise<Buffer> {
    const found = await this.read(oid)
    if (!found) throw new Error(`${this.dir} has no ${oid}`)
    return found.bytes
  }

  /** Object ID of the tree of a commit or of a folder in it, or null if there is none. */
  async treeId(commit: string, folder = ''): Promise<string | null> {
    return (await this.read(folder === '' ? `${commit}^{tree}` : `${commit}:${folder}`))?.oid ?? null
  }

  /**
   * Every file below a folder of a commit: relative path → object ID. Modes other than a plain file precede the object
   * ID.
   */
  async files(commit: string, folder = ''): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    const tree = await this.treeId(commit, folder)
    if (tree) await this.#walk(tree, '', found)
    return found
  }

  async #walk(tree: string, prefix: string, into: Map<string, string>): Promise<void> {
    let entries = this.#trees.get(tree)
    if (!entries) {
      entries = parseTree(await this.blob(tree))
      this.#trees.set(tree, entries)
    }
    for (const { mode, name, oid } of entries) {
      if (mode === '40000') await this.#walk(oid, `${prefix}${name}/`, into)
      else into.set(prefix + name, mode === '100644' ? oid : `${mode} ${oid}`)
    }
  }

  /** The target of a ref, read from the files, or null if it is absent. */
  head(ref: string): string | null {
    try {
      return readFileSync(join(this.dir, ref), 'latin1').trim()
    } catch {
      try {
        const packed = readFileSync(join(this.dir, 'packed-refs'), 'latin1').split('\n')
        return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? null
      } catch {
        return null
      }
    }
  }

  close(): void {
    this.#child?.stdin.end()
    this.#child = null
  }
}

function parseTree(bytes: Buffer): { mode: string; name: string; oid: string }[] {
  const entries = []
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const zero = bytes.indexOf(0, space)
    entries.push({
      mode: bytes.subarray(at, space).toString('latin1'),
      name: bytes.subarray(space + 1, zero).toString('utf8'),
      oid: bytes.subarray(zero + 1, zero + 21).toString('hex'),
    })
    at = zero + 21
  }
  return entries
}

import { createHash } from 'node:crypto'
import type { ReaderEntry, TreeReader } from '../../src/content/types.js'

/** A file of a memory tree: its bytes, or an entry of another mode (symbolic link, submodule). */
export type MemoryFile = string | Uint8Array | { mode: string; content?: string }

/** A tree of files in memory with the interface of a Git snapshot: entries in Git's order, blobs by object ID. */
export function memoryTree(files: Readonly<Record<string, MemoryFile>>): TreeReader {
  const blobs = new Map<string, Uint8Array>()
  const folders = new Map<string, Map<string, ReaderEntry>>([['', new Map()]])
  const entries = new Map<string, ReaderEntry>()
  const put = (entry: ReaderEntry): void => {
    const parent = entry.path.slice(0, Math.max(0, entry.path.lastIndexOf('/')))
    if (!folders.has(parent)) {
      folders.set(parent, new Map())
      put({ path: parent, mode: '040000', oid: createHash('sha1').update(`tree ${parent}`).digest('hex') })
    }
    folders.get(parent)?.set(entry.path, entry)
    entries.set(entry.path, entry)
  }
  for (const [path, file] of Object.entries(files)) {
    const special = typeof file === 'object' && !(file instanceof Uint8Array)
    const bytes = special ? Buffer.from(file.content ?? '') : typeof file === 'string' ? Buffer.from(file) : file
    const oid = createHash('sha1').update(`blob ${bytes.byteLength}\0`).update(bytes).digest('hex')
    blobs.set(oid, bytes)
    put({ path, mode: special ? file.mode : '100644', oid })
  }
  const gitName = (entry: ReaderEntry): string => (entry.mode === '040000' ? `${entry.path}/` : entry.path)
  const ordered = (list: Iterable<ReaderEntry>): ReaderEntry[] =>
    [...list].sort((a, b) => Buffer.compare(Buffer.from(gitName(a)), Buffer.from(gitName(b))))
  const leaves = ordered([...entries.values()].filter((entry) => entry.mode !== '040000'))
  return {
    entry: async (path) => entries.get(path) ?? null,
    list: async (path) => (folders.has(path) ? ordered(folders.get(path)?.values() ?? []) : null),
    walk: async (prefix = '') =>
      prefix === '' ? leaves : leaves.filter((entry) => entry.path === prefix || entry.path.startsWith(`${prefix}/`)),
    read: async (oid) => {
      const bytes = blobs.get(oid)
      if (!bytes) throw new Error(`no blob ${oid}`)
      return bytes
    },
  }
}

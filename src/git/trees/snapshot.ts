/** A read-only view of the files of one commit: looks up paths, lists folders, walks all files, reads blobs. */
import type { CommitId, TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Node } from '../objects/tree-codec.js'
import type { Snapshot, TreeEntry } from '../types.js'

export const toEntry = (path: string, { mode, oid }: Node): TreeEntry => ({ path, mode, oid })

/** The files of one tree. For a missing or invalid path, the result is null. */
export class TreeSnapshot implements Snapshot {
  constructor(
    readonly commit: CommitId,
    readonly tree: TreeId,
    readonly objects: ObjectDatabase,
  ) {}

  async entry(path: string): Promise<TreeEntry | null> {
    if (path === '') return { path, mode: '040000', oid: this.tree }
    let oid: string = this.tree
    const segments = path.split('/')
    for (const [depth, segment] of segments.entries()) {
      const node = (await this.objects.tree(oid)).byName.get(segment)
      if (!node) return null
      if (depth === segments.length - 1) return toEntry(path, node)
      if (node.mode !== '040000') return null
      oid = node.oid
    }
    return null
  }

  async list(path: string): Promise<TreeEntry[] | null> {
    const folder = await this.entry(path)
    if (folder?.mode !== '040000') return null
    const prefix = path === '' ? '' : `${path}/`
    return (await this.objects.tree(folder.oid)).nodes.map((node) => toEntry(prefix + node.name, node))
  }

  read(oid: string, maxBytes?: number, once?: boolean): Promise<Buffer> {
    return this.objects.blob(oid, maxBytes, once)
  }

  async walk(prefix = ''): Promise<TreeEntry[]> {
    const folder = await this.entry(prefix)
    const found: TreeEntry[] = []
    if (folder?.mode === '040000') await this.#walk(folder.oid, prefix === '' ? '' : `${prefix}/`, found, new Slices())
    return found
  }

  sizes(oids: readonly string[]): Promise<number[]> {
    return this.objects.sizes(oids)
  }

  async #walk(oid: string, prefix: string, into: TreeEntry[], slices: Slices): Promise<void> {
    for (const node of (await this.objects.tree(oid)).nodes) {
      if (node.mode === '040000') await this.#walk(node.oid, `${prefix}${node.name}/`, into, slices)
      else into.push(toEntry(prefix + node.name, node))
      if (slices.due) await slices.rest()
    }
  }
}

/**
 * The map file in a scratch repository. It records which commit of the folder was made from each commit of the remote.
 */
import { required } from '../../kernel/defined.js'
import { createHash } from 'node:crypto'
import { appendFile, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommitId, isOid, type TreeId, asOid } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { MappedGraph } from './mapped-graph.js'

/** The version in the file names. Maps with version 1 may treat an unreadable folder as a missing one. */
const VERSION = 2

/** The mapping of one commit of the remote. */
export interface MappedLine {
  remote: string
  /** Null if the folder never existed in the history of the commit. */
  mapped: CommitId | null
  /** The tree and parents of `mapped`, if this line's commit created it. */
  made?: { tree: TreeId; parents: readonly CommitId[] }
}

/** The mapping from the history of a remote to the history of one folder. */
export class FolderMap {
  /** Mapped commits by commit of the remote. */
  // bound: commits of the remote, at most MAX_COMMITS of folder-mapper.ts; dropped at the end of the fetch
  readonly #mapped = new Map<string, CommitId | null>()
  /** Trees of the mapped commits. */
  readonly #trees = new Map<string, TreeId>()
  /** The mapped commits and their parents. */
  readonly graph = new MappedGraph()
  /** Heads whose complete history is mapped. */
  readonly heads = new Set<string>()

  constructor(readonly file: string) {}

  /** Number of mapped commits of the remote. */
  get size(): number {
    return this.#mapped.size
  }

  /** Returns the mapped commit; null if the folder did not exist yet, undefined if the commit is not mapped. */
  find(remote: string): CommitId | null | undefined {
    return this.#mapped.get(remote)
  }

  /** Returns the first commits of the remote that map to `mapped`, parents first. */
  originals(mapped: CommitId, limit: number): CommitId[] {
    const found: CommitId[] = []
    for (const [remote, became] of this.#mapped) {
      if (became !== mapped) continue
      found.push(asOid(remote))
      if (found.length >= limit) break
    }
    return found
  }

  /** Returns the folder's tree in a mapped commit. */
  treeOf(mapped: CommitId): TreeId {
    return required(this.#trees.get(mapped))
  }

  note({ remote, mapped, made }: MappedLine): void {
    this.#mapped.set(remote, mapped)
    if (mapped === null || made === undefined || this.graph.has(mapped)) return
    this.#trees.set(mapped, made.tree)
    this.graph.add(mapped, made.parents)
  }

  /**
   * Appends lines to the file. The mapped commits must exist already. `head` is the head whose complete history is
   * mapped with these lines.
   */
  async append(lines: readonly MappedLine[], head?: string): Promise<void> {
    const text = lines.map(
      ({ remote, mapped, made }) =>
        `${[remote, mapped ?? '-', ...(made ? [made.tree, ...made.parents] : [])].join(' ')}\n`,
    )
    if (head !== undefined) {
      this.heads.add(head)
      text.push(`head ${head}\n`)
    }
    await appendFile(this.file, text.join(''))
  }
}

/**
 * Reads the map of a folder of a remote. Cuts off an incomplete last line, which a crash may leave. Discards a file
 * that cannot be parsed.
 */
export async function readFolderMap(scratch: string, directory: string): Promise<FolderMap> {
  const map = new FolderMap(
    join(scratch, 'maps', `${VERSION}-${createHash('sha256').update(directory).digest('hex').slice(0, 32)}`),
  )
  const bytes = await readFile(map.file).catch(() => null)
  if (bytes === null) return map
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end < bytes.length) await truncate(map.file, end)
  if (await readInto(map, bytes.subarray(0, end))) return map
  await rm(map.file)
  return new FolderMap(map.file)
}

async function readInto(map: FolderMap, bytes: Buffer): Promise<boolean> {
  const slices = new Slices()
  for (let at = 0; at < bytes.length; ) {
    if (slices.due) await slices.rest()
    const end = bytes.indexOf(0x0a, at)
    const [remote = '', mapped = '', tree, ...parents] = bytes.toString('latin1', at, end).split(' ')
    at = end + 1
    if (remote === 'head' && isOid(mapped)) map.heads.add(mapped)
    else if (isOid(remote) && mapped === '-') map.note({ remote, mapped: null })
    else if (
      isOid(remote) &&
      isOid(mapped) &&
      parents.every((parent) => map.graph.has(parent)) &&
      (tree === undefined ? map.graph.has(mapped) : isOid(tree))
    )
      map.note({
        remote,
        mapped: mapped,
        ...(tree === undefined ? {} : { made: { tree: asOid(tree), parents: parents.map(asOid) } }),
      })
    else return false
  }
  return true
}

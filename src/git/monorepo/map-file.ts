/** The file in a scratch repository that keeps which commits of a folder alone were made of which commits of the remote. */
import { createHash } from 'node:crypto'
import { appendFile, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommitId, isOid, type TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { MappedGraph } from './mapped-graph.js'

/** In the names of the files. Those of version 1 may have commits without the folder where it only could not be read. */
const VERSION = 2

/** What one commit of the remote became. */
export interface MappedLine {
  remote: string
  /** Null if its history never had the folder. */
  mapped: CommitId | null
  /** Tree and parents of `mapped`, if it was made of this commit. */
  made?: { tree: TreeId; parents: readonly CommitId[] }
}

/** The history of a remote as far as it is mapped to one folder. */
export class FolderMap {
  /** By commit of the remote. */
  // bound: commits of the remote, at most MAX_COMMITS of folder-mapper.ts; dropped at the end of the fetch
  readonly #mapped = new Map<string, CommitId | null>()
  /** Trees of the commits that were made. */
  readonly #trees = new Map<string, TreeId>()
  /** The commits that were made, and their parents. */
  readonly graph = new MappedGraph()
  /** Heads whose history is mapped as a whole. */
  readonly heads = new Set<string>()

  constructor(readonly file: string) {}

  /** How many commits of the remote are mapped. */
  get size(): number {
    return this.#mapped.size
  }

  /** The commit here; null if the folder did not exist yet, undefined if the commit is not mapped. */
  find(remote: string): CommitId | null | undefined {
    return this.#mapped.get(remote)
  }

  /** The first commits of the remote that became `mapped`, parents first. */
  originals(mapped: CommitId, limit: number): CommitId[] {
    const found: CommitId[] = []
    for (const [remote, became] of this.#mapped) {
      if (became !== mapped) continue
      found.push(remote as CommitId)
      if (found.length >= limit) break
    }
    return found
  }

  /** The folder as a mapped commit has it. */
  treeOf(mapped: CommitId): TreeId {
    return this.#trees.get(mapped) as TreeId
  }

  note({ remote, mapped, made }: MappedLine): void {
    this.#mapped.set(remote, mapped)
    if (mapped === null || made === undefined || this.graph.has(mapped)) return
    this.#trees.set(mapped, made.tree)
    this.graph.add(mapped, made.parents)
  }

  /** Writes lines to the file; the commits that they name are there already. `head`: the head whose history is mapped with them. */
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

/** Reads the map of a folder of a remote. What a crash left of a line is cut off; a file that cannot be understood is begun again. */
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
        mapped: mapped as CommitId,
        ...(tree === undefined ? {} : { made: { tree: tree as TreeId, parents: parents as CommitId[] } }),
      })
    else return false
  }
  return true
}

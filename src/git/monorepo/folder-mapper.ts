/**
 * Maps the history of a remote to the history of one folder. Handles thousands of commits in batches, and lets Git
 * processes read the trees.
 */
import { type CommitId, isOid, type TreeId, asOid } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError, RemoteError } from '../errors.js'
import { encodeCommit } from '../objects/commit-codec.js'
import { parseCommit } from '../objects/parse-commit.js'
import { EMPTY_TREE, type EncodedObject, encodeObject } from '../objects/hash.js'
import type { ObjectWriter } from '../objects/writer.js'
import type { Launcher } from '../process/launcher.js'
import type { CommitInfo, FolderOrder } from '../types.js'
import type { FolderMap, MappedLine } from './map-file.js'
import { defined, required } from '../../kernel/defined.js'

/** Maximum number of commits in the history: the list of commits is held in memory. */
const MAX_COMMITS = 500_000
/** Number of commits that are read and written together. */
const BATCH = 1000

/** The scratch repository and the services for the mapping. */
interface MapperTools {
  scratch: string
  launcher: Launcher
  writer: ObjectWriter
  /** Returns the remaining milliseconds. */
  left(): number
}

/** A commit of the remote and its folder. A deleted folder counts as an empty one. */
interface Row {
  id: string
  parents: readonly string[]
  tree: TreeId | null
}

/**
 * Maps a commit and its ancestors. Every commit that changed the folder becomes a commit with the folder's tree and the
 * same author, committer, dates and message. The result does not depend on what was mapped before. It is durable when
 * the promise resolves. After an interruption, the mapping continues with the last batch. Throws `RemoteError`
 * 'too-large', 'timeout'.
 */
export async function mapFolder(
  map: FolderMap,
  head: CommitId,
  order: Pick<FolderOrder, 'directory' | 'folderCommit' | 'mapped'>,
  tools: MapperTools,
): Promise<CommitId | null> {
  const lines = map.find(head) === undefined || !map.heads.has(head) ? await listNew(map, head, tools) : []
  for (let at = 0; at < lines.length; at += BATCH) {
    if (tools.left() <= 0) throw tooSlow()
    await new Batch(map, order, tools).take(lines.slice(at, at + BATCH))
    await order.mapped?.(Math.min(at + BATCH, lines.length), lines.length)
  }
  if (lines.length > 0) await map.append([], head)
  const mapped = map.find(head)
  // Git lists nothing if it cannot find the head.
  if (mapped === undefined) throw new GitError(`commit ${head} was not listed`)
  return mapped
}

const tooSlow = (): RemoteError =>
  new RemoteError(
    'timeout',
    'Reading the folder out of the history of the remote took too long. Start the import again: it continues from here.',
  )

/** Lists the commits that are not mapped yet, parents first. Each line has the IDs of a commit and its parents. */
async function listNew(map: FolderMap, head: CommitId, tools: MapperTools): Promise<string[]> {
  const args = [
    'rev-list',
    '--topo-order',
    '--reverse',
    '--parents',
    '--ignore-missing',
    `--max-count=${MAX_COMMITS + 1}`,
    '--stdin',
  ]
  const listed = await ask(tools, args, [head, ...[...map.heads].map((one) => `^${one}`)])
  const lines = listed.toString('latin1').split('\n').filter(Boolean)
  if (lines.length > MAX_COMMITS)
    throw new RemoteError(
      'too-large',
      `The remote's history has more than ${MAX_COMMITS} commits, which is too many to import a folder of it.`,
    )
  return lines
}

/**
 * Runs a Git command in the scratch repository. Throws `RemoteError` 'timeout', and `GitError` if something cannot be
 * read.
 */
async function ask(
  { scratch, launcher, left }: MapperTools,
  args: readonly string[],
  lines: readonly string[],
): Promise<Buffer> {
  const input = lines.map((line) => `${line}\n`).join('')
  try {
    return await launcher.mustRun(args, { cwd: scratch, input, timeoutMs: Math.max(1, left()) })
  } catch (error) {
    // A timeout does not mean that the repository is damaged.
    throw left() <= 0 ? tooSlow() : error
  }
}

/** Returns the folder in a line of `cat-file --batch-check`; null if it is not a folder or is missing. */
function folderOf(line = ''): TreeId | null {
  const [type, oid = ''] = line.split(' ')
  return type === 'tree' && isOid(oid) ? oid : null
}

class Batch {
  /** The folders of the commits in this batch. */
  readonly #effective = new Map<string, TreeId | null>()
  readonly #objects: EncodedObject[] = []
  readonly #lines: MappedLine[] = []
  readonly #slices = new Slices()

  constructor(
    readonly map: FolderMap,
    readonly order: Pick<FolderOrder, 'directory' | 'folderCommit'>,
    readonly tools: MapperTools,
  ) {}

  async take(lines: readonly string[]): Promise<void> {
    const rows = await this.#withFolders(
      lines.map((line) => line.split(' ')).filter(([id]) => this.map.find(required(id)) === undefined),
    )
    const infos = await this.#read(rows.filter((row) => !this.#isPlain(row)).map(({ id }) => id))
    for (const row of rows) {
      if (this.#slices.due) await this.#slices.rest()
      const line = { remote: row.id, ...(await this.#mapOne(row, infos.get(row.id))) }
      this.map.note(line)
      this.#lines.push(line)
    }
    await this.tools.writer.writeTogether(this.#objects, new Map())
    await this.map.append(this.#lines)
  }

  /** Looks up the folder of each commit in one process. Throws `GitError` if a folder above it cannot be read. */
  async #withFolders(commits: readonly string[][]): Promise<Row[]> {
    if (commits.length === 0) return []
    const found = await ask(
      this.tools,
      ['cat-file', '--buffer', '--batch-check=%(objecttype) %(objectname)'],
      // The slash excludes files: Git would read the file to check its type, and it may not have been fetched.
      commits.map(([id]) => `${id}:${this.order.directory}/`),
    )
    const answers = found.toString('latin1').split('\n')
    const folders = commits.map((_, at) => folderOf(answers[at]))
    await this.#requireAbsent(commits.flatMap(([id = ''], at) => (folders[at] === null ? [id] : [])))
    return commits.map(([id = '', ...parents], at) => {
      const own = folders[at] ?? null
      const tree = own ?? (parents.some((parent) => this.#treeAt(parent) !== null) ? EMPTY_TREE : null)
      this.#effective.set(id, tree)
      return { id, parents, tree }
    })
  }

  /**
   * Verifies that the folder does not exist in these commits. Git reports a folder as missing even if the folder or a
   * parent folder is unreadable. Treating that as a deletion would delete pages. So this reads each existing folder on
   * the path. Throws `GitError` if one cannot be read, or if the folder exists.
   */
  async #requireAbsent(commits: readonly string[]): Promise<void> {
    if (commits.length === 0) return
    const args = [
      'rev-list',
      '--objects',
      '--no-walk',
      '--filter=blob:none',
      '--stdin',
      '--',
      `:(top,literal)${this.order.directory}`,
    ]
    const listed = await ask(
      this.tools,
      args,
      commits.map((id) => `${id}^{tree}`),
    )
    if (listed.includes(` ${this.order.directory}\n`))
      throw new GitError(`${this.order.directory} was not found although it exists`)
  }

  /** Returns the folder of a commit that was looked up or mapped. */
  #treeAt(commit: string): TreeId | null {
    const own = this.#effective.get(commit)
    if (own !== undefined) return own
    const mapped = this.map.find(commit)
    if (mapped === undefined) throw new GitError(`commit ${commit} was not mapped before its children`)
    return mapped === null ? null : this.map.treeOf(mapped)
  }

  /** Whether the commit itself need not be read: it has no folder, or the same folder as its only parent. */
  #isPlain({ parents, tree }: Row): boolean {
    return tree === null || (parents.length === 1 && this.#treeAt(required(parents[0])) === tree)
  }

  async #mapOne({ parents, tree }: Row, info: CommitInfo | undefined): Promise<Omit<MappedLine, 'remote'>> {
    if (tree === null) return { mapped: null }
    const mapped = parents.map((parent) => this.map.find(parent) ?? null).filter((parent) => parent !== null)
    const kept = await this.#independent([...new Set(mapped)])
    const [only] = kept
    if (only !== undefined && kept.length === 1 && this.map.treeOf(only) === tree) return { mapped: only }
    if (info === undefined) throw new GitError('a commit that must be mapped was not read')
    const { message, author, committer, headers } = this.order.folderCommit(info, kept, tree)
    const made = encodeObject(
      'commit',
      encodeCommit({ tree, parents: kept, message, author, committer, ...defined({ headers }) }),
    )
    this.#objects.push(made)
    return { mapped: made.oid, made: { tree, parents: kept } }
  }

  /**
   * Drops parents that are ancestors of other parents: after the mapping, the merge of a branch that never changed the
   * folder is not a merge.
   */
  async #independent(parents: CommitId[]): Promise<CommitId[]> {
    if (parents.length < 2) return parents
    const kept: CommitId[] = []
    for (const parent of parents) {
      let contained = false
      for (const other of parents)
        contained ||= other !== parent && (await this.map.graph.isAncestor(parent, other, () => this.#pause()))
      if (!contained) kept.push(parent)
    }
    return kept
  }

  async #pause(): Promise<void> {
    if (this.#slices.due) await this.#slices.rest()
    if (this.tools.left() <= 0) throw tooSlow()
  }

  /** Reads commits in one process. */
  async #read(ids: readonly string[]): Promise<Map<string, CommitInfo>> {
    const infos = new Map<string, CommitInfo>()
    const bytes = ids.length === 0 ? Buffer.alloc(0) : await ask(this.tools, ['cat-file', '--buffer', '--batch'], ids)
    for (let at = 0; at < bytes.length; ) {
      if (this.#slices.due) await this.#slices.rest()
      const end = bytes.indexOf(0x0a, at)
      const [id = '', type, size] = bytes.toString('latin1', at, end).split(' ')
      if (type !== 'commit') throw new GitError(`commit ${id} is missing`)
      infos.set(id, parseCommit(asOid(id), bytes.subarray(end + 1, end + 1 + Number(size))))
      at = end + 2 + Number(size)
    }
    return infos
  }
}

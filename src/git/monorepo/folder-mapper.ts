/** Maps the history of a remote to that of one folder: thousands of commits, in batches, with Git processes that read trees instead of this one. */
import { type CommitId, isOid, type TreeId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { GitError, RemoteError } from '../errors.js'
import { encodeCommit } from '../objects/commit-codec.js'
import { parseCommit } from '../objects/parse-commit.js'
import { EMPTY_TREE, type EncodedObject, encodeObject } from '../objects/hash.js'
import type { ObjectWriter } from '../objects/writer.js'
import type { Launcher } from '../process/launcher.js'
import type { CommitInfo, FolderOrder } from '../types.js'
import type { FolderMap, MappedLine } from './map-file.js'

/** Commits whose history is longer are refused: so many lines are held in memory. */
const MAX_COMMITS = 500_000
/** Commits that are read, and become durable, together. */
const BATCH = 1000

/** Where the commits are, and what does the work. */
interface MapperTools {
  scratch: string
  launcher: Launcher
  writer: ObjectWriter
  /** Milliseconds that are left. */
  left(): number
}

/** A commit of the remote, with its folder as it counts here: that of a deleted folder is empty. */
interface Row {
  id: string
  parents: readonly string[]
  tree: TreeId | null
}

/**
 * Maps a commit and its ancestors. Every commit that changed the folder becomes a commit with the folder's tree and the same author, committer, dates and
 * message. So mapping it again makes the same commit, whatever was mapped before. Durable when it resolves; what was interrupted goes on from the last batch.
 * Throws `RemoteError` 'too-large', 'timeout'.
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
  // Git lists nothing for a head that it cannot find.
  if (mapped === undefined) throw new GitError(`commit ${head} was not listed`)
  return mapped
}

const tooSlow = (): RemoteError =>
  new RemoteError(
    'timeout',
    'Reading the folder out of the history of the remote took too long; start the import again: it goes on from here.',
  )

/** The commits that are not mapped yet, each with its parents, parents first: a line of 40 digits for each. */
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
      `The remote's history has more than ${MAX_COMMITS} commits, too many to import a folder of it.`,
    )
  return lines
}

/** Asks Git for what the scratch repository has. Throws `RemoteError` 'timeout', and `GitError` if something cannot be read. */
async function ask(
  { scratch, launcher, left }: MapperTools,
  args: readonly string[],
  lines: readonly string[],
): Promise<Buffer> {
  const input = lines.map((line) => `${line}\n`).join('')
  try {
    return await launcher.mustRun(args, { cwd: scratch, input, timeoutMs: Math.max(1, left()) })
  } catch (error) {
    // What only took too long is not damaged.
    throw left() <= 0 ? tooSlow() : error
  }
}

/** The folder that a line of `cat-file --batch-check` names; null if there is none, or none was found. */
function folderOf(line = ''): TreeId | null {
  const [type, oid = ''] = line.split(' ')
  return type === 'tree' && isOid(oid) ? (oid as TreeId) : null
}

class Batch {
  /** Folders of the commits of this batch, as they count here. */
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
      lines.map((line) => line.split(' ')).filter(([id]) => this.map.find(id as string) === undefined),
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

  /** Looks up the folder of each commit, by one process. Throws `GitError` if what leads to the folder cannot be read. */
  async #withFolders(commits: readonly string[][]): Promise<Row[]> {
    if (commits.length === 0) return []
    const found = await ask(
      this.tools,
      ['cat-file', '--buffer', '--batch-check=%(objecttype) %(objectname)'],
      // With the slash it is no file: Git would look for that, which may not have been fetched.
      commits.map(([id]) => `${id}:${this.order.directory}/`),
    )
    const answers = found.toString('latin1').split('\n')
    const folders = commits.map((_, at) => folderOf(answers[at]))
    await this.#requireAbsent(commits.flatMap(([id = ''], at) => (folders[at] === null ? [id] : [])))
    return commits.map(([id = '', ...parents], at) => {
      const own = folders[at] ?? null
      const tree = own ?? (parents.some((parent) => this.#treeAt(parent) !== null) ? (EMPTY_TREE as TreeId) : null)
      this.#effective.set(id, tree)
      return { id, parents, tree }
    })
  }

  /**
   * Git says of a folder that it is missing also if a folder that leads to it, or its own, cannot be read. Whoever took that for deleted would delete its pages.
   * So each folder on the way is read, as far as there is one. Throws `GitError` if one cannot be read, or if there is a folder.
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
      throw new GitError(`${this.order.directory} was not found, and is there`)
  }

  /** The folder of a commit that was looked up or mapped. */
  #treeAt(commit: string): TreeId | null {
    const own = this.#effective.get(commit)
    if (own !== undefined) return own
    const mapped = this.map.find(commit)
    if (mapped === undefined) throw new GitError(`commit ${commit} was not mapped before its children`)
    return mapped === null ? null : this.map.treeOf(mapped)
  }

  /** Whether the commit needs not be read: it has no folder yet, or that of its only parent. */
  #isPlain({ parents, tree }: Row): boolean {
    return tree === null || (parents.length === 1 && this.#treeAt(parents[0] as string) === tree)
  }

  async #mapOne({ parents, tree }: Row, info: CommitInfo | undefined): Promise<Omit<MappedLine, 'remote'>> {
    if (tree === null) return { mapped: null }
    const mapped = parents.map((parent) => this.map.find(parent) ?? null).filter((parent) => parent !== null)
    const kept = await this.#independent([...new Set(mapped)])
    const [only] = kept
    if (only !== undefined && kept.length === 1 && this.map.treeOf(only) === tree) return { mapped: only }
    if (info === undefined) throw new GitError('a commit that has to be made was not read')
    const { message, author, committer, headers } = this.order.folderCommit(info, kept, tree)
    const made = encodeObject(
      'commit',
      encodeCommit({ tree, parents: kept, message, author, committer, ...(headers === undefined ? {} : { headers }) }),
    )
    this.#objects.push(made)
    return { mapped: made.oid as CommitId, made: { tree, parents: kept } }
  }

  /** Drops parents that are ancestors of other parents: the merge of a branch that never changed the folder is no merge here. */
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

  /** Reads commits, by one process. */
  async #read(ids: readonly string[]): Promise<Map<string, CommitInfo>> {
    const infos = new Map<string, CommitInfo>()
    const bytes = ids.length === 0 ? Buffer.alloc(0) : await ask(this.tools, ['cat-file', '--buffer', '--batch'], ids)
    for (let at = 0; at < bytes.length; ) {
      if (this.#slices.due) await this.#slices.rest()
      const end = bytes.indexOf(0x0a, at)
      const [id = '', type, size] = bytes.toString('latin1', at, end).split(' ')
      if (type !== 'commit') throw new GitError(`commit ${id} is missing`)
      infos.set(id, parseCommit(id as CommitId, bytes.subarray(end + 1, end + 1 + Number(size))))
      at = end + 2 + Number(size)
    }
    return infos
  }
}

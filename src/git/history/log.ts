/**
 * Lists the commits of a branch like `git log`, and starts a Git process only if the available objects are not enough.
 */
import { type CommitId, isOid, asOid } from '../../kernel/ids.js'
import { GitError, MissingObject } from '../errors.js'
import type { ObjectDatabase } from '../objects/database.js'
import { type Launcher, TooMuchOutput } from '../process/launcher.js'
import type { CommitInfo, FileChangesQuery, HistoryQuery, PastFileChange } from '../types.js'
import type { Ancestry } from './ancestry.js'

const TIMEOUT_MS = 120_000
/** Maximum number of commits that are sorted in this process, so that merging a change request needs no Git process. */
const MAX_SORTED_HERE = 256

/**
 * Returns commits in the order of `git log`, latest first. Throws `MissingObject` if one of `from` and `not` does not
 * exist.
 */
export async function readHistory(
  objects: ObjectDatabase,
  launcher: Launcher,
  ancestry: Ancestry,
  query: HistoryQuery,
): Promise<CommitInfo[]> {
  if (query.limit === 0) return []
  const { from, not = [], limit, ...rest } = query
  if (not.length > 0 && Object.values(rest).every((value) => value === undefined)) {
    await mustHave(objects, [from, ...not])
    const own = await ancestry.missingFrom(not, from, MAX_SORTED_HERE)
    if (own) return (await byDate(objects, from, own)).slice(0, limit)
  }
  if (query.firstParent && query.path === undefined && query.author === undefined && !query.not?.length) {
    await mustHave(objects, [query.from])
    return firstParents(objects, query)
  }
  const ids = await readHistoryIds(objects, launcher, query)
  const commits: CommitInfo[] = []
  for (let at = 0; at < ids.length; at += 200)
    commits.push(...(await Promise.all(ids.slice(at, at + 200).map((id) => objects.commit(id)))))
  return commits
}

/** Like `readHistory`, but returns only the IDs. */
export async function readHistoryIds(
  objects: ObjectDatabase,
  launcher: Launcher,
  query: HistoryQuery,
): Promise<CommitId[]> {
  if (query.limit === 0) return []
  await mustHave(objects, [query.from, ...(query.not ?? [])])
  return listCommits(objects, launcher, query)
}

async function mustHave(objects: ObjectDatabase, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    if (!isOid(id) || !(await objects.hasCommit(id))) throw new MissingObject(`there is no commit ${id}`)
}

/**
 * Returns the commits of `wanted` that are reachable from `from`, latest first. Of two commits in the same second, the
 * one found first comes first.
 */
async function byDate(objects: ObjectDatabase, from: CommitId, wanted: ReadonlySet<string>): Promise<CommitInfo[]> {
  const ordered: CommitInfo[] = []
  const waiting: CommitInfo[] = []
  const met = new Set<string>()
  const meet = async (id: CommitId): Promise<void> => {
    if (!wanted.has(id) || met.has(id)) return
    met.add(id)
    const info = await objects.commit(id)
    const later = waiting.findIndex(({ committer }) => committer.seconds < info.committer.seconds)
    waiting.splice(later < 0 ? waiting.length : later, 0, info)
  }
  await meet(from)
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    ordered.push(next)
    for (const parent of next.parents) await meet(parent)
  }
  return ordered
}

async function firstParents(
  objects: ObjectDatabase,
  { from, limit = Number.POSITIVE_INFINITY, skip = 0 }: HistoryQuery,
): Promise<CommitInfo[]> {
  const commits: CommitInfo[] = []
  let id: string | undefined = from
  for (let at = 0; id !== undefined && commits.length < limit; at++) {
    const commit: CommitInfo = await objects.commit(id)
    if (at >= skip) commits.push(commit)
    id = commit.parents[0]
  }
  return commits
}

/** Maximum number of bytes of commits that Git prints. If there are more, the commits are read one by one. */
const MAX_HEADER_BYTES = 64 * 1024 * 1024

/**
 * Returns the newest of the first `limit` commits on the first-parent line of `from` that has a header; null if none
 * has it.
 */
export async function findWithHeader(
  objects: ObjectDatabase,
  launcher: Launcher,
  from: CommitId,
  header: string,
  limit: number,
): Promise<CommitId | null> {
  const has = (commits: readonly CommitInfo[]): CommitId | null =>
    commits.find(({ headers }) => headers[header] !== undefined)?.id ?? null
  const few = await firstParents(objects, { from, limit: Math.min(limit, MAX_SORTED_HERE) })
  if (has(few) !== null || few.length < MAX_SORTED_HERE || limit === few.length) return has(few)
  const args = ['rev-list', '--first-parent', '--header', `--max-count=${limit}`, from, '--']
  try {
    const output = await launcher.mustRun(args, {
      cwd: objects.repository,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_HEADER_BYTES,
    })
    // Git indents the lines of messages, so only a header can start a line.
    const at = output.indexOf(`\n${header} `)
    const start = output.lastIndexOf(0, at) + 1
    return at < 0 ? null : asOid(output.toString('latin1', start, start + from.length))
  } catch (error) {
    if (error instanceof TooMuchOutput) return has(await firstParents(objects, { from, limit }))
    throw error
  }
}

/**
 * An e-mail address that can be searched for between angle brackets: no character in it can end the option or the
 * bracket.
 */
const ADDRESS = /^[^\0-\x20<>]+$/

async function listCommits(objects: ObjectDatabase, launcher: Launcher, query: HistoryQuery): Promise<CommitId[]> {
  const { from, not = [], path, firstParent, author, limit, skip } = query
  if (path?.includes('\0')) throw new GitError('a path cannot contain NUL')
  if (author !== undefined && !ADDRESS.test(author)) return []
  const options = [
    ...(firstParent ? ['--first-parent'] : []),
    ...(author === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case', `--author=<${author}>`]),
    ...(limit === undefined ? [] : [`--max-count=${Math.trunc(limit)}`]),
    ...(skip === undefined ? [] : [`--skip=${Math.trunc(skip)}`]),
  ]
  const paths = path ? [`:(top,literal)${path}`] : []
  const args = ['rev-list', ...options, from, ...not.map((id) => `^${id}`), '--', ...paths]
  const text = await launcher.mustRun(args, { cwd: objects.repository, timeoutMs: TIMEOUT_MS })
  return text.toString('latin1').split('\n').filter(Boolean).map(asOid)
}

/** A file in the raw format of Git: modes, object IDs before and after, kind of change, path. */
const RAW = /^:(\d{6}) \d{6} ([0-9a-f]+) [0-9a-f]+ [A-Z]/

/** Lists the changes of a file with one Git process, without reading a tree on this thread. */
export async function readFileChanges(
  objects: ObjectDatabase,
  launcher: Launcher,
  { from, path, limit, since }: FileChangesQuery,
): Promise<PastFileChange[]> {
  if (path.includes('\0')) throw new GitError('a path cannot contain NUL')
  await mustHave(objects, [from])
  const options = ['--first-parent', '-m', '--raw', '--no-abbrev', '--no-renames', '--format=%H']
  const bounds = [`--max-count=${Math.trunc(limit)}`, ...(since === undefined ? [] : [`--since=@${Math.trunc(since)}`])]
  const args = ['log', ...options, ...bounds, from, '--', `:(top,literal)${path}`]
  const text = await launcher.mustRun(args, { cwd: objects.repository, timeoutMs: TIMEOUT_MS })
  const changes: PastFileChange[] = []
  for (const line of text.toString('latin1').split('\n')) {
    const [, mode, before] = RAW.exec(line) ?? []
    const last = changes.at(-1)
    if (before !== undefined && last) last.before = mode === '000000' ? null : before
    else if (isOid(line)) changes.push({ commit: line, before: null })
  }
  return changes
}

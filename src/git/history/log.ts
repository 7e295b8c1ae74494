import { isOid } from '../../kernel/ids.js'
import { GitError, MissingObject } from '../errors.js'
import type { ObjectDatabase } from '../objects/database.js'
import type { Launcher } from '../process/launcher.js'
import type { CommitInfo, HistoryQuery } from '../types.js'

const TIMEOUT_MS = 120_000

/** Commits as `git log` orders them: by falling date. Throws `MissingObject` where `from` or `not` are not here. */
export async function readHistory(objects: ObjectDatabase, launcher: Launcher, query: HistoryQuery): Promise<CommitInfo[]> {
  if (query.limit === 0) return []
  for (const id of [query.from, ...(query.not ?? [])]) {
    if (!isOid(id) || !(await objects.hasCommit(id))) throw new MissingObject(`there is no commit ${id}`)
  }
  if (query.firstParent && query.path === undefined && !query.not?.length) return firstParents(objects, query)
  const ids = await listCommits(objects, launcher, query)
  const commits: CommitInfo[] = []
  for (let at = 0; at < ids.length; at += 200) commits.push(...(await Promise.all(ids.slice(at, at + 200).map((id) => objects.commit(id)))))
  return commits
}

async function firstParents(objects: ObjectDatabase, { from, limit = Number.POSITIVE_INFINITY, skip = 0 }: HistoryQuery): Promise<CommitInfo[]> {
  const commits: CommitInfo[] = []
  let id: string | undefined = from
  for (let at = 0; id !== undefined && commits.length < limit; at++) {
    const commit: CommitInfo = await objects.commit(id)
    if (at >= skip) commits.push(commit)
    id = commit.parents[0]
  }
  return commits
}

async function listCommits(objects: ObjectDatabase, launcher: Launcher, { from, not = [], path, firstParent, limit, skip }: HistoryQuery): Promise<string[]> {
  if (path?.includes('\0')) throw new GitError('a path cannot hold NUL')
  const options = [
    ...(firstParent ? ['--first-parent'] : []),
    ...(limit === undefined ? [] : [`--max-count=${Math.trunc(limit)}`]),
    ...(skip === undefined ? [] : [`--skip=${Math.trunc(skip)}`]),
  ]
  const paths = path ? [`:(top,literal)${path}`] : []
  const args = ['rev-list', ...options, from, ...not.map((id) => `^${id}`), '--', ...paths]
  const text = await launcher.mustRun(args, { cwd: objects.repository, timeoutMs: TIMEOUT_MS })
  return text.toString('latin1').split('\n').filter(Boolean)
}

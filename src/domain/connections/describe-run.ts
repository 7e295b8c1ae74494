/** Describes a run of a connection: its commits and its changes. */
import { type ChangesQuery, type ConnectionRunDetails, type SyncRunDoc, syncRuns } from '../../model/index.js'
import { iso } from '../../kernel/clock.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { changesBetween } from '../revisions/changes/changes.js'

const MAX_COMMITS = 50

/** Finds a run of the connection. Null if there is none. */
export async function findRun(app: App, connection: { id: string }, id: string): Promise<Document<SyncRunDoc> | null> {
  const run = await app.store.get(syncRuns, id)
  return run?.connection === connection.id ? run : null
}

type Details = Pick<ConnectionRunDetails, 'commits' | 'moreCommits' | 'changes' | 'more'>

/** Returns the commits and changes that a run imported to main or exported from it. Empty if it changed nothing. */
export async function describeRun(
  app: App,
  space: LoadedSpace,
  run: SyncRunDoc,
  query: ChangesQuery,
): Promise<Details> {
  const { repo } = space
  const to = run.revision
  const from = run.baseRevision ?? null
  const moved = run.result === 'adopted' || run.result === 'merged' || run.result === 'exported'
  if (
    !moved ||
    to === undefined ||
    !(await repo.objects.hasCommit(to)) ||
    (from !== null && !(await repo.objects.hasCommit(from)))
  )
    return { commits: [], changes: [] }
  const found = await repo.history.log({ from: to, not: from === null ? [] : [from], limit: MAX_COMMITS + 1 })
  const commits = found.slice(0, MAX_COMMITS).map(({ id, message, author, committer }) => ({
    id,
    message: message.split('\n', 1)[0] ?? '',
    author: author.name,
    createdAt: iso(committer.seconds),
  }))
  return {
    commits,
    ...(found.length > MAX_COMMITS ? { moreCommits: true } : {}),
    ...(await changesBetween(app, space, { before: from, after: to }, query)),
  }
}

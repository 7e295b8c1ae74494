/** The record of a page: its last change, with date, author and commit. */
import { remoteCommits, remoteLogOf } from '../domain/git-sync/remote-commits.js'
import { lastChangeOf } from '../domain/revisions/last-change.js'
import type { ReadPage } from '../domain/sites/visitor-paths.js'
import { defined } from '../kernel/defined.js'
import type { CommitId } from '../kernel/ids.js'
import type { Visit } from './visit.js'
import { formatDay } from './words/index.js'

/** The last change of a page. */
export interface PageRecord {
  /** The day as ISO 8601, and as readers see it. */
  date: string
  day: string
  /** The name of the author; '' if Git has none. */
  author: string
  /** The start of the commit's ID. */
  commit: string
  /** The address of the commit at the host of the repository. */
  address?: string
}

/** Returns the record of a page that has a file. Null if the file has no history. */
export async function recordOf(
  { app }: Visit,
  { pages: { revision } }: ReadPage,
  gitPath: string,
  locale: string,
): Promise<PageRecord | null> {
  const { space, snapshot } = revision
  const change = await lastChangeOf(app, space, snapshot.commit, gitPath)
  if (!change) return null
  const { commit, seconds, author } = change
  return {
    date: new Date(seconds * 1000).toISOString().slice(0, 10),
    day: formatDay(seconds, locale),
    author,
    commit: commit.slice(0, 7),
    ...defined({ address: (await addressOfCommit(app, space, commit)) ?? undefined }),
  }
}

type Space = ReadPage['pages']['revision']['space']

/** Returns the address at the host of the commit from which a revision was imported, or as which it was exported. */
async function addressOfCommit(app: Visit['app'], space: Space, commit: CommitId): Promise<string | null> {
  const prefix = space.doc.git?.repoCommitURL
  if (prefix === undefined) return null
  const key = `${space.doc.id}:${remoteLogOf(space)}:${commit}`
  const known = app.content.remoteCommits.get(key)
  const remote = known ?? (await (await remoteCommits(space))(commit)) ?? 'none'
  app.content.remoteCommits.set(key, remote)
  return remote === 'none' ? null : `${prefix.replace(/\/+$/, '')}/${remote}`
}

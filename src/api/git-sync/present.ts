/** Turns a space's link to a remote and its sync runs into the JSON that clients get. */
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { MAIN } from '../../domain/context/refs.js'
import type { ConnectionDoc, GitInfo, GitRun, SyncRunDoc } from '../../model/index.js'
import { presentGitSync } from '../spaces/present.js'

const optional = <K extends keyof SyncRunDoc>(run: SyncRunDoc, ...keys: K[]): Pick<SyncRunDoc, K> =>
  Object.fromEntries(keys.filter((key) => run[key] !== undefined).map((key) => [key, run[key]])) as Pick<SyncRunDoc, K>

/** Returns the response of `git/info`: the link, the newest run, and the connection to the linked remote. */
export function presentGitInfo(
  space: LoadedSpace,
  run: SyncRunDoc | undefined,
  connection: ConnectionDoc | null,
): GitInfo {
  const link = space.doc.git
  return {
    ...(link === undefined ? {} : { ...presentGitSync(link, connection), ref: link.ref }),
    ...(run === undefined
      ? {}
      : {
          state: run.state,
          direction: run.direction,
          stage: run.stage,
          progress: run.progress,
          error: run.error ?? null,
          ref: run.ref,
          revision: space.repo.refs.head(MAIN) ?? '',
          ...optional(run, 'remoteRevision', 'revision', 'changeRequest'),
        }),
  }
}

/** Returns one run of the history. */
export function presentGitRun(run: SyncRunDoc): GitRun {
  return {
    object: 'git-run',
    id: run.id,
    direction: run.direction,
    state: run.state,
    stage: run.stage,
    progress: run.progress,
    url: run.url,
    ref: run.ref,
    repoProjectDirectory: run.directory,
    force: run.force,
    standalone: run.standalone,
    startedAt: run.startedAt,
    requestedBy: run.requestedBy,
    ...optional(
      run,
      'work',
      'connection',
      'trigger',
      'result',
      'finishedAt',
      'error',
      'remoteRevision',
      'revision',
      'changeRequest',
      'exportMode',
    ),
  }
}

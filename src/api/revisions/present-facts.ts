// Presents the fields of a revision that come from Git and its change request, for all responses with revisions.
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { PAGE_IDS } from '../../domain/revisions/identity.js'
import { mergedChangeRequest } from '../../domain/revisions/revision-type.js'
import { remoteCommits } from '../../domain/git-sync/remote-commits.js'
import type { CommitInfo } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'

/**
 * Returns a function that presents the Git data of a revision, with the provider's URL of the commit that was imported
 * or exported.
 */
export async function revisionGitOf(space: LoadedSpace) {
  const remoteOf = space.doc.git?.repoCommitURL === undefined ? null : await remoteCommits(space)
  return async (info: CommitInfo) => presentRevisionGit(space, info, (await remoteOf?.(info.id)) ?? null)
}

function presentRevisionGit({ doc }: LoadedSpace, info: CommitInfo, remote: CommitId | null) {
  const link = doc.git
  return {
    oid: info.id,
    message: info.message,
    createdByService: info.headers[PAGE_IDS] !== undefined,
    ...(link?.repoCommitURL === undefined || remote === null
      ? {}
      : { url: `${link.repoCommitURL.replace(/\/+$/, '')}/${remote}` }),
    ...(link === undefined ? {} : { ref: link.ref }),
  }
}

/** Returns the change request that a revision merged as the field `mergedFrom`, or no field. */
export async function presentMergedFrom(app: App, space: LoadedSpace, info: CommitInfo) {
  const from = await mergedChangeRequest(app, space, info)
  return from
    ? { mergedFrom: { object: 'change-request' as const, id: from.id, number: from.number, subject: from.subject } }
    : {}
}

// The fields of a revision that Git and its change request give, shared by what shows revisions.
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { PAGE_IDS } from '../../domain/revisions/identity.js'
import { mergedChangeRequest } from '../../domain/revisions/revision-type.js'
import { remoteCommits } from '../../domain/git-sync/remote-commits.js'
import type { CommitInfo } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'

/** Returns a function that presents what Git records of a revision, and where the provider shows the commit that it came from or was exported as. */
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

/** The change request that a revision merged, as the field `mergedFrom`; without one, no field. */
export async function presentMergedFrom(app: App, space: LoadedSpace, info: CommitInfo) {
  const from = await mergedChangeRequest(app, space, info)
  return from
    ? { mergedFrom: { object: 'change-request' as const, id: from.id, number: from.number, subject: from.subject } }
    : {}
}

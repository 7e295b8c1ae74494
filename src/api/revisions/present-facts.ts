// The fields of a revision that Git and its change request give, shared by what shows revisions.
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { PAGE_IDS } from '../../domain/revisions/identity.js'
import { mergedChangeRequest } from '../../domain/revisions/revision-type.js'
import type { CommitInfo } from '../../git/index.js'

/** What Git records of a revision, and where the provider shows it. */
export function presentRevisionGit({ doc }: LoadedSpace, info: CommitInfo) {
  const link = doc.git
  return {
    oid: info.id,
    message: info.message,
    createdByService: info.headers[PAGE_IDS] !== undefined,
    ...(link?.repoCommitURL === undefined ? {} : { url: `${link.repoCommitURL.replace(/\/$/, '')}/${info.id}` }),
    ...(link === undefined ? {} : { ref: link.ref }),
  }
}

/** The change request that a revision merged, as the field `mergedFrom`; without one, no field. */
export async function presentMergedFrom(app: App, space: LoadedSpace, info: CommitInfo) {
  const from = await mergedChangeRequest(app, space, info)
  return from ? { mergedFrom: { object: 'change-request' as const, id: from.id, number: from.number, subject: from.subject } } : {}
}

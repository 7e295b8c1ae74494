/** Turns exports of change requests into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import type { ChangeRequestExport, RequestExportDoc } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

const exportPath = ({ space, id }: Pick<RequestExportDoc, 'space' | 'id'>): string =>
  `/v1/spaces/${space}/change-requests/${id}/git/pull-request`

/** Returns an export as JSON. */
export function presentExport(app: App, doc: RequestExportDoc): ChangeRequestExport {
  const { pushed, pullRequest, became, revisionMerged, reason, waitsFor, problem, lookedAt } = doc
  return {
    object: 'change-request-export',
    changeRequest: doc.id,
    connection: doc.connection,
    status: doc.status,
    branch: doc.branch,
    base: doc.base,
    ...(pushed ?? {}),
    ...defined({ pullRequest }),
    reviewers: { asked: doc.asked, named: doc.named },
    ...(became === undefined ? {} : { merged: { ...became, ...defined({ revision: revisionMerged }) } }),
    ...defined({ reason, waitsFor }),
    ...(problem === undefined
      ? {}
      : { problem: { cause: problem.cause, message: problem.message, since: problem.since } }),
    requestedBy: doc.requestedBy,
    createdAt: doc.createdAt,
    ...defined({ lookedAt }),
    urls: { location: app.settings.publicUrl + exportPath(doc) },
  }
}

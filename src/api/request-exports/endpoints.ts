/** Endpoints of change requests that are exported as pull requests. */
import { Type } from '@sinclair/typebox'
import { getExport, requestExportOf } from '../../domain/request-exports/request.js'
import { ChangeRequestExport, ExportChangeRequest, type RequestExportDoc } from '../../model/index.js'
import { endpoint } from '../service.js'
import type { App } from '../../domain/context/app.js'
import { defined } from '../../kernel/defined.js'

const exportPath = ({ space, id }: Pick<RequestExportDoc, 'space' | 'id'>): string =>
  `/v1/spaces/${space}/change-requests/${id}/git/pull-request`

/** Returns an export as JSON. */
function presentExport(app: App, doc: RequestExportDoc): ChangeRequestExport {
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

const section = 'Connections'

export const exportChangeRequest = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/git/pull-request',
  summary: 'Export a change request as a pull request',
  description:
    'Pushes the change request to its own branch on the host and opens a pull request there, both in the background. From then on, both follow each other: ' +
    'changes here are pushed, commits pushed there are imported, and if the pull request is merged or closed there, the change request is merged or ' +
    'archived here. If it is already exported, both sides are compared immediately; an export that has ended starts again.',
  section,
  needs: 'space:triggerGitSync',
  body: Type.Optional(ExportChangeRequest),
  status: 202,
  returns: ChangeRequestExport,
  fails: [409],
  handle: async ({ app, actor, space, changeRequest, body }) =>
    presentExport(app, await requestExportOf(app, actor, space, changeRequest, body?.connection)),
})

export const getChangeRequestExport = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/git/pull-request',
  summary: 'Get the pull request of a change request',
  section,
  needs: 'space:view',
  returns: ChangeRequestExport,
  handle: async ({ app, changeRequest }) => presentExport(app, await getExport(app, changeRequest)),
})

/** Handles requests to export a change request as a pull request on the host of a connection. */
import { conflict, notFound } from '../../kernel/errors.js'
import {
  type ConnectionDoc,
  changeRequests,
  connections,
  type RequestExportDoc,
  requestExports,
  spaces,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { queuePoll } from '../connections/host-polls.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { exportPolls, isLive } from './schedule.js'

/** Maximum number of live exports per connection. */
const MAX_LIVE = 100

/** Returns the export of a change request. Throws 404 if it was never exported. */
export async function getExport(app: App, { doc }: LoadedChangeRequest): Promise<Document<RequestExportDoc>> {
  const found = await app.store.get(requestExports, doc.id)
  if (!found) throw notFound('The pull request of the change request')
  return found
}

/**
 * Exports a change request, or polls its existing export at once. An export that has ended starts again with a new
 * branch and pull request. Throws 404 (no such connection), 409 (nothing to export, or the connection does not support
 * it).
 */
export async function requestExportOf(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  requested: string | null | undefined,
): Promise<Document<RequestExportDoc>> {
  const connection = await selectConnection(app, space, requested)
  checkCanExport(connection)
  const { doc, head } = changeRequest
  if (await space.repo.history.isAncestor(head, headOf(space)))
    throw conflict('There is nothing to export: main already contains all changes of the change request.')
  const now = app.clock.now()
  const exported = await app.store.transact(async (tx) => {
    const request = await tx.get(changeRequests, doc.id)
    const stored = await tx.get(spaces, doc.space)
    if (!request || !stored) throw notFound('The change request')
    if (request.status === 'merged' || request.status === 'archived')
      throw conflict(`The change request is ${request.status}. Only a draft or open change request can be exported.`)
    if (request.remoteKey !== undefined)
      throw conflict(
        'The change request holds a sync conflict. Resolve it here; the next export brings the result to the repository.',
      )
    const before = await tx.get(requestExports, doc.id)
    if (before && isLive(before)) {
      if (before.connection !== connection.id)
        throw conflict(`The connection ${before.connection} already exports the change request.`)
      await queuePoll(app, tx, exportPolls.order(before), now.getTime())
      return before
    }
    const live = (await tx.find(requestExports, 'connection', connection.id)).filter(isLive)
    if (live.length >= MAX_LIVE)
      throw conflict(
        `A connection can have at most ${MAX_LIVE} exported change requests that are open. Merge or archive some first.`,
      )
    const next = newExport(connection, request, {
      by: actor.user.id,
      now: now.toISOString(),
      round: (before?.round ?? 0) + 1,
    })
    const inserted = before
      ? await tx.replace(requestExports, { ...next, version: before.version })
      : await tx.insert(requestExports, next)
    await queuePoll(app, tx, exportPolls.order(inserted), now.getTime())
    return inserted
  })
  app.wakes.jobs()
  return exported
}

const newExport = (
  connection: ConnectionDoc,
  request: { id: string; number: number },
  { by, now, round }: { by: string; now: string; round: number },
): RequestExportDoc => ({
  id: request.id,
  space: connection.space,
  organization: connection.organization,
  connection: connection.id,
  key: connection.key,
  branch: `refs/heads/bindery/${connection.space}/change-request-${request.number}${round === 1 ? '' : `-${round}`}`,
  base: connection.ref,
  status: 'pending',
  round,
  asked: [],
  named: [],
  changedAt: now,
  requestedBy: by,
  createdAt: now,
})

/** Returns the named connection, or the only one that exports change requests. */
async function selectConnection(
  app: App,
  { doc }: LoadedSpace,
  requested: string | null | undefined,
): Promise<ConnectionDoc> {
  const all = await app.store.find(connections, 'space', doc.id)
  const named =
    requested == null
      ? all.filter(({ pullRequests }) => pullRequests.changeRequests)
      : all.filter(({ id }) => id === requested)
  const [first, ...others] = named
  if (first && others.length === 0) return first
  if (requested != null) throw notFound('The connection')
  throw conflict(
    first
      ? 'Several connections of the space export change requests. Select one with `connection`.'
      : 'No connection of the space exports change requests. An admin has to set pullRequests.changeRequests of one.',
  )
}

/** Throws 409 if the connection cannot export change requests. */
function checkCanExport({ pullRequests, provider, direction, credential, paused }: ConnectionDoc): void {
  if (!pullRequests.changeRequests)
    throw conflict(
      'The connection does not export change requests. An admin has to set its pullRequests.changeRequests.',
    )
  if (direction === 'export')
    throw conflict(
      'The connection only exports, so merges on the host would never be imported. Set its direction to both, or to import.',
    )
  if (provider === 'generic')
    throw conflict(
      'The provider of the connection is generic, which has no API for pull requests. Set it to github, gitlab, gitea or bitbucket.',
    )
  if (credential.kind === 'none' || credential.kind === 'sshKey')
    throw conflict(
      'A pull request needs the API of the host. Set a token or a GitHub App as the credential of the connection. A deploy key only works for Git.',
    )
  if (paused) throw conflict('The connection is paused. Resume it first.')
}

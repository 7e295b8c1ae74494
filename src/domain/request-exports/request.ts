/** Takes requests to export a change request as a pull request on the host of a connection. */
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
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { headOf } from '../revisions/main-content.js'
import { isLive, scheduleLook } from './schedule.js'

/** Exports of a connection that have not ended. */
const MAX_LIVE = 100

/** The export of a change request. Throws 404 if it was never exported. */
export async function getExport(app: App, { doc }: LoadedChangeRequest): Promise<Document<RequestExportDoc>> {
  const found = await app.store.get(requestExports, doc.id)
  if (!found) throw notFound('The pull request of the change request')
  return found
}

/**
 * Exports a change request, or looks at once at its export if there is one. One that has ended begins again, with a branch and a pull request of its own.
 * Throws 404 (no such connection), 409 (nothing to export, or the connection does not do this).
 */
export async function requestExportOf(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest,
  wanted: string | null | undefined,
): Promise<Document<RequestExportDoc>> {
  const connection = await chosen(app, space, wanted)
  checkCan(connection)
  const { doc, head } = changeRequest
  if (await space.repo.isAncestor(head, headOf(space)))
    throw conflict('There is nothing to export: main has everything that the change request has.')
  const now = app.clock.now()
  const made = await app.store.transact(async (tx) => {
    const request = await tx.get(changeRequests, doc.id)
    const stored = await tx.get(spaces, doc.space)
    if (!request || !stored) throw notFound('The change request')
    if (request.status === 'merged' || request.status === 'archived')
      throw conflict(`The change request is ${request.status}: only a draft or an open one can be exported.`)
    if (request.remoteKey !== undefined)
      throw conflict(
        'The change request holds a conflict of a synchronization. Resolve it here; the next export brings the result to the repository.',
      )
    const before = await tx.get(requestExports, doc.id)
    if (before && isLive(before)) {
      if (before.connection !== connection.id)
        throw conflict(`The change request is exported by the connection ${before.connection} already.`)
      await scheduleLook(app, tx, before, now.getTime())
      return before
    }
    const live = (await tx.find(requestExports, 'connection', connection.id)).filter(isLive)
    if (live.length >= MAX_LIVE)
      throw conflict(
        `A connection can have at most ${MAX_LIVE} exported change requests that are open: merge or archive some first.`,
      )
    const next = newExport(connection, request, {
      by: actor.user.id,
      now: now.toISOString(),
      round: (before?.round ?? 0) + 1,
    })
    const inserted = before
      ? await tx.replace(requestExports, { ...next, version: before.version })
      : await tx.insert(requestExports, next)
    await scheduleLook(app, tx, inserted, now.getTime())
    return inserted
  })
  app.wakeJobs()
  return made
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

/** The connection that is named, or the only one that exports change requests. */
async function chosen(app: App, { doc }: LoadedSpace, wanted: string | null | undefined): Promise<ConnectionDoc> {
  const all = await app.store.find(connections, 'space', doc.id)
  const named =
    wanted == null
      ? all.filter(({ pullRequests }) => pullRequests.changeRequests)
      : all.filter(({ id }) => id === wanted)
  const [first, ...others] = named
  if (first && others.length === 0) return first
  if (wanted != null) throw notFound('The connection')
  throw conflict(
    first
      ? 'Several connections of the space export change requests: say which one, in connection.'
      : 'No connection of the space exports change requests: an admin has to set pullRequests.changeRequests of one.',
  )
}

/** Throws 409 if the connection cannot export change requests. */
function checkCan({ pullRequests, provider, direction, credential, paused }: ConnectionDoc): void {
  if (!pullRequests.changeRequests)
    throw conflict(
      'The connection does not export change requests: an admin has to set its pullRequests.changeRequests.',
    )
  if (direction === 'export')
    throw conflict(
      'The connection only exports: what is merged on the host would never come here. Set its direction to both, or to import.',
    )
  if (provider === 'generic')
    throw conflict(
      'The provider of the connection is generic, which has no API for pull requests: set it to github, gitlab, gitea or bitbucket.',
    )
  if (credential.kind === 'none' || credential.kind === 'sshKey')
    throw conflict(
      'A pull request needs the API of the host: give the connection a token or a GitHub App. A deploy key opens the repository for Git alone.',
    )
  if (paused) throw conflict('The connection is paused: resume it first.')
}

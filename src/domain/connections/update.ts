/** Changes the settings of connections. */
import { newWebhookSecret } from '../../auth/index.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { type ConnectionDoc, connections, spaces, type UpdateConnection } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { copySyncPoints } from '../git-sync/log-moves.js'
import { remoteOf } from '../git-sync/remote.js'
import type { ConnectionAndSecret } from './create-connection.js'
import { sealCredential, sealWebhookSecret } from './credential.js'
import { checkApiUrl, checkCredentialFits, checkNew, credentialIn, readAddress, serverOf } from './input.js'
import { linkSpace, emitConnectionEvent, unlinkSpace } from './link.js'
import { pollAfterChange } from './preview-polls.js'
import { defined } from '../../kernel/defined.js'

/** Changes a connection as it is currently stored. Throws 404 if it was deleted in the meantime. */
async function changeConnection(
  app: App,
  actor: Actor,
  connection: ConnectionDoc,
  work: (tx: Transaction, stored: Document<ConnectionDoc>) => Promise<Document<ConnectionDoc>>,
): Promise<Document<ConnectionDoc>> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(connections, connection.id)
    if (!stored) throw notFound('The connection')
    const changed = await tx.replace(connections, {
      ...(await work(tx, stored)),
      updatedAt: app.clock.now().toISOString(),
    })
    await pollAfterChange(app, tx, stored, changed)
    await emitConnectionEvent(app, tx, actor, 'updated', changed)
    return changed
  })
  app.wakes.connections({ connection: doc.id })
  app.wakes.jobs()
  return doc
}

/**
 * Changes the given settings. With another repository, branch or folder, the sync starts over. A credential is never
 * sent to a host other than the one that it was given for. Throws 400, 409.
 */
export async function updateConnection(
  app: App,
  actor: Actor,
  connection: Document<ConnectionDoc>,
  input: UpdateConnection,
): Promise<ConnectionAndSecret> {
  await checkApiUrl(app, input.apiUrl)
  const fresh = input.webhookSecret === null ? newWebhookSecret() : undefined
  await carryFolder(app, connection, input)
  const doc = await changeConnection(app, actor, connection, async (tx, stored) => {
    const moved = input.url !== undefined || input.ref !== undefined || input.repoProjectDirectory !== undefined
    const place = moved ? await newRemote(app, tx, stored, input) : { remote: {}, given: null }
    const url = ('url' in place.remote ? place.remote.url : undefined) ?? stored.url
    const given = credentialIn(input.credential, place.given, url)
    const isOtherHost = serverOf(url) !== serverOf(stored.url) || apiElsewhere(stored, input)
    if (given === null && isOtherHost && stored.credential.kind !== 'none')
      throw badRequest('The stored credential is not sent to another host. Set `credential` for the new host.', [
        { path: '/credential', message: 'must be set when the host changes' },
      ])
    if (given === null) checkCredentialFits(url, stored.credential)
    const secret = input.webhookSecret ?? fresh
    const { commitMessage, apiUrl, ...rest } = stored
    const message = input.commitMessage === undefined ? commitMessage : (input.commitMessage ?? undefined)
    const api = input.apiUrl === undefined ? apiUrl : (input.apiUrl ?? undefined)
    return {
      ...rest,
      ...place.remote,
      provider: input.provider ?? stored.provider,
      direction: input.direction ?? stored.direction,
      exportMode: input.exportMode ?? stored.exportMode,
      pullRequests: { ...stored.pullRequests, ...input.pullRequests },
      ...(given === null ? {} : { credential: sealCredential(app, stored.id, given) }),
      ...defined({ commitMessage: message, apiUrl: api }),
      ...(secret === undefined ? {} : { sealedWebhookSecret: sealWebhookSecret(app, stored.id, secret) }),
    }
  })
  return fresh === undefined ? { doc } : { doc, webhookSecret: fresh }
}

/**
 * Copies the sync log to the new folder if only the folder changes, since it may have been renamed. This happens before
 * a run can start.
 */
async function carryFolder(app: App, stored: Document<ConnectionDoc>, input: UpdateConnection): Promise<void> {
  const { url = stored.url, ref = stored.ref, repoProjectDirectory } = input
  if (repoProjectDirectory === undefined) return
  const { remote } = readAddress(app, { url, ref, repoProjectDirectory })
  const space = await app.store.get(spaces, stored.space)
  if (!space || remote.url !== stored.url || remote.ref !== stored.ref || remote.key === stored.key) return
  await copySyncPoints(
    { app, space: { doc: space, repo: await app.git.open(repositoryName(space.id)) } },
    remoteOf(stored),
    remote,
  )
}

/** Whether the credential would be sent to another API than before. */
const apiElsewhere = ({ apiUrl }: ConnectionDoc, input: UpdateConnection): boolean =>
  typeof input.apiUrl === 'string' && input.apiUrl !== apiUrl

/** Resolves the new remote of a connection and clears the sync state of the old one. */
async function newRemote(app: App, tx: Transaction, stored: Document<ConnectionDoc>, input: UpdateConnection) {
  const { url = stored.url, ref = stored.ref, repoProjectDirectory = stored.directory } = input
  const { remote, repository, given } = readAddress(app, { url, ref, repoProjectDirectory })
  if (remote.key === stored.key) return { remote: { ...remote, repository }, given }
  checkNew(
    (await tx.find(connections, 'space', stored.space)).filter(({ id }) => id !== stored.id),
    remote.key,
  )
  await unlinkSpace(tx, stored)
  await linkSpace(tx, { ...stored, ...remote }, app.clock.now().toISOString())
  return {
    remote: {
      ...remote,
      repository,
      lastSeenHead: undefined,
      lastRevision: undefined,
      lastRun: undefined,
      failure: undefined,
    },
    given,
  }
}

/**
 * Pauses or resumes a connection. Queued automatic runs end without an effect while it is paused. After a resume, the
 * connection catches up.
 */
export const setPaused = (
  app: App,
  actor: Actor,
  connection: ConnectionDoc,
  paused: boolean,
): Promise<Document<ConnectionDoc>> =>
  changeConnection(app, actor, connection, async (_tx, stored) => ({ ...stored, paused }))

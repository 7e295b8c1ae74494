/** Changes of a connection's settings. */
import { newWebhookSecret } from '../../auth/index.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { type ConnectionDoc, connections, spaces, type UpdateConnection } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { carryLog } from '../git-sync/log-moves.js'
import { remoteOf } from '../git-sync/remote.js'
import type { ConnectionAndSecret } from './create-connection.js'
import { sealCredential, sealWebhookSecret } from './credential.js'
import { checkApiUrl, checkFits, checkNew, credentialIn, readAddress, serverOf } from './input.js'
import { link, tell, unlink } from './link.js'
import { lookAfterChange } from './preview-polls.js'

/** Changes a connection, based on what is stored now. Throws 404 if it was deleted meanwhile. */
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
    await lookAfterChange(app, tx, stored, changed)
    await tell(app, tx, actor, 'updated', changed)
    return changed
  })
  app.wakeConnections({ connection: doc.id })
  app.wakeJobs()
  return doc
}

/**
 * Changes the settings that are given. Another repository, branch or folder begins afresh; a credential is never sent to another host than the one
 * that it was given for. Throws 400, 409.
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
    const place = moved ? await movedTo(app, tx, stored, input) : { remote: {}, given: null }
    const url = ('url' in place.remote ? place.remote.url : undefined) ?? stored.url
    const given = credentialIn(input.credential, place.given, url)
    const elsewhere = serverOf(url) !== serverOf(stored.url) || apiElsewhere(stored, input)
    if (given === null && elsewhere && stored.credential.kind !== 'none')
      throw badRequest('The stored credential is not sent to another host: give one for it.', [
        { path: '/credential', message: 'must be given with another host' },
      ])
    if (given === null) checkFits(url, stored.credential)
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
      ...(message === undefined ? {} : { commitMessage: message }),
      ...(api === undefined ? {} : { apiUrl: api }),
      ...(secret === undefined ? {} : { sealedWebhookSecret: sealWebhookSecret(app, stored.id, secret) }),
    } as Document<ConnectionDoc>
  })
  return fresh === undefined ? { doc } : { doc, webhookSecret: fresh }
}

/** If the folder alone changes, people may have renamed it: what is known of its content is recorded for the new one, before a run can start. */
async function carryFolder(app: App, stored: Document<ConnectionDoc>, input: UpdateConnection): Promise<void> {
  const { url = stored.url, ref = stored.ref, repoProjectDirectory } = input
  if (repoProjectDirectory === undefined) return
  const { remote } = readAddress(app, { url, ref, repoProjectDirectory })
  const space = await app.store.get(spaces, stored.space)
  if (!space || remote.url !== stored.url || remote.ref !== stored.ref || remote.key === stored.key) return
  await carryLog(
    { app, space: { doc: space, repo: await app.git.open(repositoryName(space.id)) } },
    remoteOf(stored),
    remote,
  )
}

/** Whether the credential would be sent to another API than before. */
const apiElsewhere = ({ apiUrl }: ConnectionDoc, input: UpdateConnection): boolean =>
  typeof input.apiUrl === 'string' && input.apiUrl !== apiUrl

/** The new remote of a connection, with what was known of the old one taken away. */
async function movedTo(app: App, tx: Transaction, stored: Document<ConnectionDoc>, input: UpdateConnection) {
  const { url = stored.url, ref = stored.ref, repoProjectDirectory = stored.directory } = input
  const { remote, repository, given } = readAddress(app, { url, ref, repoProjectDirectory })
  if (remote.key === stored.key) return { remote: { ...remote, repository }, given }
  checkNew(
    (await tx.find(connections, 'space', stored.space)).filter(({ id }) => id !== stored.id),
    remote.key,
  )
  await unlink(tx, stored)
  await link(tx, { ...stored, ...remote }, app.clock.now().toISOString())
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

/** Pauses or resumes a connection. Automatic runs that wait end when their turn comes; when it is resumed, it catches up. */
export const setPaused = (
  app: App,
  actor: Actor,
  connection: ConnectionDoc,
  paused: boolean,
): Promise<Document<ConnectionDoc>> =>
  changeConnection(app, actor, connection, async (_tx, stored) => ({ ...stored, paused }))

/** Creates connections of spaces to remote repositories. */
import { newWebhookSecret } from '../../auth/index.js'
import type { Document } from '../../kernel/documents.js'
import { newId } from '../../kernel/ids.js'
import { notFound, conflict } from '../../kernel/errors.js'
import { type ConnectionDoc, type CreateConnection, connections, spaces } from '../../model/index.js'
import { pollAfterChange } from './preview-polls.js'
import { linkSpace, emitConnectionEvent } from './link.js'
import { readAddress, checkApiUrl, credentialIn, checkNew, providerOf } from './input.js'
import { sealCredential, sealWebhookSecret } from './credential.js'
import type { VisibleSpace } from '../context/loaded.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { defined } from '../../kernel/defined.js'

const MAX_CONNECTIONS = 10

/** A connection, and the secret of its webhook if it was just generated. */
export interface ConnectionAndSecret {
  doc: Document<ConnectionDoc>
  webhookSecret?: string
}

/**
 * Creates a connection. Its first run is queued at once (`queueOwed`), unless it is created paused. Throws 400, and 409
 * if there are too many connections or this remote has one.
 */
export async function createConnection(
  app: App,
  actor: Actor,
  space: VisibleSpace,
  input: CreateConnection,
): Promise<ConnectionAndSecret> {
  const { remote, repository, given } = readAddress(app, {
    ...input,
    repoProjectDirectory: input.repoProjectDirectory ?? '',
  })
  await checkApiUrl(app, input.apiUrl)
  const id = newId()
  const webhookSecret = input.webhookSecret ?? newWebhookSecret()
  const credential = sealCredential(app, id, credentialIn(input.credential, given, remote.url) ?? { kind: 'none' })
  const now = app.clock.now().toISOString()
  const { commitMessage, apiUrl } = input
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
    const others = await tx.find(connections, 'space', stored.id)
    if (others.length >= MAX_CONNECTIONS)
      throw conflict(`A space can have at most ${MAX_CONNECTIONS} connections. Delete one first.`)
    checkNew(others, remote.key)
    const made = await tx.insert(connections, {
      id,
      space: stored.id,
      organization: stored.organization,
      provider: input.provider ?? providerOf(remote.url),
      ...remote,
      repository,
      direction: input.direction ?? 'both',
      credential,
      exportMode: input.exportMode ?? 'single',
      ...defined({ commitMessage }),
      pullRequests: { changeRequests: false, ...input.pullRequests },
      ...defined({ apiUrl }),
      sealedWebhookSecret: sealWebhookSecret(app, id, webhookSecret),
      paused: input.paused ?? false,
      createdBy: actor.user.id,
      createdAt: now,
      updatedAt: now,
    })
    await linkSpace(tx, made, now)
    await pollAfterChange(app, tx, null, made)
    await emitConnectionEvent(app, tx, actor, 'created', made)
    return made
  })
  app.wakes.connections()
  app.wakes.jobs()
  return { doc, webhookSecret }
}

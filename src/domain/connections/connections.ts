/** Connections of spaces to remote repositories: made, found, deleted. */
import { newWebhookSecret } from '../../auth/index.js'
import { conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf, paginate } from '../../kernel/paging.js'
import { type ConnectionDoc, connections, type CreateConnection, type SpaceDoc, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization, VisibleSpace } from '../context/loaded.js'
import { viewerOf } from '../roles/access.js'
import { rolesOf } from '../roles/roles-of-list.js'
import { sealCredential, sealWebhookSecret } from './credential.js'
import { checkApiUrl, checkNew, credentialIn, providerOf, readAddress } from './input.js'
import { link, tell, unlink } from './link.js'
import { lookAfterChange } from './preview-looks.js'

const MAX_CONNECTIONS = 10

/** A connection, and the secret of its webhook if that was just made. */
export interface ConnectionAndSecret {
  doc: Document<ConnectionDoc>
  webhookSecret?: string
}

/** A connection of the space; null if there is none. */
export async function findConnection(app: App, space: VisibleSpace, id: string): Promise<Document<ConnectionDoc> | null> {
  const doc = await app.store.get(connections, id)
  return doc?.space === space.doc.id ? doc : null
}

/** The connections of a space, the oldest first. */
export const listConnectionsOf = (app: App, space: VisibleSpace, query: PageQuery): Promise<Page<Document<ConnectionDoc>>> =>
  pageOf(app.store, connections, 'ofSpace', space.doc.id, query)

/** The connections of the spaces of an organization that the caller may see, the oldest first. */
export async function listAllConnections(app: App, actor: Actor, organization: LoadedOrganization, query: PageQuery): Promise<Page<Document<ConnectionDoc>>> {
  const all = await app.store.find(connections, 'organization', organization.doc.id)
  const found = (await Promise.all([...new Set(all.map(({ space }) => space))].map((id) => app.store.get(spaces, id)))).filter(
    (space) => space !== null && space.deletedAt === undefined,
  ) as Document<SpaceDoc>[]
  const viewer = await viewerOf(app.store, actor.user.id, organization.doc.id)
  const roles = await rolesOf(app.store, viewer, 'space', found)
  const visible = new Set(found.filter((_, index) => roles[index] != null).map(({ id }) => id))
  return paginate(
    all.filter(({ space }) => visible.has(space)),
    query,
    (one) => [one.createdAt, one.id],
  )
}

/** Creates a connection; unless it begins paused, its first run is queued at once (`queueOwed`). Throws 400, 409 (too many, or this remote has one already). */
export async function createConnection(app: App, actor: Actor, space: VisibleSpace, input: CreateConnection): Promise<ConnectionAndSecret> {
  const { remote, repository, given } = readAddress(app, { ...input, repoProjectDirectory: input.repoProjectDirectory ?? '' })
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
    if (others.length >= MAX_CONNECTIONS) throw conflict(`A space can have at most ${MAX_CONNECTIONS} connections: delete one first.`)
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
      ...(commitMessage === undefined ? {} : { commitMessage }),
      pullRequests: { changeRequests: false, ...input.pullRequests },
      ...(apiUrl === undefined ? {} : { apiUrl }),
      sealedWebhookSecret: sealWebhookSecret(app, id, webhookSecret),
      paused: input.paused ?? false,
      createdBy: actor.user.id,
      createdAt: now,
      updatedAt: now,
    })
    await link(tx, made, now)
    await lookAfterChange(app, tx, null, made)
    await tell(app, tx, actor, 'created', made)
    return made
  })
  app.wakeConnections()
  app.wakeJobs()
  return { doc, webhookSecret }
}

/** Deletes a connection. What was synchronized is remembered: another connection to the same remote goes on from there. */
export async function deleteConnection(app: App, actor: Actor, connection: ConnectionDoc): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(connections, connection.id)
    if (!stored) return
    await unlink(tx, stored)
    await tx.remove(connections, stored.id)
    await lookAfterChange(app, tx, stored, null)
    await tell(app, tx, actor, 'deleted', stored)
  })
  app.wakeJobs()
}

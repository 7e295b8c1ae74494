/** Writes the side effects of a connection change in its transaction: the link that the space shows, and the event. */
import { type ConnectionDoc, type GitLink, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'
import { isLinkTo } from '../git-sync/remote.js'

/** Makes the connection's remote the link that the space shows. */
export async function linkSpace(
  tx: Transaction,
  { space: id, url, ref, directory, key, provider }: ConnectionDoc,
  now: string,
): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space || isLinkTo(space.git, key)) return
  const known = provider === 'github' || provider === 'gitlab' ? { provider } : {}
  await tx.replace(spaces, { ...space, git: { url, ref, directory, updatedAt: now, ...known } satisfies GitLink })
}

/** Removes the space's link to the connection's remote. */
export async function unlinkSpace(tx: Transaction, { space: id, key }: ConnectionDoc): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space || !isLinkTo(space.git, key)) return
  const { git: _gone, ...rest } = space
  await tx.replace(spaces, rest)
}

/** Emits an event about a change of a connection by a user. */
export async function emitConnectionEvent(
  app: App,
  tx: Transaction,
  actor: Actor,
  what: 'created' | 'updated' | 'deleted',
  doc: ConnectionDoc,
): Promise<void> {
  const { id, organization, space, url, ref, directory, direction, paused } = doc
  const data = { url, ref, repoProjectDirectory: directory, direction, paused }
  await emit(app, tx, {
    type: `git_connection.${what}`,
    organization,
    actor: actor.user.id,
    subject: { space, connection: id },
    data,
  })
}

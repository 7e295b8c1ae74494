/** What a change of a connection brings along, in the same transaction: the link that the space shows, and the event. */
import { type ConnectionDoc, type GitLink, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'
import { isLinkTo } from '../git-sync/remote.js'

/** Makes the connection's remote the one that the space shows as its own. */
export async function link(
  tx: Transaction,
  { space: id, url, ref, directory, key, provider }: ConnectionDoc,
  now: string,
): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space || isLinkTo(space.git, key)) return
  const known = provider === 'github' || provider === 'gitlab' ? { provider } : {}
  await tx.replace(spaces, { ...space, git: { url, ref, directory, updatedAt: now, ...known } satisfies GitLink })
}

/** Takes the link to the connection's remote away. */
export async function unlink(tx: Transaction, { space: id, key }: ConnectionDoc): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space || !isLinkTo(space.git, key)) return
  const { git: _gone, ...rest } = space
  await tx.replace(spaces, rest)
}

/** Emits an event about a connection that somebody changed. */
export async function tell(
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

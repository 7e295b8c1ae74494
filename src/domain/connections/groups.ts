/** Which connections are watched together: those that ask the same repository with the same credential. */
import { type ConnectionDoc, connections, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'

/** The connections that may do something by themselves: they are not paused, and their space is there. */
export async function activeConnections(app: App): Promise<Document<ConnectionDoc>[]> {
  const active: Document<ConnectionDoc>[] = []
  for (const one of await app.store.all(connections)) {
    if (one.paused) continue
    const space = await app.store.get(spaces, one.space)
    if (space && space.deletedAt === undefined) active.push(one)
  }
  return active
}

/** The name of the group that a connection is watched in. */
export const groupOf = ({ repository, credential, provider }: ConnectionDoc): string =>
  `${repository}:${provider}:${credential.digest}`

/** Whether the repository has to be asked for the connection: one that only exports need not know what is there. */
export const isWatched = ({ direction }: ConnectionDoc): boolean => direction !== 'export'

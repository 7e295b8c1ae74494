/** Groups connections that share a poll: they use the same repository and credential. */
import { type ConnectionDoc, connections, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'

/** Lists the connections with automatic runs: neither the connection is paused nor its space deleted. */
export async function activeConnections(app: App): Promise<Document<ConnectionDoc>[]> {
  const active: Document<ConnectionDoc>[] = []
  for (const one of await app.store.all(connections)) {
    if (one.paused) continue
    const space = await app.store.get(spaces, one.space)
    if (space && space.deletedAt === undefined) active.push(one)
  }
  return active
}

/** Returns the name of a connection's poll group. */
export const groupOf = ({ repository, credential, provider }: ConnectionDoc): string =>
  `${repository}:${provider}:${credential.digest}`

/** Whether the repository is polled for the connection. Export-only connections need no polls. */
export const isPolled = ({ direction }: ConnectionDoc): boolean => direction !== 'export'

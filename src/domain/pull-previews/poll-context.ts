/** The context of a poll for pull requests, and the refs that keep their previews. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, spaces, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { contactHost, type HostContact } from '../connections/host-contact.js'
import type { App } from '../context/app.js'
import { SyncFailure } from '../git-sync/failure.js'

/** Prefix of the refs that keep the previews of a connection. Git clients do not see them. */
export const previewPrefix = (connection: string): RefName => `refs/bindery/previews/${connection}/`
const previewRef = (connection: string, number: number): RefName => `${previewPrefix(connection)}${number}`

/** Opens the space and the host. Null if the space was deleted. Throws `SyncFailure`, `RemoteError`, `HostError`. */
export async function openPreviews(
  app: App,
  through: Document<ConnectionDoc>,
  signal: AbortSignal,
): Promise<HostContact | null> {
  const space = await app.store.get(spaces, through.space)
  if (!space || space.deletedAt !== undefined) return null
  const user = await app.store.get(users, through.createdBy)
  if (!user) throw new SyncFailure('The user who created the connection was removed. Create the connection again.')
  return contactHost(app, through, { space, role: 'read', user }, signal)
}

/** Moves the ref that keeps a preview; null releases the preview. */
export async function keep(
  { app, space, through }: Pick<HostContact, 'app' | 'space' | 'through'>,
  number: number,
  to: CommitId | null,
): Promise<void> {
  const { repo } = space
  const ref = previewRef(through.id, number)
  await app.locks.run(space.doc.id, async (lease) => {
    const from = repo.refs.head(ref)
    if (from !== to) await repo.refs.move([{ ref, from, to }], 'preview a pull request', lease)
  })
}

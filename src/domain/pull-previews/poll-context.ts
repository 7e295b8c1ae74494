/** The context of a poll for pull requests: the space, the remote, and the host. */
import type { Host } from '../../hosts/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import { type ConnectionDoc, spaces, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { gitCredentialOf, hostAddressOf } from '../connections/credential.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { SyncFailure } from '../git-sync/failure.js'
import { remoteOf, withCredential } from '../git-sync/remote.js'
import type { Contact } from '../git-sync/sync.js'

/** A poll in progress. */
export interface Look extends Contact {
  through: Document<ConnectionDoc>
  host: Host
}

/** Prefix of the refs that keep the previews of a connection. Git clients do not see them. */
export const previewPrefix = (connection: string): RefName => `refs/bindery/previews/${connection}/`
const previewRef = (connection: string, number: number): RefName => `${previewPrefix(connection)}${number}`

/** Opens the space and the host. Null if the space was deleted. Throws `SyncFailure`, `RemoteError`, `HostError`. */
export async function openLook(app: App, through: Document<ConnectionDoc>, signal: AbortSignal): Promise<Look | null> {
  const space = await app.store.get(spaces, through.space)
  if (!space || space.deletedAt !== undefined) return null
  const user = await app.store.get(users, through.createdBy)
  if (!user) throw new SyncFailure('The user who created the connection was removed. Create the connection again.')
  const remote = remoteOf(through)
  return {
    app,
    through,
    space: { doc: space, role: 'read', repo: await app.git.open(repositoryName(space.id)) },
    actor: { user, token: { id: 'job', readOnly: true } },
    remote,
    connection: withCredential(remote, await gitCredentialOf(app, through), signal),
    host: app.hosts.open(hostAddressOf(app, through)),
    enter: async () => {},
  }
}

/** Moves the ref that keeps a preview; null releases the preview. */
export async function keep(
  { app, space, through }: Pick<Look, 'app' | 'space' | 'through'>,
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

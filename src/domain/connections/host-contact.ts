/** The context of a poll of a host: a space, the repository of a connection, and its host. */
import type { Host } from '../../hosts/index.js'
import type { ConnectionDoc, SpaceDoc, UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { remoteOf, withCredential } from '../git-sync/remote.js'
import type { Contact } from '../git-sync/sync.js'
import { gitCredentialOf, hostAddressOf } from './credential.js'

/** A contact with the repository of a connection and with its host. */
export interface HostContact extends Contact {
  through: Document<ConnectionDoc>
  host: Host
}

/**
 * Opens the repositories of a space and of its connection, and the host, for a user.
 * @param role the role in the space. With `read`, nothing may be written for the user.
 * Throws `SyncFailure`, `RemoteError`, `HostError`.
 */
export async function contactHost(
  app: App,
  through: Document<ConnectionDoc>,
  { space, role, user }: { space: Document<SpaceDoc>; role: LoadedSpace['role']; user: Document<UserDoc> },
  signal: AbortSignal,
): Promise<HostContact> {
  const remote = remoteOf(through)
  return {
    app,
    through,
    space: { doc: space, role, repo: await app.git.open(repositoryName(space.id)) },
    actor: { user, token: { id: 'job', readOnly: role === 'read' } },
    remote,
    connection: withCredential(remote, await gitCredentialOf(app, through), signal),
    host: app.hosts.open(hostAddressOf(app, through)),
    within: (_stage, work) => work(),
  }
}

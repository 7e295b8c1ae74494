/** A service with connections to remotes that store files in Git LFS and require a password. */
import { startConnected } from '../connections/connected.js'
import { startLfs } from '../support/lfs-server.js'

/** The password that the remotes require. */
export const AUTH = { username: 'git', password: 'a-token-for-lfs' }
/** The credential as a connection receives it. */
export const credential = { kind: 'basic', ...AUTH }

/** Starts the service. `env`: settings in addition to those that let it reach the remotes. */
export async function startConnectedLfs(env: Readonly<Record<string, string>> = {}) {
  const lfs = await startLfs()
  const connected = await startConnected({ env: { BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8', ...env } })
  connected.remotes.behaviour.lfs = lfs.handler
  connected.remotes.behaviour.auth = AUTH
  const close = async (): Promise<void> => {
    await connected.close()
    await lfs.close()
  }
  return { ...connected, lfs, close }
}

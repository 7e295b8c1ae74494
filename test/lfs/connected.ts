/** A service with connections to remotes that keep files in Git LFS, and ask for a password. */
import { startConnected } from '../connections/connected.js'
import { startLfs } from '../support/lfs-server.js'

/** What the remotes ask for. */
export const AUTH = { username: 'git', password: 'a-token-for-lfs' }
/** As a connection gets it. */
export const credential = { kind: 'basic', ...AUTH }

/** Starts it. `env`: settings besides those that let it reach the remotes. */
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

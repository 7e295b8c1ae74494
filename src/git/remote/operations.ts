import ipaddr from 'ipaddr.js'
import type { RemoteOperations } from '../remote-operations.js'
import type { RemoteOptions } from './connection.js'
import { fetchRemote } from './fetch.js'
import { remoteDefault, remoteHead } from './head.js'
import { push } from './push.js'

/**
 * The remote operations of the Git layer. They keep no state: every call checks, resolves and pins anew. Throws at once
 * where a network of `allowPrivateNetworks` is no CIDR.
 */
export function createRemoteOperations(options: RemoteOptions): RemoteOperations {
  for (const network of typeof options.allowPrivateNetworks === 'boolean' ? [] : options.allowPrivateNetworks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`"${network}" is no network such as 10.0.0.0/8`)
  }
  return {
    remoteHead: (repoPath, remote, ref) => remoteHead(options, repoPath, remote, ref),
    remoteDefault: (repoPath, remote) => remoteDefault(options, repoPath, remote),
    fetch: (repoPath, remote, ref, limits) => fetchRemote(options, repoPath, remote, ref, limits),
    push: (repoPath, remote, ref, commit, expected) => push(options, repoPath, remote, ref, commit, expected),
  }
}

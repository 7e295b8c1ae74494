// Finds the allowed addresses of a remote.
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { isAllowedAddress, type PrivateNetworks } from '../../kernel/addresses.js'
import { RemoteError } from '../errors.js'
import { type RemoteAddress, refusedUrl } from './address.js'

/** Returns all IP addresses of a host name; rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly { address: string }[]>

/**
 * The resolver for tests and the command line. It blocks one of the threads for file operations until the name server
 * responds.
 */
const bySystem: ResolveHost = (host) => lookup(host, { all: true, verbatim: true })

async function resolve(host: string, ask: ResolveHost): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host]
  try {
    return (await ask(host)).map(({ address }) => address)
  } catch (cause) {
    throw new RemoteError(
      'unreachable',
      `The host ${host} cannot be resolved. Check the URL, or the DNS of this server.`,
      {
        cause,
      },
    )
  }
}

/**
 * Returns the IP addresses that Git may connect to. The name is resolved only here and Git is pinned to the result, so
 * that it cannot resolve to another address later. Throws `RemoteError` if one address is not allowed. Returns nothing
 * for `file`.
 */
export async function allowedAddresses(
  remote: RemoteAddress,
  allow: PrivateNetworks,
  ask: ResolveHost = bySystem,
): Promise<string[]> {
  if (remote.protocol === 'file') return []
  const addresses = await resolve(remote.host, ask)
  if (addresses.length === 0) throw new RemoteError('unreachable', `The host ${remote.host} has no address.`)
  if (!addresses.every((address) => isAllowedAddress(address, allow))) {
    throw refusedUrl(`${remote.host} is in a private network. An admin can allow that network.`)
  }
  return addresses
}

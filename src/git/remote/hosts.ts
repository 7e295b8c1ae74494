// Finds the addresses of a remote that may be reached.
import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { isAllowedAddress, type PrivateNetworks } from '../../kernel/addresses.js'
import { RemoteError } from '../errors.js'
import { type RemoteAddress, refusedUrl } from './address.js'

/** Looks up all IP addresses of a host name; rejects if there are none. */
export type ResolveHost = (host: string) => Promise<readonly { address: string }[]>

/** For tests and the command line: blocks one of the threads that also do file operations until the name server answers. */
const bySystem: ResolveHost = (host) => lookup(host, { all: true, verbatim: true })

async function resolve(host: string, ask: ResolveHost): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host]
  try {
    return (await ask(host)).map(({ address }) => address)
  } catch (cause) {
    throw new RemoteError('unreachable', `The host ${host} is not known; check the URL, or the server's DNS.`, {
      cause,
    })
  }
}

/**
 * The IP addresses that Git may connect to. The name is resolved only here and Git is pinned to the result, so that it cannot stand
 * for another address later. Throws `RemoteError` if one address is not allowed. Empty for `file`.
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
    throw refusedUrl(`${remote.host} is in a private network. An administrator can allow that network.`)
  }
  return addresses
}

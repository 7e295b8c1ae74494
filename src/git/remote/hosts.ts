import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { isAllowedAddress, type PrivateNetworks } from '../../kernel/addresses.js'
import { RemoteError } from '../errors.js'
import { type RemoteAddress, refusedUrl } from './address.js'

/** All IP addresses of a host name; rejects where there are none. */
export type ResolveHost = (host: string) => Promise<readonly { address: string }[]>

/** Blocks a thread of those that also write files for as long as a name server keeps it waiting: for tests and the command line. */
const bySystem: ResolveHost = (host) => lookup(host, { all: true, verbatim: true })

async function resolve(host: string, ask: ResolveHost): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host]
  try {
    return (await ask(host)).map(({ address }) => address)
  } catch (cause) {
    throw new RemoteError('unreachable', `The host ${host} is not known; check the URL, or the server's DNS.`, { cause })
  }
}

/**
 * The IP addresses that Git may connect to, resolved once here and pinned afterwards, so that a name cannot change its
 * mind between check and use. One forbidden address refuses the host. Empty for `file`.
 */
export async function allowedAddresses(remote: RemoteAddress, allow: PrivateNetworks, ask: ResolveHost = bySystem): Promise<string[]> {
  if (remote.protocol === 'file') return []
  const addresses = await resolve(remote.host, ask)
  if (addresses.length === 0) throw new RemoteError('unreachable', `The host ${remote.host} has no address.`)
  if (!addresses.every((address) => isAllowedAddress(address, allow))) {
    throw refusedUrl(`${remote.host} is in a private network. An administrator can allow that network.`)
  }
  return addresses
}

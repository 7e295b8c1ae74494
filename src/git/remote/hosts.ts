import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { isAllowedAddress, type PrivateNetworks } from '../../kernel/addresses.js'
import { RemoteError } from '../errors.js'
import { type RemoteAddress, refusedUrl } from './address.js'

async function resolve(host: string): Promise<string[]> {
  if (ipaddr.isValid(host)) return [host]
  try {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address)
  } catch (cause) {
    throw new RemoteError('unreachable', `The host ${host} is not known; check the URL, or the server's DNS.`, { cause })
  }
}

/**
 * The IP addresses that Git may connect to, resolved once here and pinned afterwards, so that a name cannot change its
 * mind between check and use. One forbidden address refuses the host. Empty for `file`.
 */
export async function allowedAddresses(remote: RemoteAddress, allow: PrivateNetworks): Promise<string[]> {
  if (remote.protocol === 'file') return []
  const addresses = await resolve(remote.host)
  if (addresses.length === 0) throw new RemoteError('unreachable', `The host ${remote.host} has no address.`)
  if (!addresses.every((address) => isAllowedAddress(address, allow))) {
    throw refusedUrl(`${remote.host} is in a private network. An administrator can allow that network.`)
  }
  return addresses
}

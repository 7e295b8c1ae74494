import { lookup } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'
import { RemoteError } from '../errors.js'
import { type RemoteAddress, refusedUrl } from './address.js'

/** true = any address; a list = public ones and those CIDRs; false = public ones. */
export type PrivateNetworks = boolean | readonly string[]

type Address = ReturnType<typeof ipaddr.process>

function within(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr)
  return network.kind() === address.kind() && address.match(network, bits)
}

/** All public IPv6 is in here; what lies beside it is unassigned, or an IPv4 address in disguise (`::7f00:1`). */
const GLOBAL_IPV6 = '2000::/3'

const isPublic = (address: Address): boolean => address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, GLOBAL_IPV6))

/** Whether a request of a user's may go to this IP address. IPv6 forms that carry an IPv4 address are not public. */
export function isAllowedAddress(text: string, allow: PrivateNetworks): boolean {
  if (allow === true) return true
  // process() reads `::ffff:10.0.0.1` as 10.0.0.1; NAT64, 6to4 and Teredo are ranges of their own, not 'unicast'.
  const address = ipaddr.process(text)
  return isPublic(address) || (allow !== false && allow.some((cidr) => within(address, cidr)))
}

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

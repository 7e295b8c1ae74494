// Tells which IP addresses are public, and which the configuration lets requests reach.
import ipaddr from 'ipaddr.js'

/** Which private networks requests may reach: all (true), none (false), or those of a list of CIDRs. Public addresses are always allowed. */
export type PrivateNetworks = boolean | readonly string[]

type Address = ReturnType<typeof ipaddr.process>

function within(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr)
  return network.kind() === address.kind() && address.match(network, bits)
}

/** Contains all public IPv6 addresses; the rest is unassigned, or an IPv4 address in another form (`::7f00:1`). */
const GLOBAL_IPV6 = '2000::/3'

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, GLOBAL_IPV6))

/** Whether a request to a host that a user named may go to this IP address. IPv6 forms that carry an IPv4 address are not public. */
export function isAllowedAddress(text: string, allow: PrivateNetworks): boolean {
  if (allow === true) return true
  // process() reads `::ffff:10.0.0.1` as 10.0.0.1; NAT64, 6to4 and Teredo are ranges of their own, not 'unicast'.
  const address = ipaddr.process(text)
  return isPublic(address) || (allow !== false && allow.some((cidr) => within(address, cidr)))
}

// Decides which IP addresses are public, and which ones the configuration allows requests to reach.
import ipaddr from 'ipaddr.js'

/**
 * The private networks that requests may reach: all (true), none (false), or a list of CIDRs. Public addresses are
 * always allowed.
 */
export type PrivateNetworks = boolean | readonly string[]

type Address = ReturnType<typeof ipaddr.process>

function within(address: Address, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr)
  return network.kind() === address.kind() && address.match(network, bits)
}

/** All public IPv6 addresses. Other addresses are unassigned or represent IPv4 addresses (`::7f00:1`). */
const GLOBAL_IPV6 = '2000::/3'

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || within(address, GLOBAL_IPV6))

/**
 * Whether a request to a host named by a user may reach this IP address. IPv6 addresses that contain an IPv4 address
 * are not public.
 */
export function isAllowedAddress(text: string, allow: PrivateNetworks): boolean {
  if (allow === true) return true
  // process() converts `::ffff:10.0.0.1` to 10.0.0.1. NAT64, 6to4 and Teredo have their own ranges, not 'unicast'.
  const address = ipaddr.process(text)
  return isPublic(address) || (allow !== false && allow.some((cidr) => within(address, cidr)))
}

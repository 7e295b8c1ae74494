import ipaddr from 'ipaddr.js'

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

/**
 * Returns the key that callers are counted by: an IPv4 address, or an IPv6 network (/64), because one subscriber owns
 * all addresses in it.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [before = '', after] = address.split('::')
  const head = before.split(':')
  const known =
    after === undefined
      ? head
      : [...head, ...Array<string>(Math.max(0, 8 - head.length - after.split(':').length)).fill('0')]
  return known.slice(0, 4).join(':')
}

/** Rejects hosts whose addresses are in private networks. */
import { isIP, type LookupFunction } from 'node:net'
import { isAllowedAddress, type PrivateNetworks } from '../kernel/addresses.js'
import { OutboundError } from './errors.js'
import { type Resolve, resolveHost } from './resolve.js'

/** Returns the host of a URL; an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Decides which addresses may be connected to. */
export class AddressGuard {
  constructor(
    readonly allow: PrivateNetworks,
    readonly resolve: Resolve = resolveHost,
  ) {}

  /**
   * Throws `OutboundError` (`refused`) for an IP address that is not allowed. Accepts names: `addressesOf` checks them.
   */
  checkLiteral(host: string): void {
    if (isIP(host) !== 0 && !isAllowedAddress(host, this.allow)) throw this.#refusedError(host)
  }

  /** Returns the addresses of a host. Throws `OutboundError` (`refused`) if one of them is not allowed. */
  async addressesOf(host: string): Promise<{ address: string; family: number }[]> {
    if (isIP(host) !== 0) {
      this.checkLiteral(host)
      return [{ address: host, family: isIP(host) }]
    }
    const found = await this.resolve(host)
    if (found.length === 0) throw new OutboundError('unreachable', `The host ${host} has no address.`)
    if (!found.every(({ address }) => isAllowedAddress(address, this.allow))) throw this.#refusedError(host)
    return found
  }

  /**
   * The lookup that Node calls for a connection to a name. Node connects to its result, so that the name cannot resolve
   * to another address in the meantime.
   */
  readonly lookup: LookupFunction = (host, options, done) => {
    this.addressesOf(host).then(
      (found) => {
        const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : options.family
        const matching = family ? found.filter((one) => one.family === family) : found
        const [first] = matching
        if (!first) done(Object.assign(new Error(`no address of family ${family}`), { code: 'ENOTFOUND' }), '', 0)
        else if (options.all) done(null, matching)
        else done(null, first.address, first.family)
      },
      (error: NodeJS.ErrnoException) => done(error, '', 0),
    )
  }

  #refusedError(host: string): OutboundError {
    return new OutboundError('refused', `${host} is in a private network. An administrator can allow that network.`)
  }
}

/** Creates the connections of the HTTP client. Each of them goes through the address guard. */
import { asError } from '../kernel/thrown.js'
import { Agent, buildConnector } from 'undici'
import type { AddressGuard } from './addresses.js'

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 4_000

type Connector = ReturnType<typeof buildConnector>

/**
 * Returns a connector that checks every connection: names in the lookup, IP addresses (which Node does not look up)
 * before.
 */
function guardedConnector(guard: AddressGuard): Connector {
  const connect = buildConnector({ lookup: guard.lookup, timeout: CONNECT_MS, keepAlive: true })
  return (options, done) => {
    try {
      guard.checkLiteral(options.hostname.replace(/^\[|\]$/g, ''))
    } catch (error) {
      return done(asError(error), null)
    }
    return connect(options, done)
  }
}

/** Creates the agent that opens connections and keeps them alive for a short time. */
export const guardedAgent = (guard: AddressGuard): Agent =>
  new Agent({
    connect: guardedConnector(guard),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  })

/** Connections of the HTTP client, each of which goes through the guard of addresses. */
import { Agent, buildConnector } from 'undici'
import type { AddressGuard } from './addresses.js'

const CONNECT_MS = 10_000
const KEEP_ALIVE_MS = 4_000

type Connector = ReturnType<typeof buildConnector>

/** Every connection goes through the guard: names in the lookup, IP addresses (for which Node makes no lookup) before. */
function guardedConnector(guard: AddressGuard): Connector {
  const connect = buildConnector({ lookup: guard.lookup, timeout: CONNECT_MS, keepAlive: true })
  return (options, done) => {
    try {
      guard.checkLiteral(options.hostname.replace(/^\[|\]$/g, ''))
    } catch (error) {
      return done(error as Error, null)
    }
    return connect(options, done)
  }
}

/** Makes the agent that opens them and keeps them for a while. */
export const guardedAgent = (guard: AddressGuard): Agent =>
  new Agent({
    connect: guardedConnector(guard),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    pipelining: 1,
  })

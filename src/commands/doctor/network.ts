/** Checks of the network: the ports, the proxy in front of the public address, and the mail server. */
import { createServer } from 'node:http'
import type { Config } from '../../config.js'
import { verifyMailServer } from '../../outbound/index.js'
import { asError } from '../../kernel/thrown.js'
import { listen, urlOf } from '../../start/listen.js'
import { type Check, type Finding, note, ok, problem } from './check.js'

const ports: Check = {
  name: 'ports',
  async run(config, signal) {
    const found: string[] = []
    for (const [setting, port] of [
      ['BINDERY_PORT', config.port],
      ['BINDERY_SITES_PORT', config.sitesPort],
    ] as const) {
      if (port === 0) found.push(`${setting}: any free port`)
      else if (await isBindery(`http://${hostOf(config)}:${port}`, signal)) found.push(`${port}: used by Bindery`)
      else {
        await listenOnce(config, port, setting)
        found.push(`${port}: free`)
      }
    }
    return ok(found.join(', '))
  },
}

const hostOf = ({ host }: Config): string => {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return own.includes(':') ? `[${own}]` : own
}

/** Listens on a port and stops. Throws `CannotListen`, whose message contains the remedy. */
async function listenOnce({ host }: Config, port: number, setting: string): Promise<void> {
  const server = createServer()
  await listen(server, { host, port }, setting)
  urlOf(server, { host })
  await new Promise((done) => server.close(done))
}

async function isBindery(url: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${url}/healthz`, { signal }).catch(() => null)
  if (response === null) return false
  return /"status": ?"ok"/.test(await response.text())
}

/** An address that no client has (RFC 5737). A server that believes it believes every client. */
const FORGED = '192.0.2.123'

const publicAddress: Check = {
  name: 'public address and proxy',
  limitMs: 20_000,
  async run(config, signal) {
    const { publicUrl, trustProxy } = config
    if (publicUrl === null)
      return note('BINDERY_PUBLIC_URL is not set, so links in emails and single sign-on do not work for other machines')
    if (publicUrl.startsWith('https:') && trustProxy === 0)
      return problem(
        'a proxy serves the public address over https, but BINDERY_TRUST_PROXY is 0, so all clients share the limits of one address',
        'Set BINDERY_TRUST_PROXY to the number of proxies in front of the server.',
      )
    const response = await fetch(`${publicUrl}/healthz`, { headers: { 'x-forwarded-for': FORGED }, signal }).catch(
      asError,
    )
    if (response instanceof Error)
      return problem(
        `${publicUrl} cannot be reached from this machine (${reasonOf(response)})`,
        'Check the DNS, the proxy and its certificate. If other machines reach it, the network does not route back to itself.',
      )
    return clientFinding(publicUrl, response.status, response.headers.get('x-client-address'))
  },
}

const reasonOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.message)

function clientFinding(publicUrl: string, status: number, client: string | null): Finding {
  if (status !== 200 || client === null)
    return problem(
      `${publicUrl}/healthz returns ${status}, not the response of Bindery`,
      'Let the proxy pass all paths to the server (BINDERY_PORT).',
    )
  if (client === FORGED)
    return problem(
      'clients can choose the address that the limits count, because X-Forwarded-For is trusted further than the proxies go',
      'Set BINDERY_TRUST_PROXY to the number of proxies, and let the first proxy replace X-Forwarded-For or append to it.',
    )
  return ok(`${publicUrl} leads to the server, which sees this machine as ${client}`)
}

const mail: Check = {
  name: 'mail',
  limitMs: 30_000,
  async run({ smtpUrl }) {
    if (smtpUrl === null)
      return note(
        'BINDERY_SMTP_URL is not set, so no one receives invitations, sign-in links or notifications by email',
      )
    try {
      await verifyMailServer(smtpUrl)
      return ok('the mail server accepts the connection and the password')
    } catch (error) {
      return problem(`the mail server rejects the connection: ${asError(error).message}`, 'Correct BINDERY_SMTP_URL.')
    }
  },
}

export const networkChecks: readonly Check[] = [ports, publicAddress, mail]

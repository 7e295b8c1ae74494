/** `bindery serve`: starts the server with the settings of the environment. */
import { type Config, loadConfig } from '../config.js'
import { findSampleSite } from '../domain/sites/sample-site.js'
import { createLog, type Log } from '../kernel/log.js'
import { type Service, start } from '../server.js'
import { PACKAGE_VERSION } from '../start/version.js'

/**
 * How long a server that a process manager stops keeps idle connections open, in milliseconds. A proxy uses the same
 * connections again and again, and each response tells it to close one. A person at a terminal does not wait for that.
 */
const IDLE_MS = 2_000

/**
 * Serves until the process receives a signal.
 * @param json whether to print the addresses as one JSON value, for programs
 */
export async function serve({ json }: { json: boolean }): Promise<void> {
  const config = loadConfig()
  const log = createLog({ level: config.logLevel })
  const closeTraces = await traces(config, log)
  const service = await start(config, { log })
  const sample = await findSampleSite(service.app, service.first.organization.id)
  // Do this before the message, because a caller that reads the message may stop the server immediately.
  const end = (idleMs: number): void => void finish(() => service.close(idleMs).then(closeTraces))
  process.once('SIGINT', () => end(0))
  process.once('SIGTERM', () => end(IDLE_MS))
  const { url, sites, first } = service
  if (json) console.log(JSON.stringify({ url, sites, sample, organization: first.organization.id }))
  else console.log((process.stdout.isTTY ? shortWelcome : welcome)(service, config.dataDir, sample))
}

/** Starts sending traces if the settings name a collector. Returns the function that ends it. */
async function traces({ tracesUrl: url, tracesPercent }: Config, log: Log): Promise<() => Promise<void>> {
  if (url === null) return async () => {}
  const { openTraces } = await import('../start/open-traces.js')
  return openTraces({ url, share: tracesPercent / 100, version: PACKAGE_VERSION, log })
}

let stopping = false
async function finish(close: () => Promise<void>): Promise<void> {
  if (stopping) return
  stopping = true
  await close()
  process.exit(0)
}

/** Returns the welcome message: the URL, the sample site, the token, and the next step. */
function welcome({ url, first }: Service, dataDir: string, sample: string | null): string {
  const kept = `${dataDir}/admin-token`
  const [token, header] = first.isGiven
    ? ['the one in BINDERY_ADMIN_TOKEN', '$BINDERY_ADMIN_TOKEN']
    : first.token === null
      ? [`the one in ${kept}, or one that you created`, `$(cat ${kept})`]
      : [`${first.token}   (kept in ${kept})`, first.token]
  return [
    '',
    `Bindery is ready at ${url}`,
    ...(first.link === null ? [] : [`  Open            ${url}/start#${first.link}   (signs you in, once, for a day)`]),
    ...(sample === null ? [] : [`  Sample site     ${sample}`]),
    `  API reference   ${url}/docs`,
    `  Token           ${token}`,
    `  Organization    ${first.organization.id}`,
    '',
    'Next, open the app. Or create a space in another terminal:',
    '',
    `  curl -s -X POST ${url}/v1/orgs/${first.organization.id}/spaces \\`,
    `    -H "Authorization: Bearer ${header}" \\`,
    `    -H 'Content-Type: application/json' -d '{"title": "Handbook"}'`,
    '',
  ].join('\n')
}

/** Returns the message for a person at a terminal: where to open the app and the sample site, and where the token is. */
function shortWelcome({ url, first }: Service, dataDir: string, sample: string | null): string {
  const open = first.link === null ? url : `${url}/start#${first.link}   (signs you in, once, for a day)`
  return [
    '',
    `Bindery is ready at ${url}`,
    '',
    `  Open          ${open}`,
    ...(sample === null ? [] : [`  Sample site   ${sample}`]),
    '',
    `Programs use the token in ${first.isGiven ? 'BINDERY_ADMIN_TOKEN' : `${dataDir}/admin-token`} (API reference: ${url}/docs). Ctrl-C stops the server.`,
    '',
  ].join('\n')
}

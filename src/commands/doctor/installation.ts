/** Checks of the installation: its keys, documents and connected hosts, through the running server if there is one. */
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.js'
import { openDatabase } from '../../postgres/index.js'
import { findSigningKey } from '../../start/keys.js'
import { operatorCommands } from '../../start/operator/commands.js'
import type { Outcome } from '../../start/operator/declaration.js'
import { operate } from '../operate.js'
import { type Check, type Finding, note, ok, problem } from './check.js'

const isInstalled = ({ databaseUrl, dataDir }: Config): boolean =>
  databaseUrl !== null || existsSync(join(dataDir, 'store', 'store.json'))

const NONE = note('there is no installation yet; the first `bindery serve` creates one')

/** Executes a command of the operator: through the running server, or directly. */
function ask(config: Config, name: string): Promise<Outcome> {
  const command = operatorCommands.find((one) => one.name === name)
  if (command === undefined) throw new Error(`there is no command ${name}`)
  return operate(config, { command, given: {}, terminal: { tell: () => {}, json: true } })
}

const keys: Check = {
  name: 'signing key',
  async run(config) {
    if (!isInstalled(config)) return NONE
    const key = await findSigningKey(config)
    if (key === null)
      return problem(
        'it is missing, and sealed secrets cannot be read without it',
        'Restore data/signing-key from a backup, or set BINDERY_SIGNING_KEY_FILE.',
      )
    const file = config.signingKeyFile ?? join(config.dataDir, 'signing-key')
    if (existsSync(file) && ((await stat(file)).mode & 0o077) !== 0)
      return problem(`other users can read ${file}`, `chmod 600 ${file}`)
    return ok('readable, and private. Keep a copy of it outside this machine')
  },
}

const remoteKeys: Check = {
  name: 'keys of remotes and commits',
  async run({ sshKeyFile, sshKnownHosts, commitKeyFile }) {
    for (const file of [sshKeyFile, sshKnownHosts, commitKeyFile])
      if (file !== null && !existsSync(file))
        return problem(`${file} does not exist`, 'Correct the setting that names it.')
    for (const file of [sshKeyFile, commitKeyFile])
      if (file !== null && ((await stat(file)).mode & 0o077) !== 0)
        return problem(`other users can read ${file}`, `chmod 600 ${file}`)
    const set = [sshKeyFile === null ? [] : ['ssh'], commitKeyFile === null ? [] : ['commit']].flat()
    return ok(set.length === 0 ? 'none is set' : `${set.join(' and ')} key: readable, and private`)
  },
}

const server: Check = {
  name: 'server',
  limitMs: 60_000,
  async run(config) {
    if (!isInstalled(config)) return NONE
    const { text, json, problems } = await ask(config, 'status')
    if (!isRunning(json)) return note('no server runs')
    const [first = '', ...rest] = text.split('\n')
    return problems
      ? problem(rest.join('; '), 'See the lines above. docs/administration.md explains each message.')
      : ok(first)
  },
}

const isRunning = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'running' in json && json.running === true

interface Remote {
  space: string
  url: string
  failure: string | null
}

const isRemote = (one: unknown): one is Remote =>
  typeof one === 'object' && one !== null && 'url' in one && 'failure' in one && 'space' in one

/** Returns the connections of the installation. */
async function remotesOf(config: Config): Promise<Remote[]> {
  const { json } = await ask(config, 'connection list')
  return Array.isArray(json) ? json.filter(isRemote) : []
}

/** Maximum number of hosts that are contacted. */
const MAX_HOSTS = 10

const hosts: Check = {
  name: 'connected hosts',
  limitMs: 60_000,
  async run(config, signal) {
    if (!isInstalled(config)) return NONE
    const all = await remotesOf(config)
    const failing = all.filter(({ failure }) => failure !== null)
    if (failing.length > 0)
      return problem(
        failing.map(({ space, failure }) => `space ${space}: ${failure}`).join('; '),
        'Correct the connection in the settings of the space.',
      )
    const origins = [...new Set(all.flatMap(({ url }) => originOf(url)))].slice(0, MAX_HOSTS)
    for (const origin of origins) {
      const reached = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal }).catch(() => null)
      if (reached === null)
        return problem(`${origin} cannot be reached from this machine`, 'Check the network, the DNS and the firewall.')
    }
    return ok(`${all.length} connections, ${origins.length} hosts reached over HTTPS`)
  },
}

const originOf = (url: string): string[] => (/^https?:/.test(url) ? [new URL(url).origin] : [])

/** Maximum difference of clocks in milliseconds. Tokens of GitHub Apps and single sign-on tolerate about a minute. */
const MAX_SKEW_MS = 30_000

const clock: Check = {
  name: 'clock',
  limitMs: 30_000,
  async run(config, signal) {
    const other =
      config.databaseUrl === null ? await timeOfHost(config, signal) : await timeOfDatabase(config.databaseUrl)
    if (other === null) return note('not compared, because there is no database, and no host is connected over HTTPS')
    const skew = Math.abs(other.time - Date.now())
    return skewFinding(other.of, skew)
  },
}

const skewFinding = (of: string, skew: number): Finding =>
  skew > MAX_SKEW_MS
    ? problem(
        `it differs from that of ${of} by ${Math.round(skew / 1000)} seconds`,
        'Synchronize the clock (timedatectl set-ntp true).',
      )
    : ok(`it agrees with that of ${of}`)

async function timeOfDatabase(url: string): Promise<{ of: string; time: number }> {
  const database = openDatabase({ url, connections: 1, application: 'bindery doctor' })
  try {
    const [row] = await database.query<{ ms: string }>(
      'SELECT (extract(epoch from clock_timestamp()) * 1000)::text AS ms',
    )
    return { of: 'the database', time: Number(row?.ms) }
  } finally {
    await database.close()
  }
}

async function timeOfHost(config: Config, signal: AbortSignal): Promise<{ of: string; time: number } | null> {
  if (!isInstalled(config)) return null
  for (const origin of new Set((await remotesOf(config)).flatMap(({ url }) => originOf(url)))) {
    const response = await fetch(origin, { method: 'HEAD', redirect: 'manual', signal }).catch(() => null)
    const date = Date.parse(response?.headers.get('date') ?? '')
    if (!Number.isNaN(date)) return { of: origin, time: date }
  }
  return null
}

export const installationChecks: readonly Check[] = [keys, remoteKeys, server, hosts, clock]

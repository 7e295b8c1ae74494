import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/support/postgres.js'
import { startBalancer } from './balancer.js'

// Starts PostgreSQL, several servers on it and one address in front of them; see scripts/cluster. For evaluation only.

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
/** Maximum wait for servers to end by themselves, in milliseconds. */
const GRACE_MS = 20_000
const given = process.argv[2]
const count = Number(process.env.NODES ?? 3)
const port = Number(process.env.PORT ?? 3000)
const sitesPort = Number(process.env.SITES_PORT ?? 3001)
const folder = given === undefined ? await mkdtemp(join(tmpdir(), 'bindery-cluster-')) : resolve(given)

/** Returns a secret that is stored in the folder. Only its owner may read it. */
async function secret(name: string, make: () => string): Promise<string> {
  const file = join(folder, name)
  if (!existsSync(file)) await writeFile(file, `${make()}\n`, { mode: 0o600 })
  return (await readFile(file, 'utf8')).trim()
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done))
  const { port: found } = probe.address() as { port: number }
  await new Promise((done) => probe.close(done))
  return found
}

interface Running {
  child: ChildProcess
  ended: Promise<unknown>
  port: number
  sitesPort: number
}

async function startNode(n: number, env: Record<string, string>): Promise<Running> {
  const nodePort = await freePort()
  const nodeSitesPort = await freePort()
  const home = join(folder, `node-${n}`)
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    // Ctrl-C reaches only this process, which ends the others in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...env,
      BINDERY_PORT: String(nodePort),
      BINDERY_SITES_PORT: String(nodeSitesPort),
      BINDERY_DATA_DIR: join(home, 'data'),
      BINDERY_REPOS_DIR: join(home, 'repos'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => (output = (output + part.toString()).slice(-10_000)))
  const ended = new Promise((done) => child.once('exit', done))
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Server ${n} did not start:\n${output}`)
    const ready = await fetch(`http://127.0.0.1:${nodePort}/readyz`).catch(() => null)
    if (ready?.ok) return { child, ended, port: nodePort, sitesPort: nodeSitesPort }
    await new Promise((done) => setTimeout(done, 100))
  }
}

// Processes are stopped in reverse order of their start.
const closers: (() => Promise<unknown>)[] = []
let stopping: Promise<void> | null = null
async function stopAll(): Promise<void> {
  for (const close of closers.reverse()) await close().catch((error: Error) => console.error(error.message))
}
function stop(code: number): void {
  stopping ??= stopAll().then(() => process.exit(code))
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))

async function stopNode({ child, ended }: Running): Promise<void> {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  await ended
  clearTimeout(timer)
}

async function run(): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (given === undefined) closers.push(() => rm(folder, { recursive: true, force: true }))
  const postgres = await startPostgres({ ...(given === undefined ? {} : { folder: join(folder, 'postgres') }) })
  closers.push(() => postgres.close())
  const url = await postgres.database('bindery')
  const token = await secret('admin-token', () => `bindery_${randomBytes(24).toString('base64url')}`)
  const signingKey = await secret('signing-key', () => randomBytes(32).toString('hex'))
  await chmod(join(folder, 'signing-key'), 0o600)
  const env = {
    BINDERY_DATABASE_URL: url,
    BINDERY_SIGNING_KEY: signingKey,
    BINDERY_ADMIN_TOKEN: token,
    BINDERY_PUBLIC_URL: `http://127.0.0.1:${port}`,
    BINDERY_SITES_ORIGIN: `http://127.0.0.1:${sitesPort}`,
    BINDERY_LOG_LEVEL: 'warn',
  }
  const nodes: Running[] = []
  for (let n = 1; n <= count && stopping === null; n++) {
    const node = await startNode(n, env)
    closers.push(() => stopNode(node))
    nodes.push(node)
    void node.ended.then(() => stopping === null && console.log(`Server ${n} has ended. The others continue.`))
  }
  const balancer = await startBalancer(
    port,
    nodes.map((node) => ({ host: '127.0.0.1', port: node.port })),
  )
  closers.push(() => balancer.close())
  const sites = await startBalancer(
    sitesPort,
    nodes.map((node) => ({ host: '127.0.0.1', port: node.sitesPort })),
  )
  closers.push(() => sites.close())
  const { items } = (await (
    await fetch(`${balancer.url}/v1/orgs`, { headers: { authorization: `Bearer ${token}` } })
  ).json()) as { items: { id: string }[] }
  console.log(
    [
      '',
      `Bindery is ready at ${balancer.url}: ${nodes.length} servers (${nodes.map((node) => `${node.port}, process ${node.child.pid}`).join('; ')}) on one PostgreSQL, process ${postgres.pid()}`,
      `  Sites           ${sites.url}`,
      `  Token           ${token}`,
      `  Files           ${folder}${given === undefined ? ' (deleted at the end)' : ''}`,
      '',
      'Next, in another terminal, create a space. Then kill a server, and verify that the others continue:',
      '',
      `  curl -s -X POST ${balancer.url}/v1/orgs/${items[0]?.id}/spaces -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' -d '{"title": "Handbook"}'`,
      `  kill -9 ${nodes[0]?.child.pid}`,
      '',
      'Ctrl-C stops all.',
      '',
    ].join('\n'),
  )
}

try {
  await run()
} catch (error) {
  console.error((error as Error).message)
  stop(1)
}

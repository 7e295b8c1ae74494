/** The examples in deploy/: proxies that run, a unit that systemd accepts, and a Kubernetes manifest. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { settingsTable } from '../../src/config.js'
import { launch, until } from '../races/server-process.js'
import { suite } from '../support/suite.js'

// @own-process: it starts proxies
const test = suite('deployment examples')
const run = promisify(execFile)
const example = (name: string): Promise<string> => readFile(join('deploy', name), 'utf8')

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  await new Promise((done) => server.close(done))
  return typeof address === 'object' && address !== null ? address.port : 0
}

const program = (name: string): string => {
  const found = ['/usr/sbin', '/usr/bin', '/usr/local/bin'].map((dir) => join(dir, name)).find(existsSync)
  if (found === undefined) throw new Error(`${name} is needed for this test: scripts/test installs it.`)
  return found
}

/** Sends a request to a proxy as a browser does that resolved the host name to this machine. */
const ask = (port: number, host: string, path: string): Promise<{ status: number; client: string; body: string }> =>
  new Promise((done, failed) => {
    request(
      {
        port,
        host: '127.0.0.1',
        servername: host,
        path,
        headers: { host, 'x-forwarded-for': '192.0.2.1' },
        rejectUnauthorized: false,
      },
      (response) => {
        text(response).then(
          (body) =>
            done({ status: response.statusCode ?? 0, client: String(response.headers['x-client-address']), body }),
          failed,
        )
      },
    )
      .once('error', failed)
      .end()
  })

interface Behind {
  api: number
  sites: number
  /** Path of the sample site. */
  path: string
  close(): Promise<void>
}

/** Starts a server with the settings that the examples name. */
async function startBehindProxy(): Promise<Behind> {
  const dir = await mkdtemp(join(tmpdir(), 'behind-'))
  const [api, sites] = [await freePort(), await freePort()]
  const { child, ended, output } = launch(dir, {
    BINDERY_PORT: String(api),
    BINDERY_SITES_PORT: String(sites),
    BINDERY_TRUST_PROXY: '1',
    BINDERY_PUBLIC_URL: 'https://bindery.example.org',
    BINDERY_SITES_ORIGIN: 'https://docs.example.org',
    BINDERY_SAMPLE_SITE: 'true',
  })
  const [, site = ''] = await until(() => {
    if (child.exitCode !== null) throw new Error(output())
    return /Sample site +(\S+)[\s\S]*Next/.exec(output())
  })
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
    await rm(dir, { recursive: true, force: true })
  }
  return { api, sites, path: new URL(site).pathname, close }
}

/** Checks that a proxy leads to the API and to the sites, and passes on the address of the client. */
async function checkProxy(port: number, { path }: Behind): Promise<void> {
  const health = await until(() => ask(port, 'bindery.example.org', '/healthz').catch(() => null))
  assert.equal([health.status, JSON.parse(health.body)], [200, { status: 'ok' }])
  assert.match(health.client, /127\.0\.0\.1$/, 'the forged address of the client is not trusted')
  const site = await ask(port, 'docs.example.org', path)
  assert.is(site.status, 200)
  assert.match(site.body, /<h1/)
  const { status } = await ask(port, 'docs.example.org', '/v1')
  assert.is(status, 404, 'the host of the sites does not reach the API')
}

/** Runs a proxy while the work runs, and returns its messages if the work fails. */
async function withProxy(
  command: string,
  args: readonly string[],
  dir: string,
  work: () => Promise<void>,
): Promise<void> {
  const child = spawn(command, args, {
    cwd: dir,
    env: { PATH: process.env.PATH, HOME: dir, XDG_DATA_HOME: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()))
  const ended = once(child, 'exit')
  const early = ended.then(() => {
    throw new Error(`${command} ended: ${output}`)
  })
  try {
    await Promise.race([work(), early])
  } finally {
    early.catch(() => {})
    child.kill('SIGTERM')
    await ended
  }
}

/** Replaces every text, each of which must occur. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((done, [from, to]) => {
    assert.ok(done.includes(from), from)
    return done.replaceAll(from, to)
  }, text)

test('the example for nginx serves the API and the sites over https', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'nginx-'))
  const behind = await startBehindProxy()
  const port = await freePort()
  try {
    const subject = ['-subj', '/CN=bindery.example.org']
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '1',
      ...subject,
      '-keyout',
      `${dir}/privkey.pem`,
      '-out',
      `${dir}/fullchain.pem`,
    ])
    const site = replaced(await example('nginx.conf'), {
      '127.0.0.1:3000': `127.0.0.1:${behind.api}`,
      '127.0.0.1:3001': `127.0.0.1:${behind.sites}`,
      'listen 443': `listen 127.0.0.1:${port}`,
      '/etc/ssl/bindery': dir,
    })
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${dir}/${name};`,
    )
    await writeFile(
      join(dir, 'nginx.conf'),
      `daemon off;\npid ${dir}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${site}\n}\n`,
    )
    await withProxy(program('nginx'), ['-p', dir, '-c', join(dir, 'nginx.conf')], dir, () => checkProxy(port, behind))
  } finally {
    await behind.close()
    await rm(dir, { recursive: true, force: true })
  }
})

test('the example for Caddy serves the API and the sites, with certificates on demand', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'caddy-'))
  const behind = await startBehindProxy()
  const port = await freePort()
  try {
    // The certificates come from the authority of Caddy itself instead of a public one.
    const file = replaced(await example('Caddyfile'), {
      '127.0.0.1:3000': `127.0.0.1:${behind.api}`,
      '127.0.0.1:3001': `127.0.0.1:${behind.sites}`,
      '{\n\ton_demand_tls': `{\n\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\tauto_https disable_redirects\n\thttps_port ${port}\n\ton_demand_tls`,
    })
    await mkdir(dir, { recursive: true })
    await writeFile(join(dir, 'Caddyfile'), file)
    const args = ['run', '--config', join(dir, 'Caddyfile'), '--adapter', 'caddyfile']
    await withProxy(program('caddy'), args, dir, async () => {
      await checkProxy(port, behind)
      const refused = await ask(port, 'unknown.example.net', '/').then(
        ({ status }) => status,
        () => 'no certificate',
      )
      assert.is(refused, 'no certificate')
    })
  } finally {
    await behind.close()
    await rm(dir, { recursive: true, force: true })
  }
})

/** Maximum exposure that systemd computes for the unit: 10 = nothing is restricted. */
const MAX_EXPOSURE = 2.5

test('systemd accepts the units, and their exposure is low', async () => {
  const units = ['bindery.service', 'bindery-backup.service', 'bindery-backup.timer'].map((name) =>
    join('deploy', name),
  )
  for (const unit of units) {
    const text = await readFile(unit, 'utf8')
    const dir = await mkdtemp(join(tmpdir(), 'unit-'))
    // The program of the example is not installed here.
    const copy = join(dir, unit.slice('deploy/'.length))
    await writeFile(copy, text.replaceAll('/usr/bin/node', process.execPath))
    if (unit.endsWith('.timer'))
      await writeFile(copy.replace('.timer', '.service'), await readFile(unit.replace('.timer', '.service')))
    const { stdout, stderr } = await run('systemd-analyze', ['verify', copy]).catch((error) => error)
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes(copy))
    assert.equal(own, [])
    await rm(dir, { recursive: true })
  }
  const { stdout } = await run('systemd-analyze', [
    'security',
    '--offline=yes',
    '--no-pager',
    join('deploy', 'bindery.service'),
  ])
  const [, exposure = '10'] = /exposure level for bindery\.service: ([\d.]+)/.exec(stdout) ?? []
  assert.ok(Number(exposure) <= MAX_EXPOSURE, exposure)
})

test('the Kubernetes example has probes, no privileges, and names only existing settings', async () => {
  const text = await example('kubernetes.yaml')
  const documents = parseAllDocuments(text).map((one) => {
    assert.equal(one.errors, [])
    return one.toJS()
  })
  assert.equal(
    documents.map(({ kind }) => kind),
    ['Deployment', 'Service', 'PodDisruptionBudget'],
  )
  const { spec } = documents[0].spec.template
  const [container] = spec.containers
  assert.is(container.readinessProbe.httpGet.path, '/readyz')
  assert.equal([container.livenessProbe.httpGet.path, container.startupProbe.httpGet.path], ['/healthz', '/healthz'])
  assert.equal([spec.securityContext.runAsNonRoot, container.securityContext.readOnlyRootFilesystem], [true, true])
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name).sort()
  assert.equal(mounted, spec.volumes.map(({ name }: { name: string }) => name).sort())
  const known = new Set(settingsTable().map(({ name }) => name))
  for (const name of ['kubernetes.yaml', 'Caddyfile', 'nginx.conf', 'bindery.service', 'bindery-backup.service'])
    for (const [setting = ''] of (await example(name)).matchAll(/BINDERY_[A-Z][A-Z_]+/g))
      assert.ok(known.has(setting), setting)
})

test.run()

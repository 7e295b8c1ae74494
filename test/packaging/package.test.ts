/** The npm package: it installs into an empty folder with few files, and starts from there. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { until } from '../races/server-process.js'
import { suite } from '../support/suite.js'

// @own-process: it builds the server and starts it
const test = suite('npm package')
const run = promisify(execFile)
const root = process.cwd()
let dir = ''

test.before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'package-'))
})
test.after(() => rm(dir, { recursive: true, force: true }))

/** Builds and packs. Returns the path of the archive. */
async function pack(): Promise<string> {
  const [build, staged] = [join(dir, 'dist'), join(dir, 'staged')]
  await run(process.execPath, ['--import', 'tsx', 'scripts/build-server.ts', build])
  for (const part of ['site', 'desk']) {
    const assets = fileURLToPath(new URL(`../../src/${part}/assets`, import.meta.url))
    await cp(assets, join(build, part, 'assets'), { recursive: true, dereference: true })
  }
  await run(process.execPath, ['--import', 'tsx', 'scripts/pack.ts', staged, build])
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', dir, staged], { cwd: dir })
  return join(dir, JSON.parse(stdout)[0].filename)
}

/**
 * Installs the archive as npm does. The declared packages are those of this checkout, so that no registry is needed; a
 * package that is not declared is not found.
 */
async function install(archive: string): Promise<string> {
  const modules = join(dir, 'installed', 'node_modules')
  const own = join(modules, 'bindery')
  await mkdir(own, { recursive: true })
  await run('tar', ['-xzf', archive, '-C', own, '--strip-components=1'])
  const { dependencies } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(resolve(root, 'node_modules', name), join(modules, name))
  }
  return own
}

test('the package starts in an empty folder, and serves its health and the sample site', async () => {
  const own = await install(await pack())
  const { bin, dependencies, private: isPrivate } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
  assert.is(isPrivate, undefined)
  const { packages } = JSON.parse(await readFile(join(own, 'npm-shrinkwrap.json'), 'utf8'))
  assert.equal(
    Object.keys(dependencies).filter((name) => packages[`node_modules/${name}`]?.version !== dependencies[name]),
    [],
  )
  assert.ok(!('node_modules/typescript' in packages) && !('node_modules/koa' in packages))
  assert.ok(Object.keys(dependencies).length < 50, Object.keys(dependencies).join(' '))
  const work = join(dir, 'work')
  await mkdir(work)
  const main = join(own, bin.bindery)
  const env = { PATH: process.env.PATH, HOME: dir, TMPDIR: dir, BINDERY_PORT: '0', BINDERY_SITES_PORT: '0' }
  const { stdout } = await run(process.execPath, [main, '--version'], { cwd: work, env })
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
  const child = spawn(process.execPath, [main, 'serve', '--json'], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()))
  try {
    const [line = ''] = await until(() => {
      if (child.exitCode !== null) throw new Error(output)
      return /^\{"url".*\}$/m.exec(output)
    })
    const { url, sample } = JSON.parse(line)
    assert.equal(await (await fetch(`${url}/healthz`)).json(), { status: 'ok' })
    const page = await fetch(sample)
    assert.is(page.status, 200)
    const html = await page.text()
    assert.match(html, /<h1/)
    const [, sheet = ''] = /href="([^"]+\.css)"/.exec(html) ?? []
    assert.is((await fetch(new URL(sheet, sample))).status, 200)
    assert.is((await fetch(`${url}/docs`)).status, 200)
    assert.is((await fetch(`${url}/start`, { headers: { accept: 'text/html' } })).status, 200)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
})

/** Advisories that do not concern the server, with the reason. */
const ACCEPTED: Readonly<Record<string, string>> = {}

test('no production dependency has a known vulnerability, if the registry can be asked', async () => {
  const { stdout } = await run('npm', ['audit', '--omit=dev', '--json'], { maxBuffer: 64 * 1024 * 1024 }).catch(
    (error) => error,
  )
  const report = JSON.parse(stdout)
  if (report.vulnerabilities === undefined) {
    // Without a registry that knows advisories, npm returns an error with its reason.
    assert.ok(typeof report.message === 'string' || report.error !== undefined, stdout.slice(0, 500))
    console.log(`The audit of dependencies was skipped: ${report.message ?? report.error.summary}`)
    return
  }
  const found = Object.entries<{ severity: string }>(report.vulnerabilities)
  assert.equal(
    found.filter(([name]) => !(name in ACCEPTED)).map(([name, { severity }]) => `${name}: ${severity}`),
    [],
  )
})

test('the software bill of materials lists every production dependency with its license', async () => {
  const { scripts, dependencies } = JSON.parse(await readFile('package.json', 'utf8'))
  const [, ...args] = scripts.sbom.split(' ')
  const { stdout } = await run('npm', args, { maxBuffer: 64 * 1024 * 1024 })
  const { bomFormat, components } = JSON.parse(stdout)
  assert.is(bomFormat, 'CycloneDX')
  const names = new Set(
    components.map(({ name, group }: { name: string; group?: string }) => (group ? `${group}/${name}` : name)),
  )
  assert.equal(
    Object.keys(dependencies).filter((name) => !names.has(name)),
    [],
  )
})

test.run()

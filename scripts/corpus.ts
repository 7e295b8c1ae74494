import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { loadConfig } from '../src/config.js'
import { createLog } from '../src/kernel/log.js'
import { start } from '../src/server.js'

/**
 * Sends a real docs repository on a round trip through a scratch server: import, read, export. Prints pages, files,
 * diagnostics, times, the difference after the round trip (which must be empty) and the output of `git fsck --strict`.
 * Exits with 1 if the import fails, a byte differs, or fsck reports a problem.
 */
const run = promisify(execFile)
const git = async (...args: string[]): Promise<string> => (await run('git', args, { maxBuffer: 1 << 30 })).stdout.trim()

const [source, wanted] = process.argv.slice(2)
if (!source) {
  console.error('usage: scripts/corpus <bundle, path or URL> [branch]')
  process.exit(2)
}

const dir = await mkdtemp(join(tmpdir(), 'bindery-corpus-'))
const local = existsSync(source)
const remote = local ? join(dir, 'remote.git') : source
if (local) await git('clone', '--quiet', '--bare', resolve(source), remote)
const branches = (await git('ls-remote', '--heads', remote))
  .split('\n')
  .flatMap((line) => line.split('\t')[1]?.replace('refs/heads/', '') ?? [])
const branch = wanted ?? ['main', 'master'].find((name) => branches.includes(name)) ?? branches[0]
if (branch === undefined) throw new Error('The repository has no branch.')
const url = local ? `file://${remote}` : remote
const headOf = async (): Promise<string> =>
  (await git('ls-remote', remote, `refs/heads/${branch}`)).split('\t')[0] ?? ''

const token = 'bindery_corpus_token_000000000000'
const service = await start(
  loadConfig({
    BINDERY_PORT: '0',
    BINDERY_SITES_PORT: '0',
    BINDERY_SAMPLE_SITE: 'false',
    BINDERY_DATA_DIR: join(dir, 'data'),
    BINDERY_REPOS_DIR: join(dir, 'repos'),
    BINDERY_ADMIN_TOKEN: token,
    BINDERY_REMOTE_PROTOCOLS: 'https,ssh,http,file',
    BINDERY_ALLOW_PRIVATE_NETWORKS: 'true',
    BINDERY_SSH_KEY_FILE: process.env.BINDERY_SSH_KEY_FILE,
    BINDERY_SSH_KNOWN_HOSTS: process.env.BINDERY_SSH_KNOWN_HOSTS,
    BINDERY_CHECK_RESPONSES: 'true',
  }),
  { log: createLog({ level: 'error' }) },
)

async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

async function finished(space: string): Promise<any> {
  for (;;) {
    const info = await call('GET', `/v1/spaces/${space}/git/info`)
    if (info.state !== 'queued' && info.state !== 'running') return info
    await new Promise((done) => setTimeout(done, 20))
  }
}

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(2)} s`
const counted = (values: string[]): string =>
  [...group(values)].map(([key, all]) => `${all.length} ${key}`).join(', ') || 'none'
function group(values: string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const value of values) groups.set(value, [...(groups.get(value) ?? []), value])
  return groups
}

let wrong = 0
try {
  const space = (await call('POST', `/v1/orgs/${service.first.organization.id}/spaces`, { title: 'Corpus' }))
    .id as string
  const before = await headOf()
  let from = performance.now()
  await call('POST', `/v1/spaces/${space}/git/import`, { url, ref: `refs/heads/${branch}` })
  const imported = await finished(space)
  console.log(`import       ${imported.state} in ${seconds(from)}${imported.error ? `: ${imported.error}` : ''}`)
  if (imported.state !== 'success') wrong++

  from = performance.now()
  const revision = await call('GET', `/v1/spaces/${space}/content`)
  const all = (pages: any[]): any[] => pages.flatMap((page) => [page, ...all(page.pages)])
  const pages = all(revision.pages)
  console.log(`revision     ${revision.id}, read in ${seconds(from)}`)
  console.log(`pages        ${pages.length}: ${counted(pages.map((page) => page.type))}`)
  console.log(
    `files        ${revision.files.length}: ${counted(revision.files.map((file: { contentType: string }) => file.contentType))}`,
  )
  const diagnostics = [...revision.diagnostics, ...pages.flatMap((page) => page.diagnostics ?? [])]
  console.log(`diagnostics  ${diagnostics.length}: ${counted(diagnostics.map((one) => one.code))}`)
  for (const one of diagnostics.slice(0, 10))
    console.log(`  ${one.code}  ${one.file ?? ''}${one.line ? `:${one.line}` : ''}  ${one.message}`)
  from = performance.now()
  let blocks = 0
  for (const page of pages.filter((one) => one.type === 'document')) {
    blocks += (await call('GET', `/v1/spaces/${space}/content/page/${page.id}?format=document`)).document.nodes.length
  }
  console.log(
    `documents    ${blocks} top blocks of ${pages.filter((page) => page.type === 'document').length} pages, read in ${seconds(from)}`,
  )

  const repo = join(dir, 'repos', `${space}.git`)
  from = performance.now()
  if (local) {
    await call('POST', `/v1/spaces/${space}/git/export`, {
      url,
      ref: `refs/heads/${branch}`,
      commitMessage: 'Round trip',
    })
    const exported = await finished(space)
    console.log(`export       ${exported.state} in ${seconds(from)}${exported.error ? `: ${exported.error}` : ''}`)
    const after = await headOf()
    if (after !== before) wrong++
    console.log(`remote head  ${after === before ? 'unchanged' : `moved from ${before} to ${after}`}`)
  }
  const difference = await git('-C', repo, 'diff-tree', '-r', before, 'refs/heads/main')
  console.log(`round trip   ${difference === '' ? 'no byte differs' : difference}`)
  if (difference !== '') wrong++
  const complaints = await git('-C', repo, 'fsck', '--strict', '--no-dangling', '--no-progress').catch((error) =>
    String(error.stderr || error.stdout || error),
  )
  console.log(`git fsck     ${complaints === '' ? 'sound' : complaints}`)
  if (complaints !== '') wrong++
} finally {
  await service.close()
  await rm(dir, { recursive: true, force: true })
}
process.exit(wrong === 0 ? 0 : 1)

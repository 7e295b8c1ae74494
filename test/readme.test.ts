// @costly: it runs the commands of the documents in a fresh clone
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { settingsTable } from '../src/config.js'
import { Checkout } from './support/checkout.js'
import { commandBlocks, listDocuments } from './support/documents.js'
import { startGitHttp } from './support/git-http.js'
import { git } from './support/hermetic-git.js'
import { startPostgres } from './support/postgres.js'
import { isSoak } from './support/soak.js'
import { suite } from './support/suite.js'

const SETTINGS = 'docs/settings.md'
const ADMINISTRATION = 'docs/administration.md'
/** Documents whose commands continue each other in one terminal. */
const WALK = ['README.md', 'docs/teams.md']
const test = suite('documented commands')

/** Blocks that no test runs, with the reason. documents.test.ts checks their syntax and their names. */
const NOT_RUN: readonly { document: string; block: string; reason: string }[] = [
  { document: 'README.md', block: 'scripts/test', reason: 'it would run this test' },
  { document: 'README.md', block: 'scripts/cluster', reason: 'it is expensive, and test/nodes/ runs several servers' },
  { document: 'README.md', block: 'docker compose up --build', reason: 'it needs a container engine and images' },
  ...['README.md', ADMINISTRATION].map((document) => ({
    document,
    block: 'docker build -t bindery . && docker run -p 3000:3000 -p 3001:3001 -v bindery:/var/lib/bindery bindery',
    reason: 'it needs a container engine and images',
  })),
  ...['npm ci && npm run build && npm link', 'bindery preview docs', 'bindery check docs'].map((block) => ({
    document: 'docs/preview-and-check.md',
    block,
    reason: 'test/commands/ runs both commands, and an installation changes the machine',
  })),
  {
    document: ADMINISTRATION,
    block:
      'BINDERY_PUBLIC_URL=https://bindery.example.org BINDERY_SITES_ORIGIN=https://docs.example.org BINDERY_TRUST_PROXY=1 scripts/start',
    reason: 'it needs a proxy with certificates; test/site/hosts.test.ts plays one',
  },
  {
    document: 'docs/design/git-door.md',
    block: 'git clone http://git:TOKEN@127.0.0.1:3000/git/SPACE.git',
    reason: 'the README has the same command with a token',
  },
]

/**
 * Programs that a checkout replaces. `npm` creates the files of a build, because the test run has installed and
 * compiled everything. `apt-get` changes nothing. `docker` fails, because a block that calls it must be in `NOT_RUN`.
 */
const STAND_INS = {
  npm: `case "$*" in
    ci*) mkdir node_modules ;;
    'run --silent build') mkdir -p dist && ln -sf ../bin/main.js dist/main.js ;;
    *) exit 1 ;;
  esac`,
  'apt-get': 'test "$1" = install',
  docker: 'exit 1',
}

const isListed = (document: string, block: string): boolean =>
  NOT_RUN.some((one) => one.document === document && one.block === block.trim())
const isStart = (block: string): boolean => /scripts\/start$/.test(block.trim())
const blocksToRun = async (document: string): Promise<string[]> =>
  (await commandBlocks(document)).filter((block) => !isListed(document, block))

for (const shell of isSoak ? ['bash', 'zsh'] : ['bash'])
  test(`the commands in the README and in the team guide work when pasted into ${shell}`, async () => walkIn(shell))

async function walkIn(shell: string): Promise<void> {
  const here = await Checkout.create(STAND_INS, { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' })
  const hosted = join(here.dir, 'hosted')
  await mkdir(hosted)
  const host = await startGitHttp({ root: hosted, auth: { username: 'x-access-token', password: 'THE_TOKEN' } })
  try {
    await host.createRepository('docs.git', { files: { 'guide/README.md': '# Guide\n', 'main.c': 'int main;\n' } })
    const [start = '', ...later] = (await Promise.all(WALK.map(blocksToRun))).flat()
    assert.ok(isStart(start) && later.length >= 10 && !later.some(isStart))
    const { url } = await here.start(start.replace('https,ssh,file', 'https,ssh,file,http'), { shell })
    assert.equal(await here.calls(), ['npm ci --no-audit --no-fund --loglevel=error', 'npm run --silent build'])
    const commands = later.join('\n').replace('https://github.com/acme/docs.git', `${host.url}/docs.git`)
    const output = await here.paste(commands, { shell, env: { BINDERY: url } })
    assert.match(
      output,
      /success[\s\S]*\[ 'Acme', 'Guides' \][\s\S]*Run `acme`\.[\s\S]*merge\n\[[^\]]*page_created[^\]]*\]\nsuccess\n/,
    )
    assert.match(
      output,
      /Explain upgrades\n .gitbook\/assets\/dot.png[^\n]*\n SUMMARY.md +\| +1 \+\n guides\/install.md[^\n]*\n guides\/upgrade.md[^\n]*\n 4 files changed/,
    )
    assert.match(
      output,
      /merge\n\[ 'guides\/install.md' \]\n\[ \[ 'guides\/install.md', 'content', 'Run `acme`.' \] \]\nupdate\nmerge\n/,
    )
    assert.match(output, /remote: Change request 4 opened[\s\S]*\[ 'page_edited' \]\nmerge\n/)
    assert.match(output, /Merge change request #3: Explain the options[\s\S]*Merge change request #1: Explain upgrades/)
    assert.match(
      output,
      /true\n\[ \[ '[^']+', 'admin' \], \[ 'Wanda', 'review' \] \]\n1\nBetter\.\n[^\n]*approv[^\n]*\napproved\nmerge\nrules\n\[ 'required_approvals', 'require_change_request_subject' \]\nnone\n/,
    )
    assert.match(output, /none\nhttp:\/\/127\.0\.0\.1:\d+\/[^\n]+\n[\s\S]*true\n1\n/)
    assert.match(output, /acme --setup --verbose\n[\s\S]*acme --quiet\nOpen http/)
  } finally {
    await here.close()
    await host.close()
  }
}

/** The blocks of the administration guide that need a stopped server. */
const NEEDS_STOPPED = /^(cp -a data|mv data|node dist\/main\.js (?:migrate|purge-secret))/m
/** The block that makes the same backup as the block before it. */
const OTHER_BACKUP = /^cp -a data/m

test(
  'the commands in the administration guide work in the given order',
  async () => {
    const here = await Checkout.create(STAND_INS)
    const postgres = await startPostgres()
    try {
      await administer(here, await postgres.database())
    } finally {
      await here.close()
      await postgres.close()
    }
  },
  { embeddedOnly: 'data-folder' },
)

async function administer(here: Checkout, database: string): Promise<void> {
  const backups = join(here.dir, 'backups')
  for (const folder of [backups, join(here.dir, 'etc')]) await mkdir(folder)
  const env: NodeJS.ProcessEnv = {}
  const outputs: string[] = []
  for (const block of await blocksToRun(ADMINISTRATION)) {
    const backup = (await readdir(backups)).find((name) => name.startsWith('bindery-')) ?? ''
    if (OTHER_BACKUP.test(block)) await rm(join(backups, backup), { recursive: true })
    if (here.server !== null && (isStart(block) || NEEDS_STOPPED.test(block))) assert.is(await here.server.stop(), 0)
    const commands = block
      .replaceAll('/etc/bindery', join(here.dir, 'etc'))
      .replaceAll('/backups/', `${backups}/`)
      .replace('postgresql://bindery@db.example.org/bindery', database)
    const output = isStart(block) ? (await here.start(commands)).output() : await here.paste(commands, { env })
    outputs.push(output)
    if (env.SPACE === undefined) env.SPACE = await createSpace(here)
    if (block.includes('BINDERY_COMMIT_KEY_FILE=')) await assertSigned(here, await createSpace(here))
    if (block.includes('main.js token'))
      await call(here, '/user', { token: output.trim().split('\n').at(-1) as string })
    if (block.includes('migrate --to postgresql:')) env.BINDERY_DATABASE_URL = database
  }
  assert.match(await git(join(here.dir, 'docs-copy'), ['log', '--format=%an']), /\w/)
  const output = outputs.join('')
  assert.match(output, /backups\/bindery-[\d-]+ has 4 repositories and \d+ files/)
  assert.is(output.match(/^No problems found\.$/gm)?.length, 3)
  assert.is(output.match(/^Repositories are equal: 4 repositories/gm)?.length, 2)
}

/** Sends a request to the running server, by default with the token of its first start. Throws if it fails. */
async function call(
  { dir, server }: Checkout,
  path: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<{ id: string; items: { id: string }[] }> {
  const bearer = token ?? (await readFile(join(dir, 'data', 'admin-token'), 'utf8')).trim()
  const response = await fetch(`${server?.url}/v1${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.json() as Promise<{ id: string; items: { id: string }[] }>
}

/** Creates a space in the first organization and returns its ID. */
async function createSpace(here: Checkout): Promise<string> {
  const { items } = await call(here, '/orgs')
  return (await call(here, `/orgs/${items[0]?.id}/spaces`, { body: { title: 'Documentation' } })).id
}

async function assertSigned({ dir }: Checkout, space: string): Promise<void> {
  assert.match(await git(join(dir, 'repos', `${space}.git`), ['cat-file', 'commit', 'main']), /^gpgsig /m)
}

test('every block of commands is run or listed with a reason, and every listed block exists', async () => {
  const neither: string[] = []
  const listed: string[] = []
  for (const document of await listDocuments())
    for (const block of await commandBlocks(document)) {
      if (isListed(document, block)) listed.push(`${document}: ${block.trim()}`)
      else if (![...WALK, ADMINISTRATION].includes(document)) neither.push(`${document}: ${block.trim()}`)
    }
  assert.equal(neither, [])
  assert.equal(listed.sort(), NOT_RUN.map(({ document, block }) => `${document}: ${block}`).sort())
})

test('the table of settings matches the code', async () => {
  const text = await readFile(SETTINGS, 'utf8')
  const all = settingsTable()
  const table = [...new Set(all.map(({ group }) => group))]
    .map((heading) =>
      [
        `## ${heading}`,
        '',
        '| setting | default | what it is |',
        '|---|---|---|',
        ...all
          .filter(({ group }) => group === heading)
          .map((row) => `| \`${row.name}\` | ${row.default === '' ? '' : `\`${row.default}\``} | ${row.description} |`),
      ].join('\n'),
    )
    .join('\n\n')
  const section = `<!-- settings -->\n${table}\n<!-- /settings -->`
  if (process.env.UPDATE_GOLDEN === '1' && !process.env.CI)
    await writeFile(
      SETTINGS,
      text.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => section),
    )
  assert.ok((await readFile(SETTINGS, 'utf8')).includes(section), 'run with UPDATE_GOLDEN=1 to write the table')
})

test.run()

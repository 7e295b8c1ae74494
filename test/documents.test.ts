import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { allCommands } from '../src/commands/program.js'
import { settingsTable } from '../src/config.js'
import { optionName } from '../src/start/operator/declaration.js'
import { blocksIn, commandBlocks, listDocuments } from './support/documents.js'
import { suite } from './support/suite.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const test = suite('documents')

const DOCUMENTS = await listDocuments()
/** The allowed start of a path that a document names. */
const ROOTS = ['', 'src/', 'src/domain/', 'src/domain/commits/', 'src/domain/git-sync/', 'src/git/', 'test/']

/** Code paths that a text names in backticks: with a slash, and with the form of a file or folder. */
const pathsIn = (text: string): string[] =>
  [...text.matchAll(/`([a-z][\w.-]*\/[\w./-]*)`/g)]
    .map(([, path]) => path as string)
    .filter((path) => /\.(ts|cjs|sh)$|\/$/.test(path))

/** The anchors that Git hosts generate for the headings of a document. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

for (const document of DOCUMENTS)
  test(`all files and folders in ${document} exist`, async () => {
    const text = await readFile(join(root, document), 'utf8')
    const missing = pathsIn(text).filter(
      (path) => !/^(repos|data|refs|lfs)\//.test(path) && !ROOTS.some((start) => existsSync(join(root, start, path))),
    )
    assert.equal(missing, [])
    const prose = text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
    const links = [...prose.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string)
    assert.equal(
      links.filter((link) => !existsSync(join(root, dirname(document), link))),
      [],
    )
    const anchors = [...prose.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)].map(([, path, anchor]) => ({
      path,
      anchor,
    }))
    for (const { path = '', anchor = '' } of anchors) {
      const target = path === '' ? text : await readFile(join(root, dirname(document), path), 'utf8')
      assert.ok(anchorsOf(target).includes(anchor), `${path}#${anchor}`)
    }
  })

test('every folder of domain/ has a level in ARCHITECTURE.md', async () => {
  const text = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')
  const rows = [...text.matchAll(/^ *\| \d \|(.*)\|$/gm)].map(([row]) => row).join('\n')
  const rooms = await readdir(join(root, 'src/domain'))
  assert.equal(
    rooms.filter((room) => !rows.includes(`\`${room}\``)),
    [],
  )
})

/** All matches of a pattern in the documents, with the document. The pattern has one group. */
async function namesIn(pattern: RegExp, documents = DOCUMENTS): Promise<{ document: string; name: string }[]> {
  const found = await Promise.all(
    documents.map(async (document) =>
      [...(await readFile(join(root, document), 'utf8')).matchAll(pattern)].map(([, name]) => ({
        document,
        name: name as string,
      })),
    ),
  )
  return found.flat()
}

test('documents, the container image and compose.yaml name only existing settings', async () => {
  const settings = new Set(settingsTable().map(({ name }) => name))
  const found = await namesIn(/\b(BINDERY_[A-Z_]+)\b/g, [...DOCUMENTS, 'compose.yaml', 'Dockerfile'])
  assert.ok(found.length > 100)
  assert.equal(
    found.filter(({ name }) => !settings.has(name)),
    [],
  )
})

test('documents name only existing commands and options of the command line', async () => {
  const found = await namesIn(/(?:node dist\/main\.js|`bindery) ([a-z][^`\n#]*)/g)
  assert.ok(found.length > 15)
  const unknown = found.filter(({ name }) => {
    const [first = '', second = ''] = name.split(' ')
    const command =
      allCommands.find((one) => one.name === `${first} ${second}`) ?? allCommands.find((one) => one.name === first)
    const options = ['--json', '--help', ...Object.keys(command?.parameters ?? {}).map(optionName)]
    return command === undefined || !(name.match(/--[\w-]+/g) ?? []).every((option) => options.includes(option))
  })
  assert.equal(unknown, [])
})

test('documents name only existing scripts, and words that choose test files', async () => {
  const scripts = await namesIn(/(?<![\w/])scripts\/([a-z][\w.-]*\w)/g)
  assert.equal(
    scripts.filter(({ name }) => !existsSync(join(root, 'scripts', name))),
    [],
  )
  const { scripts: ofPackage } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const runs = await namesIn(/npm run (?:-\S+ )?([\w-]+)/g)
  assert.equal(
    runs.filter(({ name }) => !(name in ofPackage)),
    [],
  )
  const files = (await readdir(join(root, 'test'), { recursive: true })).filter((path) => path.endsWith('.test.ts'))
  const words = await namesIn(/(?:npm test --|scripts\/test) ([a-z][^`\n]*)/g)
  assert.ok(words.length > 5)
  assert.equal(
    words.filter(({ name }) => !name.split(' ').every((word) => files.some((path) => path.includes(word)))),
    [],
  )
})

test('documents name only operations that the API has', async () => {
  const { paths } = JSON.parse(await readFile(join(root, 'test/golden/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, unknown>>
  }
  // Parameters have different names in the documents.
  const plain = (path: string): string => path.replace(/\{[^}]+\}|<[^>]+>|\b[A-Z]{2,}\b/g, '*').replace(/\?.*/, '')
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${plain(path)}`),
  )
  const found = await namesIn(/`((?:GET|POST|PUT|PATCH|DELETE) (?:\/v1)?[/…][^\s`]*)/g)
  assert.ok(found.length > 20)
  const unknown = found.filter(({ name }) => {
    const [method = '', path = ''] = name.split(' ')
    // These are routes of the published sites.
    if (path.startsWith('/~')) return false
    const end = plain(path.replace(/^\/v1/, '').replace(/^…/, ''))
    return !operations.some((one) => one.startsWith(`${method} `) && one.endsWith(end))
  })
  assert.equal(unknown, [])
})

test('blocks of commands are marked as bash and have its syntax', async () => {
  const unmarked =
    /^(?:[A-Z_]+=\S+ )*(?:scripts\/\w|(?:node|npm|git|curl|docker|cp|mv|mkdir|apt-get|ssh-keygen|openssl) )/m
  for (const document of DOCUMENTS) {
    const plain = blocksIn(await readFile(join(root, document), 'utf8')).filter(({ language }) => language !== 'bash')
    assert.equal(
      plain.filter(({ content }) => unmarked.test(content)).map(({ content }) => `${document}: ${content}`),
      [],
    )
    const commands = (await commandBlocks(document)).join('\n')
    if (commands !== '') execFileSync('bash', ['-n'], { input: commands })
  }
})

test('the container commands match the Dockerfile and compose.yaml', async () => {
  const dockerfile = await readFile(join(root, 'Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '))
  assert.ok(copied.length > 4)
  assert.equal(
    copied.filter((path) => !existsSync(join(root, path))),
    [],
  )
  for (const document of ['README.md', 'docs/administration.md'])
    for (const [, port = '', folder = ''] of (await readFile(join(root, document), 'utf8')).matchAll(
      /docker run -p \d+:(\d+) -v \w+:(\S+)/g,
    )) {
      assert.match(dockerfile, new RegExp(`^EXPOSE ${port}$`, 'm'))
      assert.match(dockerfile, new RegExp(`BINDERY_DATA_DIR=${folder}/data BINDERY_REPOS_DIR=${folder}/repos`))
    }
  const { services } = parse(await readFile(join(root, 'compose.yaml'), 'utf8'), { merge: true }) as {
    services: Record<string, { depends_on?: object; volumes?: string[] }>
  }
  for (const { depends_on: needs = {}, volumes = [] } of Object.values(services)) {
    for (const name of Array.isArray(needs) ? needs : Object.keys(needs)) assert.ok(name in services, name)
    for (const [path = ''] of volumes.map((volume) => volume.split(':')))
      if (path.startsWith('.')) assert.ok(existsSync(join(root, path)), path)
  }
})

test.run()

// Takes unusual specifications through every step of the service.
// For a folder of specifications: SPECIFICATIONS=/a/folder npm test -- openapi/whole-way
// For large ones with generated cycles, hundreds of files and 3 MB of YAML: SPECIFICATIONS=large.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startService } from '../../support/service.js'
import { isSoak } from '../../support/soak.js'
import { suiteWith } from '../../support/suite.js'
import { processed, serveFiles } from '../servers.js'
import { circles, manyFiles, muchYaml } from './large.js'
import { oddities, refusedTexts } from './oddities.js'
import { changed, printed, type Read, readPages, readSource, spaceOf } from './travel.js'

const { SPECIFICATIONS: given } = process.env
const isSmall = given === undefined
const TIME = { timeoutMs: isSmall ? 300_000 : 1_800_000 }
const [test, here] = await suiteWith('openapi/whole-way', () =>
  startService({ env: { BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8', BINDERY_OPENAPI_FETCH_SECONDS: '240' } }),
)
const web = await serveFiles()
test.after(() => web.close())

/** File name → text of each specification. */
function specifications(): Record<string, string> {
  if (given === undefined) return oddities
  if (given === 'large') return { 'circles.json': circles(1_000), 'much.yaml': muchYaml(3_000_000) }
  const names = readdirSync(given).filter((name) => /\.(json|ya?ml)$/.test(name))
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(given, name), 'utf8')]))
}

const documents = new Map<string, object>()

async function travel(name: string, read: Read): Promise<void> {
  const desk = await spaceOf(here, read)
  await readPages(desk, read)
  // `pdf/specification` prints a specification in the test run.
  if (isSoak || !isSmall) {
    const pdf = await printed(desk)
    assert.ok(pdf.outline.length > 2 && pdf.pages.length > 2, name)
  }
  await changed(here, web, desk, read)
}

for (const [name, text] of Object.entries(specifications())) {
  const slug = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  test(
    `the specification passes every step: ${name}`,
    async () => {
      // The source has no effect on what follows: the test run sends one of them as text, too.
      const byText = isSoak || documents.size === 0 ? await readSource(here, slug, { text }) : null
      web.files.set(`/${name}`, text)
      const byFile = await readSource(here, slug, { url: `${web.url}/${encodeURIComponent(name)}` })
      if (byText) assert.equal(byFile.document, byText.document)
      documents.set(name, byFile.document)
      await travel(name, byFile)
    },
    TIME,
  )
}

if (isSmall || given === 'large')
  test(
    'a specification of many files passes every step',
    async () => {
      const count = isSmall ? 5 : 300
      for (const [path, text] of Object.entries(manyFiles(count))) web.files.set(`/files/${path}`, text)
      const read = await readSource(here, 'many-files', { url: `${web.url}/files/many.yaml` })
      assert.is(read.operations.length, count)
      await travel('many files', read)
    },
    TIME,
  )

if (isSmall)
  test('Windows line ends and byte order marks have no effect', () =>
    assert.equal(documents.get('windows.yml'), documents.get('yaml.yaml')))

test('a document that is not a specification is rejected, and the message states the location', async () => {
  for (const [name, text, message] of refusedTexts) {
    const path = `/v1/orgs/${here.organization}/openapi/refused`
    await here.admin.call('put', path, { source: { text } })
    const { lastProcessErrorCode, lastProcessError, lastVersion } = await processed(here.admin, path)
    assert.is(lastProcessErrorCode, 'PARSE_ERROR', name)
    assert.match(lastProcessError?.message ?? '', message, name)
    assert.is(lastVersion, undefined, name)
  }
})

test.run()

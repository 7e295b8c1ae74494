import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { FACT_KINDS, FACTS_VERSION } from '../../src/content/facts.js'
import { openFacts } from '../../src/facts/index.js'
import { deskOf } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const PAGES = 40
/** Beyond the limit of table cells. */
const COSTLY = `# Costly\n\n${'a|'.repeat(5_000)}\n${'-|'.repeat(5_000)}\n${'x\n'.repeat(2_000)}`
const files = {
  'README.md': '# Home\n\n[Second](page-2.md), [nowhere](missing.md), ![picture](pictures/one.png)\n',
  'costly.md': COSTLY,
  'pictures/one.png': 'no picture',
  'broken.md': '---\ntitle: [\n---\n\n# Broken\n',
  ...Object.fromEntries(
    Array.from({ length: PAGES }, (_, n) => [
      `page-${n}.md`,
      `---\ndescription: Page ${n} of many\n---\n\n# Page ${n}\n\n[Next](page-${n + 1}.md#part)\n\n## Part\n`,
    ]),
  ),
}
const listed = Object.keys(files).filter((name) => name.endsWith('.md'))

const [test, here] = await suiteWith('facts of a space that one service leaves for the next', () => startService())
const index = (): string => join(here.dir, 'data', 'facts.db')
let desk: string

/**
 * All responses that use facts: tree, files and diagnostics, links, and a page, without the service's port and signed
 * addresses.
 */
async function everything(): Promise<string> {
  const [content, links, page] = await Promise.all(
    ['content', 'links?limit=200', 'content/path/costly?format=document'].map((path) =>
      here.admin.call('get', `${desk}/${path}`).expect(200),
    ),
  )
  const all = JSON.stringify([content?.body, links?.body, page?.body])
  return all.replaceAll(here.url, '').replace(/"downloadURL":"[^"]*"/g, '')
}

test.before(async () => {
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Kept' }).expect(201))
    .body.id
  const summary = `# Table of contents\n\n${listed.map((name) => `* [${name}](${name})\n`).join('')}`
  desk = (await deskOf(here, space, { ...files, 'SUMMARY.md': summary })).url
})

test('a costly page or one with invalid front matter stops no other page', async () => {
  const { body } = await here.admin.call('get', `${desk}/content`).expect(200)
  const pages = body.pages as { path: string; description?: string; diagnostics?: { code: string }[] }[]
  assert.is(pages.length, listed.length)
  const codes = (path: string) => pages.find((page) => page.path === path)?.diagnostics?.map(({ code }) => code)
  assert.equal(codes('costly'), ['too-costly'])
  assert.equal(codes('broken'), ['invalid-front-matter'])
  for (let n = 0; n < PAGES; n++)
    assert.is(pages.find((page) => page.path === `page-${n}`)?.description, `Page ${n} of many`)
  assert.equal(
    (body.files as { name: string }[]).map(({ name }) => name),
    ['one.png'],
  )
})

test('a restarted service returns the same from stored facts and rebuilds lost ones', async () => {
  const first = await everything()
  const { body } = await here.admin.call('get', `${desk}/content`).expect(200)
  const oids = (body.pages as { git: { oid: string } }[]).map(({ git }) => git.oid)
  const between: (() => Promise<unknown>)[] = [
    async () => {
      const facts = openFacts({
        file: index(),
        kinds: FACT_KINDS,
        version: FACTS_VERSION,
        maxBytes: 1e9,
        notice: (message) => assert.unreachable(message),
      })
      for (const kind of FACT_KINDS) assert.is(facts.get(kind, oids).size, listed.length, kind)
      facts.close()
    },
    () => writeFile(index(), 'damaged '.repeat(1_000)),
    async () => {
      for (const end of ['', '-wal', '-shm']) await rm(index() + end, { force: true })
    },
  ]
  for (const change of between) {
    await here.service.close()
    await change()
    await here.restart()
    assert.is(await everything(), first)
  }
})

test.run()

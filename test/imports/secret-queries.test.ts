/** The query of an import's URL, which may be a signature, is neither shown nor stored. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Case, good, page, play, text, to } from './odd-website.js'

const [test, here] = await suiteWith('queries of imports', () =>
  startService({ env: { BINDERY_IMPORT_DELAY_MS: '0' } }),
)

async function filesWith(folder: string, word: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const one of names)
    if (one.isFile() && (await readFile(join(one.parentPath, one.name))).includes(word)) found.push(one.name)
  return found
}

const SECRET = 'sig-of-the-query-7391'
const secretive: Record<string, Case> = {
  'of a document': {
    answers: {
      '/a.html': page(
        'A',
        '<p>aword <a href="#b">one</a> <a href="?x=y">two</a> <a href="">three</a> <a href="b.html">four</a><img alt="i" src="#x"></p>',
      ),
    },
    path: '/a.html',
    source: 'html',
  },
  'of a document that is not there': {
    answers: { '/a.html': text('no', 'text/html', 404) },
    path: '/a.html',
    source: 'html',
  },
  'of an archive that is none': { answers: { '/a.zip': text('no') }, path: '/a.zip', source: 'zip' },
  'of an archive that is a page': { answers: { '/a.zip': page('A', 'x') }, path: '/a.zip', source: 'notion' },
  'of a Word document that is none': { answers: { '/a.docx': text('no') }, path: '/a.docx', source: 'docx' },
  'of markdown': {
    answers: { '/a.md': text('# A\n\naword [b](b.md) [c](#c) [d](?x) ![e](e.png)\n', 'text/markdown') },
    path: '/a.md',
    source: 'markdown',
  },
  'of a website': {
    answers: { '/': page('A', '<p>aword <a href="#b">one</a> <a href="/no">two</a></p>') },
    path: '/',
    source: 'website',
  },
  'of a website that redirects': { answers: { '/': to('/x?y=z'), '/x': to('/') }, path: '/', source: 'website' },
  'of a website without pages': { answers: { '/': text('x', 'image/png') }, path: '/', source: 'website' },
  'of a website that robots may not read': {
    answers: { '/robots.txt': text('User-agent: *\nDisallow: /'), '/': good },
    path: '/',
    source: 'website',
  },
  'of a wiki that is none': { answers: {}, path: '/x/y/wiki', source: 'github-wiki' },
} // prettier-ignore
for (const [name, one] of Object.entries(secretive))
  test(`the query ${name} is not shown`, async () => {
    const { message, space, over, content } = await play(here, one, `?sig=${SECRET}`)
    assert.not.match(message, SECRET, 'in the response')
    assert.not.match(JSON.stringify(over), SECRET, 'in the document of the import')
    assert.not.match(content.texts().join('\n'), SECRET, 'in the content')
    const repository = join(here.dir, 'repos', `${space}.git`)
    assert.not.match(await git(repository, ['log', '--all', '--format=%B']), SECRET, 'in the history')
    const { body } = await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?limit=5`)
    assert.not.match(JSON.stringify(body), SECRET, 'in the audit log')
  })

test('no part of a query is on the disk after the imports', async () => {
  await here.service.close()
  assert.equal(await filesWith(join(here.dir, 'repos'), SECRET), [])
  await here.restart().catch(() => here.restart())
})

test.run()

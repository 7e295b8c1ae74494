import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startGitHttp } from '../support/git-http.js'
import { suiteWith } from '../support/suite.js'
import { startImporting } from './service.js'
import { PNG } from './website.js'

const [test, here] = await suiteWith('import of a wiki', async () => {
  const service = await startImporting()
  const root = await mkdtemp(join(tmpdir(), 'bindery-wiki-'))
  const host = await startGitHttp({ root })
  return {
    service,
    host,
    close: () => Promise.all([service.close(), host.close(), rm(root, { recursive: true, force: true })]),
  }
})
const { service, host } = here

test('a wiki is cloned with the order of its sidebar, and links by name point to files', async () => {
  await host.createRepository('acme/tool.wiki.git', {
    files: {
      'Home.md':
        'Welcome. See [[Getting Started]], [[the FAQ|F.A.Q]], [start](Getting-Started#step-two) and [out](https://example.org/).\n\n![pic](images/pic.png)\n',
      'Getting-Started.md': `# Starting\n\nBack [home](${host.url}/acme/tool/wiki), [again](Home).\n`,
      'F.A.Q.md': 'Questions.\n',
      'Unlisted.md': 'Not in the sidebar.\n',
      'Old.textile': 'h1. Old\n',
      '_Sidebar.md': '* [[Home]]\n  * [FAQ](F.A.Q)\n* [[Getting Started]]\n',
      '_Footer.md': 'footer\n',
      'images/pic.png': PNG,
    },
  })
  const space = await service.space()
  const made = await service.admin
    .call('post', `/v1/spaces/${space}/content/import`, { url: `${host.url}/acme/tool/wiki`, source: 'github-wiki' })
    .expect(201)
  const status = (await service.admin.call('get', made.headers.location as string).expect(200)).body
  assert.equal(
    status.failures.map(({ resource }: { resource: string }) => resource),
    ['Old.textile'],
  )
  assert.equal(await service.files(space), [
    '.gitbook/assets/pic.png',
    'README.md',
    'SUMMARY.md',
    'home/README.md',
    'home/f.a.q.md',
    'starting.md',
    'unlisted.md',
  ])
  assert.match(
    await service.file(space, 'SUMMARY.md'),
    '* [Home](home/README.md)\n  * [F.A.Q](home/f.a.q.md)\n* [Starting](starting.md)\n* [Unlisted](unlisted.md)',
  )
  assert.match(
    await service.file(space, 'home/README.md'),
    'See [Getting Started](../starting.md), [the FAQ](f.a.q.md), [start](../starting.md#step-two) and [out](https://example.org/)',
  )
  assert.match(await service.file(space, 'starting.md'), 'Back [home](home/README.md), [again](home/README.md).')
})

test('a URL that is not a wiki is a 400', async () => {
  const space = await service.space()
  const refused = async (url: string) =>
    (await service.admin.call('post', `/v1/spaces/${space}/content/import`, { url, source: 'github-wiki' }).expect(400))
      .body.error.message
  assert.match(await refused(`${host.url}/acme/none/wiki`), /cannot be read/)
  assert.match(await refused(`${host.url}/acme/tool`), /not the address of a wiki/)
})

test.run()

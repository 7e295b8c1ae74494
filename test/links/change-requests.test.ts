/** Tests the links that a change request breaks. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, pageId, read, spaceOf } from './support.js'

const [test, here] = await suiteWith('links of change requests', startService)
const { admin } = here

const files = {
  'SUMMARY.md': '* [Home](README.md)\n* [Guide](guide.md)\n* [Other](other.md)\n',
  'README.md': '# Home\n\n[guide](guide.md) [part](guide.md#part) [old wound](wound.md)\n',
  'guide.md': '# Guide\n\n## Part\n',
  'other.md': '# Other\n\n[guide](guide.md)\n',
}

const space = await spaceOf(here, files)
const idOf = (file: string) => pageId(admin, `${space}/content`, file)
const open = async (): Promise<string> =>
  (await admin.call('post', `/v1/spaces/${space}/change-requests`, {}).expect(201)).body.id
const change = (id: string, ...changes: object[]) =>
  admin.call('post', `/v1/spaces/${space}/change-requests/${id}/content`, { changes }).expect(200)
const links = (id: string): Promise<Json> => read(admin, `${space}/change-requests/${id}/links?status=broken`)
const broken = ({ items }: Json): string[] =>
  items
    .map(
      (link: Json) =>
        `${link.locationReferences[0].page.title}: ${link.target}${link.brokenByChangeRequest ? ' !' : ''}`,
    )
    .sort()

test('an unchanged change request breaks no links', async () => {
  const list = await links(await open())
  assert.equal([broken(list), list.stats], [['Home: wound.md'], { total: 4, broken: { total: 1, changeRequest: 0 } }])
})

test('deleting a page breaks the links to it, and each link reports that', async () => {
  const id = await open()
  await change(id, { operation: 'delete_page', page: await idOf('guide.md') })
  const list = await links(id)
  assert.equal(broken(list), ['Home: guide.md !', 'Home: guide.md#part !', 'Home: wound.md', 'Other: guide.md !'])
  assert.equal(list.stats.broken, { total: 4, changeRequest: 3 })
  const home = await read(admin, `${space}/change-requests/${id}/content/page/${await idOf('README.md')}/links`)
  assert.equal(home.stats, { total: 3, broken: { total: 3, changeRequest: 2 } })
})

test('renaming a heading breaks links to its anchor, and moving a page breaks none', async () => {
  const id = await open()
  await change(id, {
    operation: 'update_page',
    page: await idOf('guide.md'),
    document: { markdown: '# Guide\n\n## Section\n' },
  })
  assert.equal((await links(id)).stats.broken, { total: 2, changeRequest: 1 })
  const moved = await open()
  await change(moved, { operation: 'update_page', page: await idOf('guide.md'), slug: 'manual' })
  assert.equal((await links(moved)).stats.broken, { total: 1, changeRequest: 0 })
})

test('links that main breaks or repairs do not count for the change request', async () => {
  const id = await open()
  await change(id, {
    operation: 'update_page',
    page: await idOf('other.md'),
    document: { markdown: '# Other\n\n[new wound](new.md)\n' },
  })
  const mend = {
    operation: 'update_page',
    page: await idOf('README.md'),
    document: { markdown: '# Home\n\n[guide](guide.md)\n' },
  }
  await admin.call('post', `/v1/spaces/${space}/content`, { changes: [mend] }).expect(200)
  const list = await links(id)
  assert.equal(broken(list), ['Home: wound.md', 'Other: new.md !'])
  await admin.call('post', `/v1/spaces/${space}/change-requests/${id}/merge`).expect(200)
  assert.equal((await links(id)).stats.broken.changeRequest, 1)
  assert.equal((await read(admin, `${space}/links`)).stats.broken, { total: 1, changeRequest: 0 })
})

test.run()

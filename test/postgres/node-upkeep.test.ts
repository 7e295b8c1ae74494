/** Tests the copy of a node that only follows while another node writes. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newSpace } from '../git-door/fixture.js'
import { tidyDisk } from '../../src/start/node-upkeep.js'
import { git } from '../support/hermetic-git.js'
import { startNodes } from '../nodes/nodes.js'
import { startService, type TestService } from '../support/service.js'
import { smallDisk } from '../support/small-disk.js'
import { suiteWith } from '../support/suite.js'

const [test, nodes] = await suiteWith('copies of nodes that only follow', () => startNodes(2))
const [writes, follows] = nodes.all as [TestService, TestService]

const on = (node: TestService, method: 'get' | 'post', path: string, body?: object) =>
  node.admin.call(method, path, body).set('Authorization', `Bearer ${writes.admin.token}`)

async function edit(space: string, n: number): Promise<void> {
  const changes = Array.from({ length: 3 }, (_, i) => ({
    operation: 'insert_page',
    title: `Page ${n} ${i}`,
    slug: `page-${n}-${i}`,
    document: { markdown: `# P\n\nText ${n} ${i}.\n` },
  }))
  await on(writes, 'post', `/v1/spaces/${space}/content`, { changes }).expect(200)
}

const read = async (space: string, n: number): Promise<string> =>
  (await on(follows, 'get', `/v1/spaces/${space}/content/path/page-${n}-2?format=markdown`).expect(200)).body.markdown

const pathOf = (space: string): string => join(follows.dir, 'repos', `${space}.git`)
const packsOf = (space: string): string[] =>
  readdirSync(join(pathOf(space), 'objects/pack')).filter((name) => name.endsWith('.pack'))

/** Fewer than in production, where the limit takes many pushes. */
const MANY = 8

test('many packs are joined while the other node writes, and everything stays readable', async () => {
  const space = await newSpace(writes)
  for (let n = 0; n < 14; n++) {
    await edit(space, n)
    assert.match(await read(space, n), new RegExp(`Text ${n} 2`))
  }
  assert.ok(packsOf(space).length > MANY)
  const going = (async () => {
    for (let n = 14; n < 20; n++) await edit(space, n)
  })()
  await tidyDisk(follows.service.app, () => false, MANY)
  await going
  for (let n = 0; n < 20; n++) assert.match(await read(space, n), new RegExp(`Text ${n} 2`))
  assert.ok(packsOf(space).length <= MANY, String(packsOf(space).length))
  assert.is((await git(pathOf(space), ['fsck', '--strict'])).includes('missing'), false)
})

test('a copy with few packs is unchanged', async () => {
  const space = await newSpace(writes)
  for (let n = 0; n < 5; n++) {
    await edit(space, n)
    await read(space, n)
  }
  const before = packsOf(space)
  await tidyDisk(follows.service.app)
  assert.equal(packsOf(space), before)
})

test('removing a repository during maintenance does not block the node', async () => {
  const space = await newSpace(writes)
  await edit(space, 0)
  assert.match(await read(space, 0), /Text 0 2/)
  await writes.service.app.git.remove(space)
  await tidyDisk(follows.service.app, () => false, 0)
  while (existsSync(pathOf(space))) await tidyDisk(follows.service.app, () => false, 0)
})

const disk = smallDisk(48)
test('a node that starts on a full disk deletes copies, then reads and writes', async () => {
  // A process that may not mount file systems cannot have a full disk.
  if (disk === null) return
  const spaces: string[] = []
  for (let n = 0; n < 8; n++) {
    const space = await newSpace(writes)
    const document = { markdown: `# Many\n\n${randomBytes(700_000).toString('base64')}\n` }
    const changes = [{ operation: 'insert_page', title: 'Many', slug: 'many', document }]
    await on(writes, 'post', `/v1/spaces/${space}/content`, { changes }).expect(200)
    await edit(space, n)
    spaces.push(space)
  }
  const start = () => startService({ dir: disk.dir, env: { BINDERY_DATABASE_URL: nodes.url } })
  const copiesOf = (): string[] => readdirSync(join(disk.dir, 'repos')).filter((name) => name.endsWith('.git'))
  const pages = (node: TestService, space: string) => on(node, 'get', `/v1/spaces/${space}/content/pages`).expect(200)
  let node = await start()
  try {
    for (const space of spaces) await pages(node, space)
    await node.service.close()
    const before = copiesOf().length
    disk.fill()
    node = await start()
    assert.ok(copiesOf().length < before, `${before} copies, then ${copiesOf().length}`)
    assert.is((await fetch(`${node.url}/readyz`)).status, 200)
    for (const space of spaces.slice(0, 2)) {
      const changes = [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }]
      await on(node, 'post', `/v1/spaces/${space}/content`, { changes }).expect(200)
      assert.match(JSON.stringify((await pages(node, space)).body), /"New"/)
    }
  } finally {
    await node.service.close()
    disk.unmount()
  }
})

test.run()

/** Tests damaged template folders and concurrent uses of templates. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { contentOf } from '../imports/story-support.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const folder = await mkdtemp(join(tmpdir(), 'bindery-templates-'))
const secret = join(folder, 'secret.md')

const yaml = 'title: A title\ndescription: What it is for.\n'
const good = {
  'template.yaml': yaml,
  'content/SUMMARY.md': '# Table of contents\n\n* [First](README.md)\n',
  'content/README.md': '# First\n\ngoodword\n',
}
type Files = Record<string, string | { to: string }>

/** Folders of which none may be offered. */
const broken: Record<string, Files> = {
  'no-yaml': { 'content/SUMMARY.md': good['content/SUMMARY.md'], 'content/README.md': good['content/README.md'] },
  'bad-yaml': { ...good, 'template.yaml': 'title: [\n' },
  'yaml-of-another-kind': { ...good, 'template.yaml': '- 1\n- 2\n' },
  'yaml-bomb': {
    ...good,
    'template.yaml': `a: &a [x]\n${'bcdefghij'.replace(
      /./g,
      (c) =>
        `${c}: &${c} [${Array(9)
          .fill(`*${String.fromCharCode(c.charCodeAt(0) - 1)}`)
          .join(',')}]\n`,
    )}title: *j\ndescription: x\n`,
  },
  'no-title': { ...good, 'template.yaml': 'description: x\n' },
  'title-of-many-lines': { ...good, 'template.yaml': `title: ${'x'.repeat(5_000)}\ndescription: x\n` },
  'no-content': { 'template.yaml': yaml },
  'no-summary': { 'template.yaml': yaml, 'content/README.md': '# First\n' },
  'empty-summary': { ...good, 'content/SUMMARY.md': '' },
  'missing-page': { ...good, 'content/SUMMARY.md': '* [First](README.md)\n* [Gone](gone.md)\n' },
  'way-out': { ...good, 'content/SUMMARY.md': '* [First](README.md)\n* [Out](../../secret.md)\n' },
  'link-out': { ...good, 'content/README.md': '# First\n\n[out](../../secret.md)\n' },
  'linked-page': { ...good, 'content/README.md': { to: secret } },
  'linked-summary': { ...good, 'content/SUMMARY.md': { to: secret } },
  'linked-folder': { 'template.yaml': yaml, content: { to: folder } },
  'linked-yaml': { ...good, 'template.yaml': { to: secret } },
  'ref-out': {
    ...good,
    'template.yaml': `${yaml}contentRefs:\n  logo:\n    file: ../../secret.md\n    description: x\n`,
  },
  'ref-to-nothing': {
    ...good,
    'template.yaml': `${yaml}contentRefs:\n  logo:\n    file: .gitbook/assets/gone.svg\n    description: x\n`,
  },
  'large-file': { ...good, 'content/README.md': `# First\n\n${'x'.repeat(1_100_000)}` },
  'many-files': {
    ...good,
    ...Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`content/.gitbook/assets/${i}.txt`, 'x'])),
  },
  UPPER: good,
  'name with blanks': good,
  'dots..in': good,
  '-': { 'template.yaml': '' },
  'git-inside': { ...good, 'content/.git/config': '[core]' },
  'a-file': {},
} // prettier-ignore

await writeFile(secret, '# Secret\n\nsecretword\n')
for (const [name, files] of Object.entries({
  ...broken,
  'own-one': good,
  handbook: {
    ...good,
    'content/README.md': '# Ours\n\nbookword\n',
    'template.yaml': 'title: Our handbook\ndescription: x\n',
  },
}))
  for (const [path, content] of Object.entries<Files[string]>(files)) {
    const file = join(folder, 'own', name, path)
    await mkdir(dirname(file), { recursive: true })
    if (typeof content === 'string') await writeFile(file, content)
    else await symlink(content.to, file)
  }
await writeFile(join(folder, 'own', 'a-file'), 'no folder')
await symlink('/', join(folder, 'own', 'linked-root'))

const [test, here] = await suiteWith(
  'stories of templates',
  async () => startService({ env: { BINDERY_TEMPLATES_DIR: join(folder, 'own') } }),
  async (service) => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  },
)
const newSpace = async (more: object = {}): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'New', ...more }).expect(201)).body.id
const use = (space: string, body: object) => here.admin.call('post', `/v1/spaces/${space}/content/template`, body)

test('damaged template folders are not offered, and valid ones next to them are', async () => {
  const { body } = await here.admin.call('get', `/v1/orgs/${here.organization}/templates?limit=1000`).expect(200)
  const ids: string[] = body.items.map(({ id }: { id: string }) => id)
  assert.equal(
    ids.filter((id) => id in broken || id === 'linked-root'),
    [],
  )
  for (const id of ['own-one', 'product-docs', 'handbook']) assert.ok(ids.includes(id), id)
  assert.is(body.items.find(({ id }: { id: string }) => id === 'handbook').title, 'Our handbook')
})

test('names that escape the folder find no template', async () => {
  const space = await newSpace()
  const before = await contentOf(here, space)
  for (const id of [
    '..',
    '.',
    '../own-one',
    'own-one/',
    '/etc',
    'own-one/../own-one',
    'own-one\0',
    'OWN-ONE',
    'linked-root',
    '__proto__',
    'constructor',
    'toString',
    'way-out',
    ' ',
  ])
    assert.ok([400, 404].includes((await use(space, { id })).status), id)
  for (const id of ['..', '__proto__', 'way-out'])
    assert.ok(
      [400, 404].includes(
        (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'x', template: id })).status,
      ),
      id,
    )
  for (const contentRefs of [
    { nothing: { kind: 'file', file: 'x' } },
    { __proto__x: { kind: 'file', file: '../x' } },
    { constructor: { kind: 'file', file: 'x' } },
  ])
    assert.ok(
      [400, 404].includes((await use(space, { id: 'own-one', params: { contentRefs } })).status),
      JSON.stringify(contentRefs),
    )
  assert.is((await contentOf(here, space)).commits, before.commits)
})

test('concurrent templates and edits are all applied once and overwrite nothing', async () => {
  const space = await newSpace()
  const ids = ['own-one', 'product-docs', 'handbook', 'changelog']
  const edits = Array.from({ length: 4 }, (_, i) => ({
    operation: 'insert_page',
    title: 'First',
    document: { markdown: `editword${i}z` },
  }))
  const done = await Promise.all([
    ...ids.map((id) => use(space, { id })),
    ...edits.map((change) => here.admin.call('post', `/v1/spaces/${space}/content`, { changes: [change] })),
  ])
  // A template is created for the content that was read. Concurrent writes are merged, or rejected as a conflict and
  // repeated.
  for (const [i, { status }] of done.entries()) {
    assert.ok(status === (i < ids.length ? 201 : 200) || (i < ids.length && status === 409), `${i}: ${status}`)
    if (status === 409) await use(space, { id: ids[i] }).expect(201)
  }
  const content = await contentOf(here, space)
  for (let i = 0; i < 4; i++) content.fileOf(`editword${i}z`)
  for (const word of ['goodword', 'bookword']) content.fileOf(word)
  const { body } = await here.admin.call('get', `/v1/spaces/${space}/links?status=broken&limit=100`).expect(200)
  assert.equal(body.items, [])
})

test('callers without edit permission and locked spaces get no template', async () => {
  const space = await newSpace()
  const reader = await here.caller('read')
  assert.ok(
    [403, 404].includes((await reader.call('post', `/v1/spaces/${space}/content/template`, { id: 'own-one' })).status),
  )
  await (await here.caller()).call('post', `/v1/spaces/${space}/content/template`, { id: 'own-one' }).expect(404)
  await (await here.caller()).call('get', `/v1/orgs/${here.organization}/templates`).expect(404)
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  await use(space, { id: 'own-one' }).expect(423)
  assert.is((await contentOf(here, space)).has('goodword'), false)
})

test.run()

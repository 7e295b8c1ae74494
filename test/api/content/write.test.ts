import * as assert from 'uvu/assert'
import { suiteWith } from '../../support/suite.js'
import { startService } from '../../support/service.js'

let space: string
const [test, here] = await suiteWith('api: writing content', () =>
  startService({ env: { BINDERY_FILE_LIMIT_BYTES: '1024' } }),
)
test.before(async () => {
  space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201)).body.id
})

const write = (changes: unknown) => here.admin.call('post', `/v1/spaces/${space}/content`, { changes })

test('an unknown operation returns a 400 that lists the known operations', async () => {
  for (const change of [{ operation: 'bogus' }, { operation: 7 }, { operation: 'constructor' }]) {
    const { body } = await write([change]).expect(400)
    assert.is(body.error.details[0].path, '/changes/0/operation')
    assert.match(body.error.details[0].message, /insert_page, .*delete_reusable_content/)
  }
  assert.is((await write([{}]).expect(400)).body.error.details[0].path, '/changes/0/operation')
  const { body } = await write([{ operation: 'insert_page', title: 'A', document: { markdown: '' }, extra: 1 }]).expect(
    400,
  )
  assert.equal(body.error.details, [{ path: '/changes/0/extra', message: 'is not a known member' }])
})

test('a file beyond the size limit is rejected', async () => {
  const file = (size: number) => ({
    operation: 'insert_files',
    files: [{ name: 'a.bin', base64: Buffer.alloc(size).toString('base64') }],
  })
  await write([file(1024)]).expect(200)
  const { body } = await write([{ operation: 'insert_group', title: 'Kept out' }, file(1025)]).expect(413)
  assert.is(body.error.details[0].path, '/changes/1/files/0/base64')
})

test('a title with several lines adds no trailers to the commit', async () => {
  const { body } = await write([
    { operation: 'insert_page', title: 'Plan\n\nRollback-To: x', document: { markdown: '' } },
  ]).expect(200)
  const revision = await here.admin.call('get', `/v1/spaces/${space}/revisions/${body.revision}`).expect(200)
  assert.is(revision.body.git.message, 'Add Plan Rollback-To: x\n')
  assert.is(revision.body.type, 'edits')
})

test.run()

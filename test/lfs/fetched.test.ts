import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { startConnected } from '../connections/connected.js'
import { git } from '../support/hermetic-git.js'
import { startLfs } from '../support/lfs-server.js'
import { suiteWith } from '../support/suite.js'

const AUTH = { username: 'git', password: 'a-token-for-lfs' }

const [test, here] = await suiteWith('lfs: fetched', async () => {
  const lfs = await startLfs()
  const connected = await startConnected()
  connected.remotes.behaviour.lfs = lfs.handler
  connected.remotes.behaviour.auth = AUTH
  const close = async (): Promise<void> => {
    await connected.close()
    await lfs.close()
  }
  return { ...connected, lfs, close }
})

/** A PNG header of 3 × 2 pixels, and noise. */
const picture = (): Buffer => Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d494844520000000300000002', 'hex'), randomBytes(2000)])

const PAGE = '# Home\n\n![](.gitbook/assets/a.png)\n'
const credential = { kind: 'basic', ...AUTH }
const filesOf = async (space: string, path = 'content') =>
  (await here.service.admin.call('get', `/v1/spaces/${space}/${path}/files?metadata=true`).expect(200)).body.items
const download = (url: string) =>
  request(url)
    .get('')
    .buffer(true)
    .parse((response, done) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done(null, Buffer.concat(chunks)))
    })

test('a pointer stays in Git, and its file is served', async () => {
  const bytes = picture()
  const { oid, size, pointer } = here.lfs.put(bytes)
  const theirs = await here.repository({ 'README.md': PAGE, '.gitbook/assets/a.png': pointer, '.gitattributes': '*.png filter=lfs diff=lfs merge=lfs -text\n' })
  const space = await here.space()
  await here.connect(space, { url: theirs.url, credential })
  const [file] = await filesOf(space)
  assert.equal([file.size, file.dimensions, file.lfs], [size, { width: 3, height: 2 }, { oid, size, state: 'present' }])
  const whole = await download(file.downloadURL).expect(200)
  assert.ok(whole.body.equals(bytes))
  assert.is(whole.headers['content-type'], 'image/png')
  const part = await download(file.downloadURL).set('Range', 'bytes=8-15').expect(206)
  assert.ok(part.body.equals(bytes.subarray(8, 16)))
  assert.is((await here.files(space))['.gitbook/assets/a.png'], pointer.trim())
  const [batch] = here.lfs.batches
  assert.is(batch?.accept, 'application/vnd.git-lfs+json')
  assert.equal(batch?.body, {
    operation: 'download',
    transfers: ['basic'],
    ref: { name: 'refs/heads/main' },
    objects: [{ oid, size }],
    hash_algo: 'sha256',
  } as never)
  assert.ok(batch?.authorization?.startsWith('Basic '))
  assert.equal(
    here.lfs.downloads.map(({ authorization }) => authorization),
    [undefined],
    'the credential of the remote is not sent to another origin',
  )
  assert.equal((await here.service.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body.diagnostics, [])
})

test.run()

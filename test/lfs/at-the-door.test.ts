// Clones a space through the Git endpoint with real `git lfs`, and pushes to it.
import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { Clone } from '../git-door/fixture.js'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { credential, startConnectedLfs } from './connected.js'

const [test, here] = await suiteWith('lfs: clone and push', () => startConnectedLfs())
const { service } = here
const TYPE = 'application/vnd.git-lfs+json'
/** The configuration that `git lfs install` writes. */
const FILTER = [
  'filter.lfs.process=git-lfs filter-process',
  'filter.lfs.smudge=git-lfs smudge -- %f',
  'filter.lfs.clean=git-lfs clean -- %f',
  'filter.lfs.required=true',
]
const ATTRIBUTES = '*.png filter=lfs diff=lfs merge=lfs -text\n'

/** A connected space with one picture that is stored in Git LFS. */
async function spaceWithPicture() {
  const bytes = randomBytes(3000)
  const { oid, size, pointer } = here.lfs.put(bytes)
  const theirs = await here.repository({ 'README.md': '# Home\n', 'a.png': pointer, '.gitattributes': ATTRIBUTES })
  const space = await here.space()
  await here.connect(space, { url: theirs.url, credential })
  return { space, bytes, oid, size }
}

/** Asks the batch API of a space. */
const ask = (space: string, token: string, body: object | string, type = TYPE) =>
  request(service.url)
    .post(`/git/${space}.git/info/lfs/objects/batch`)
    .auth('git', token)
    .set('Content-Type', type)
    .send(typeof body === 'string' ? body : JSON.stringify(body))
const wanted = (oid: string, size: number, operation = 'download') => ({
  operation,
  transfers: ['basic'],
  objects: [{ oid, size }],
  hash_algo: 'sha256',
})

test('a clone with git lfs contains the pictures, and an edit can be pushed', async () => {
  const { space, bytes } = await spaceWithPicture()
  const writer = await service.caller('edit')
  const clone = await Clone.of(service, space, writer, 'with-lfs', FILTER)
  assert.ok((await readFile(join(clone.dir, 'a.png'))).equals(bytes))
  await clone.git('lfs', 'install', '--local')
  await clone.commit({ 'README.md': '# Home\n\nMore.\n' })
  const pushed = await clone.see('push', 'origin', 'HEAD:main')
  assert.is(pushed.code, 0, pushed.text)
  assert.is((await here.files(space))['README.md'], '# Home\n\nMore.')
})

test('a push with a new picture is rejected with instructions', async () => {
  const { space } = await spaceWithPicture()
  const clone = await Clone.of(service, space, await service.caller('edit'), 'new-picture', FILTER)
  await clone.git('lfs', 'install', '--local')
  await writeFile(join(clone.dir, 'b.png'), randomBytes(500))
  await clone.git('add', 'b.png')
  await clone.git('commit', '--quiet', '-m', 'A picture')
  const pushed = await clone.see('push', 'origin', 'HEAD:main')
  assert.is.not(pushed.code, 0)
  assert.match(pushed.text, /git lfs push <its URL> <branch>/)
  const past = await clone.see('push', '--no-verify', 'origin', 'HEAD:main')
  assert.is(past.code, 0, past.text)
})

test('LFS objects are served only to readers of their space', async () => {
  const [one, other] = [await spaceWithPicture(), await spaceWithPicture()]
  const { token } = await service.caller('read')
  const { body } = await ask(one.space, token, wanted(one.oid, one.size)).expect(200)
  assert.is(body.transfer, 'basic')
  const { href } = body.objects[0].actions.download
  const file = await request(href).get('').auth('git', token).buffer(true).expect(200)
  assert.equal(
    [file.body.equals(one.bytes), file.headers['content-type'], file.headers['content-disposition']],
    [true, 'application/octet-stream', 'attachment'],
  )
  assert.is(file.headers['x-content-type-options'], 'nosniff')
  const strange = await ask(one.space, token, wanted(other.oid, other.size)).expect(200)
  assert.equal([strange.body.objects[0].error.code, strange.body.objects[0].actions], [404, undefined])
  assert.match(
    (await ask(one.space, token, wanted(one.oid, 7)).expect(200)).body.objects[0].error.message,
    /Correct the pointer/,
  )
  await request(href.replace(one.oid, other.oid)).get('').auth('git', token).expect(404)
  const stranger = await service.caller()
  await ask(one.space, stranger.token, wanted(one.oid, one.size)).expect(404)
  await request(href).get('').auth('git', stranger.token).expect(404)
  const none = await request(href).get('').expect(401)
  assert.is(none.headers['lfs-authenticate'], 'Basic realm="Bindery"')
  assert.equal(Object.keys(none.body), ['message'])
  const plain = await here.space()
  assert.match(
    (await ask(plain, service.admin.token, wanted(one.oid, one.size)).expect(200)).body.objects[0].error.message,
    /was not imported/,
  )
})

test('an upload of an existing object needs no action, and other requests are rejected', async () => {
  const { space, oid, size } = await spaceWithPicture()
  const { token } = service.admin
  const here2 = (await ask(space, token, wanted(oid, size, 'upload')).expect(200)).body.objects[0]
  assert.equal(here2, { oid, size })
  const refused = async (status: number, said: RegExp, body: object | string, type = TYPE) => {
    const reply = await ask(space, token, body, type).expect(status)
    assert.match(reply.body.message, said)
    assert.match(String(reply.headers['content-type']), /^application\/vnd\.git-lfs\+json/)
  }
  await refused(400, /not JSON/, '{')
  await refused(400, /\/objects is required/, { operation: 'download' })
  await refused(400, /\/objects\/0\/oid/, wanted('../../admin-token', 1))
  await refused(400, /basic/, { ...wanted(oid, size), transfers: ['ssh'] })
  await refused(400, /at most 1000 items/, {
    ...wanted(oid, size),
    objects: Array.from({ length: 1001 }, () => ({ oid, size })),
  })
  await refused(413, /exceeds the limit|at most/, { ...wanted(oid, size), ref: { name: 'x'.repeat(300_000) } })
  await refused(415, /must be application\/vnd/, wanted(oid, size), 'text/plain')
  const locks = await request(service.url)
    .post(`/git/${space}.git/info/lfs/locks/verify`)
    .auth('git', token)
    .set('Content-Type', TYPE)
    .send('{}')
    .expect(404)
  assert.match(locks.body.message, /no locks/)
  await request(service.url).get(`/git/${space}.git/info/lfs/objects/batch`).auth('git', token).expect(405)
})

test('a client without git lfs gets the pointers', async () => {
  const { space } = await spaceWithPicture()
  const dir = join(service.dir, `pointers-${space}`)
  await git(service.dir, [
    'clone',
    '--quiet',
    `${service.url.replace('http://', `http://git:${service.admin.token}@`)}/git/${space}.git`,
    dir,
  ])
  assert.match(await readFile(join(dir, 'a.png'), 'utf8'), /^version https:\/\/git-lfs/)
})

test.run()

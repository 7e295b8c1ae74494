// Tests Git LFS for repositories over ssh: the ssh host returns the address of the LFS server and its credentials.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { POLL_MS, startConnected } from '../connections/connected.js'
import { createBareRepository } from '../support/bare-repository.js'
import { startLfs } from '../support/lfs-server.js'
import { startSshd } from '../support/sshd.js'
import { removeConnections } from '../support/remove-connections.js'
import { suiteWith } from '../support/suite.js'

const TOKEN = 'RemoteAuth the-token-of-the-ssh-host'

const [test, here] = await suiteWith('lfs: over ssh', async () => {
  const [sshd, lfs, connected] = await Promise.all([
    startSshd(),
    startLfs(),
    startConnected({ env: { BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' } }),
  ])
  const api = createServer((request, response) => {
    if (request.headers.authorization === TOKEN) return void lfs.handler(request, response)
    response.writeHead(401).end('{}')
  })
  await new Promise<void>((done) => api.listen(0, '127.0.0.1', done))
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}/lfs`
  const close = async (): Promise<void> => {
    await connected.close()
    await new Promise((done) => api.close(done).closeAllConnections())
    await Promise.all([sshd.close(), lfs.close()])
  }
  return { ...connected, sshd, lfs, server, close }
})
test.afterEach(() => removeConnections(here.service))

const bytes = (text: string): Buffer => Buffer.from(`${text} ${'x'.repeat(500)}`)
const access = (more: object = {}): string =>
  JSON.stringify({ href: here.server, header: { Authorization: TOKEN }, expires_in: 600, ...more })
let made = 0

/** Connects a space to a repository with a file in Git LFS. Returns the file as the API presents it. */
async function fileOf(
  pointer: string,
  { more = {}, path = `docs-${made++}.git` }: { more?: Record<string, string>; path?: string } = {},
) {
  const { sshd } = here
  const theirs = await createBareRepository(join(sshd.folder, path), {
    files: { 'README.md': '# Home\n\n![](a.png)\n', 'a.png': pointer, ...more },
  })
  const space = await here.space()
  const credential = { kind: 'sshKey', privateKey: await readFile(sshd.key, 'utf8'), knownHosts: sshd.hostLine }
  await here.connect(space, { url: sshd.url(encodeURI(theirs.path)), credential })
  const look = async () =>
    (await here.service.admin.call('get', `/v1/spaces/${space}/content/files?metadata=true`).expect(200)).body.items[0]
  return { look, path: theirs.path, space }
}

test('the ssh host is asked with the key of the connection, and the LFS file is served', async () => {
  const content = bytes('by ssh')
  const { oid, size, pointer } = here.lfs.put(content)
  await here.sshd.answerLfs(access())
  const { look, path } = await fileOf(pointer)
  const file = await look()
  assert.equal(file.lfs, { oid, size, state: 'present' })
  assert.ok(Buffer.from(await (await fetch(file.downloadURL)).arrayBuffer()).equals(content))
  assert.ok((await here.sshd.commands()).includes(`git-lfs-authenticate ${path} download`))
  assert.is(here.lfs.batches.at(-1)?.authorization, TOKEN)
})

test('a path with spaces and quotes reaches the ssh host as one word', async () => {
  const { pointer } = here.lfs.put(bytes('odd path'))
  await here.sshd.answerLfs(access())
  const { look, path } = await fileOf(pointer, { path: "it's-$(touch x)-odd.git" })
  assert.is((await look()).lfs.state, 'present')
  assert.ok((await here.sshd.commands()).includes(`git-lfs-authenticate '${path.replaceAll("'", "'\\''")}' download`))
})

test('LFS credentials from an ssh host go only to its server and appear in no message', async () => {
  const { pointer } = here.lfs.put(bytes('secret'))
  await here.sshd.answerLfs(access())
  here.lfs.batch = { status: 422, body: JSON.stringify({ message: `no: ${TOKEN}` }) }
  const file = await (await fileOf(pointer)).look()
  here.lfs.batch = {}
  assert.is(file.lfs.state, 'failed')
  assert.match(file.lfs.problem, /status 422.*\*\*\*/)
  assert.not.match(file.lfs.problem, /the-token/)
  for (const { authorization } of here.lfs.downloads) assert.is(authorization, undefined)
})

test('expired LFS access is requested from the ssh host again', async () => {
  const many = Array.from({ length: 130 }, (_, n) => here.lfs.put(bytes(`many ${n}`)).pointer)
  await here.sshd.answerLfs(access({ expires_in: 20 }))
  const asked = async (): Promise<number> =>
    (await here.sshd.commands()).filter((line) => line.startsWith('git-lfs-authenticate')).length
  const before = await asked()
  const { look } = await fileOf(many[0] as string, {
    more: Object.fromEntries(many.map((pointer, n) => [`p/${n}.png`, pointer])),
  })
  assert.is((await look()).lfs.state, 'present')
  assert.ok((await asked()) - before >= 3, 'at the beginning, and before each request')
})

test('an ssh host without Git LFS is reported, and the import continues', async () => {
  const content = bytes('later')
  const { pointer } = here.lfs.put(content)
  await here.sshd.answerLfs(null)
  const { look, space } = await fileOf(pointer)
  const [{ id }] = (await here.service.admin.call('get', `/v1/spaces/${space}/git/connections`).expect(200)).body.items
  const run = async (): Promise<void> => {
    await here.service.admin.call('post', `/v1/spaces/${space}/git/connections/${id}/run`).expect(202)
    await here.idle()
  }
  for (const [text, said] of [
    [null, /git-lfs-authenticate.*https address/],
    ['', /did not return the address/],
    ['[]', /did not return the address/],
    [access({ header: { Authorization: 'a\nb' } }), /did not return the address/],
    [access({ href: 'ftp://example.com/' }), /not an https URL/],
    [access({ href: 'http://user:pw@127.0.0.1/x' }), /credential or a query/],
    [access({ href: 'http://10.1.2.3/x' }), /private network/],
  ] as const) {
    await here.sshd.answerLfs(text)
    await run()
    const file = await look()
    if (file.lfs.state === 'present') throw new Error(`present with ${text}`)
    assert.match(file.lfs.problem, said)
  }
  await here.sshd.answerLfs(access())
  await run()
  assert.is((await look()).lfs.state, 'present')
})

test('an .lfsconfig address is ignored for ssh, and the file reports that', async () => {
  await here.sshd.answerLfs(access())
  const { pointer } = here.lfs.put(bytes('configured'))
  const file = await (
    await fileOf(pointer, { more: { '.lfsconfig': '[lfs]\n\turl = https://lfs.example.com/x\n' } })
  ).look()
  assert.match(file.lfs.problem, /\.lfsconfig contains an address for which an ssh remote has no credential/)
})

test('a space for a folder of an ssh repository has its LFS files', async () => {
  await here.sshd.answerLfs(access())
  const { pointer } = here.lfs.put(bytes('folder'))
  const theirs = await createBareRepository(join(here.sshd.folder, 'mono.git'), {
    files: { 'docs/README.md': '# Home\n\n![](a.png)\n', 'docs/a.png': pointer },
  })
  const space = await here.space()
  const credential = {
    kind: 'sshKey',
    privateKey: await readFile(here.sshd.key, 'utf8'),
    knownHosts: here.sshd.hostLine,
  }
  await here.connect(space, { url: here.sshd.url(theirs.path), credential, repoProjectDirectory: 'docs' })
  await here.forward(POLL_MS * 1.2)
  const [file] = (await here.service.admin.call('get', `/v1/spaces/${space}/content/files?metadata=true`).expect(200))
    .body.items
  assert.is(file.lfs.state, 'present', file.lfs.problem)
})

test.run()

import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { startSshd } from '../support/sshd.js'
import { suiteWith } from '../support/suite.js'

const [test, { sshd, here }] = await suiteWith('connections: deploy keys', async () => {
  const [sshd, here] = await Promise.all([startSshd(), startService()])
  return { sshd, here, close: () => Promise.all([sshd.close(), here.close()]) }
})

test('a deploy key opens an ssh repository of a server without its own key, and leaves no file', async () => {
  const theirs = await createBareRepository(join(sshd.folder, 'docs.git'), { files: { 'README.md': '# Home\n' } })
  const space = (
    await here.admin
      .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs', editMode: 'live' })
      .expect(201)
  ).body.id
  const privateKey = await readFile(sshd.key, 'utf8')
  const all = `/v1/spaces/${space}/git/connections`
  const body = {
    url: sshd.url(theirs.path),
    ref: 'refs/heads/main',
    credential: { kind: 'sshKey', privateKey, knownHosts: sshd.hostLine },
  }
  const { id } = (await here.admin.call('post', all, body).expect(201)).body
  await here.service.idle()
  const { lastRun, failure } = (await here.admin.call('get', `${all}/${id}`).expect(200)).body
  assert.is(lastRun?.result, 'adopted', failure?.message)
  const { checks, ok } = (await here.admin.call('post', `${all}/${id}/test`).expect(200)).body
  assert.ok(ok, JSON.stringify(checks))
  const changes = [{ operation: 'insert_page', title: 'More', document: { markdown: '# More\n' } }]
  await here.admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
  await here.admin.call('post', `${all}/${id}/run`).expect(202)
  await here.service.idle()
  assert.is(await git(theirs.path, ['show', 'main:more.md']), '# More')
  const body64 = privateKey.split('\n')[2] ?? ''
  const left = readdirSync('/dev/shm').filter(
    (name) => name.startsWith('bindery-') && readIfFile(join('/dev/shm', name)).includes(body64),
  )
  assert.equal(left, [])
})

test('an unknown key or host is rejected with an explanation of what to do', async () => {
  const theirs = await createBareRepository(join(sshd.folder, 'closed.git'), { files: { 'README.md': '# Home\n' } })
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201))
    .body.id
  const all = `/v1/spaces/${space}/git/connections`
  const test = async (key: string, ref: string, more: object): Promise<string> => {
    const credential = { kind: 'sshKey', privateKey: await readFile(key, 'utf8'), ...more }
    const { id } = (
      await here.admin.call('post', all, { url: sshd.url(theirs.path), ref, credential, paused: true }).expect(201)
    ).body
    const { ok, checks } = (await here.admin.call('post', `${all}/${id}/test`).expect(200)).body
    assert.is(ok, false)
    return checks[0].message
  }
  assert.match(await test(sshd.otherKey, 'refs/heads/a', { knownHosts: sshd.hostLine }), /deploy key/)
  assert.match(await test(sshd.key, 'refs/heads/b', {}), /does not know the ssh host/)
})

test('a stored deploy key stays with its server, in any notation of the address', async () => {
  const space = (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Docs' }).expect(201))
    .body.id
  const all = `/v1/spaces/${space}/git/connections`
  const credential = { kind: 'sshKey', privateKey: await readFile(sshd.key, 'utf8') }
  const body = { url: 'git@[2001:db8::1]:team/docs.git', ref: 'refs/heads/main', credential, paused: true }
  const { id } = (await here.admin.call('post', all, body).expect(201)).body
  const move = (url: string) => here.admin.call('patch', `${all}/${id}`, { url })
  for (const url of [
    'git@[2001:db8::2]:team/docs.git',
    'git@[2001:db8::1:1]:team/docs.git',
    'ssh://git@[2001:db8::1]:2222/team/docs.git',
    'git@example.org:a/b',
  ]) {
    const { body: refused } = await move(url).expect(400)
    assert.match(refused.error.message, /stored credential is not sent to another host/, url)
  }
  for (const url of [
    'git@[2001:DB8:0::1]:team/other.git',
    'ssh://git@[2001:db8::1]/team/docs.git',
    'ssh://git@[2001:db8::1]:22/team/other.git',
  ])
    await move(url).expect(200)
})

const readIfFile = (path: string): string => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

test.run()

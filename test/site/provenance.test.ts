/** The provenance of pages: signatures of commits, signed statements, and the command that compares them with a clone. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as assert from 'uvu/assert'
import { verify } from '../../src/commands/verify.js'
import type { Provenance } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, read, visitorToken } from './support.js'

const [test, context] = await suiteWith('site/provenance', async () => {
  const here = await startService()
  const keys = join(here.dir, 'keys')
  await mkdir(keys)
  for (const name of ['ada', 'eve'])
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(keys, name)])
  const site = await publish(
    here,
    {
      Signed: 'First.\n',
      Plain: 'Not signed.\n',
      Foreign: 'First.\n',
      Borrowed: 'First.\n',
      Secret: '{% if visitor.claims.isBeta %}\n1234\n{% endif %}\n',
    },
    { provenance: { enabled: true } },
  )
  const publicKey = async (name: string) => (await readFile(join(keys, `${name}.pub`), 'utf8')).trim()
  const signers = `/v1/orgs/${here.organization}/allowed-signers`
  const list = `# The team\nada@example.org,a@example.org ${await publicKey('ada')}\n`
  await here.admin.call('put', signers, { signers: list }).expect(200)
  return { here, keys, site, signers, list, close: () => here.close() }
})
const { here, keys, site, signers, list } = context
const clone = join(here.dir, 'clone')
const door = `${here.url.replace('http://', `http://git:${here.admin.token}@`)}/git/${site.space}.git`

/** Commits a text to the file of a page, as the author and with the key of a name. */
async function commit(
  page: string,
  text: string,
  { email, key, isPushed = true }: { email: string; key: string | null; isPushed?: boolean },
): Promise<string> {
  await git(here.dir, ['clone', '-q', door, clone]).catch(() => git(clone, ['pull', '-q']))
  await writeFile(join(clone, `${page}.md`), `# ${page}\n\n${text}\n`)
  const env = { GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: email }
  const sign = key === null ? [] : ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${join(keys, key)}`]
  await git(clone, [...sign, 'commit', '-qam', text, ...(key === null ? [] : ['-S'])], undefined, env)
  if (isPushed) await git(clone, ['push', '-q', 'origin', 'HEAD:main'])
  return (await git(clone, ['rev-parse', 'HEAD'])).trim()
}

/** Reads a page until the check of its signature has ended. */
async function pageText(path: string): Promise<string> {
  await read(`${site.address}/${path}`)
  await here.service.app.signatures.idle()
  return (await read(`${site.address}/${path}`)).text
}

async function provenance(path: string): Promise<Provenance> {
  const href = /href="([^"]*\/~\/provenance\/[^"]*)"/.exec(await pageText(path))?.[1]
  assert.ok(href, `the link of ${path}`)
  const { status, text, headers } = await read(new URL(href, site.address).href)
  assert.is(status, 200)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  return JSON.parse(text)
}

const saved = async (name: string, value: object): Promise<string> => {
  const file = join(here.dir, `${name}.json`)
  await writeFile(file, JSON.stringify(value))
  return file
}

test('a page shows the signature of its last commit, and a command verifies it against a clone', async () => {
  const id = await commit('signed', 'By Ada.', { email: 'A@example.org', key: 'ada' })
  assert.match(await pageText('signed'), /rel="nofollow">Signature verified<\/a>/)
  const found = await provenance('signed')
  const { statement } = found
  assert.is(statement.commit.id, id)
  assert.equal(statement.commit.author.name, 'Ada')
  assert.match(statement.commit.signature.key ?? '', /^SHA256:/)
  assert.equal([statement.commit.signature.state, statement.commit.signature.signer], ['valid', 'author'])
  assert.is(statement.file.blob, (await git(clone, ['rev-parse', 'HEAD:signed.md'])).trim())
  assert.not.match(JSON.stringify(found) + Buffer.from(found.jws.split('.')[1] ?? '', 'base64url'), /@/)
  const file = await saved('signed', found)
  const verified = await verify(file, { clone })
  assert.equal(verified.problems, undefined, verified.text)
  assert.match(verified.text, /^Verified: .*\/signed\n/)
})

test('an unsigned commit, an unknown key and the key of another person are not verified', async () => {
  assert.match(await pageText('plain'), />Not signed<\/a>/)
  await commit('foreign', 'By Eve.', { email: 'ada@example.org', key: 'eve' })
  assert.match(await pageText('foreign'), />Signed, not verified<\/a>/)
  assert.is((await provenance('foreign')).statement.commit.signature.state, 'unknown-key')
  await commit('borrowed', 'By Ada as Grace.', { email: 'grace@example.org', key: 'ada' })
  assert.match(await pageText('borrowed'), />Signed, not verified<\/a>/)
  assert.is((await provenance('borrowed')).statement.commit.signature.state, 'other-signer')
})

test('a changed list of signers counts for the next reader', async () => {
  assert.match(await pageText('signed'), /Signature verified/)
  await here.admin.call('put', signers, { signers: '' }).expect(200)
  assert.match(await pageText('signed'), /Signed, not verified/)
  await here.admin.call('put', signers, { signers: list }).expect(200)
  assert.match(await pageText('signed'), /Signature verified/)
})

test('a page is made without a check of its signature, and each commit is checked once', async () => {
  await commit('signed', 'Again by Ada.', { email: 'ada@example.org', key: 'ada' })
  const first = (await read(`${site.address}/signed`)).text
  assert.match(first, /Signed, not verified|Signature verified/)
  await here.service.app.signatures.idle()
  await pageText('signed')
  const { processesStarted } = here.service.app.git
  for (let i = 0; i < 3; i++) assert.match(await pageText('signed'), /Signature verified/)
  await provenance('signed')
  assert.is(here.service.app.git.processesStarted, processesStarted)
})

test('the command reports a changed statement, another key, and a clone with other content', async () => {
  const found = await provenance('signed')
  const { statement } = found
  const changed = { ...found, statement: { ...statement, file: { ...statement.file, path: 'x.md' } } }
  assert.match((await verify(await saved('changed', changed), { clone })).text, /differs from the signed one/)
  const [head, payload, signature] = found.jws.split('.') as [string, string, string]
  const forged = Buffer.from(payload, 'base64url').toString().replace('signed.md', 'plain.md')
  const jws = `${head}.${Buffer.from(forged).toString('base64url')}.${signature}`
  assert.match((await verify(await saved('forged', { ...found, jws }), { clone })).text, /signature is wrong/)
  const other = await saved('other-keys', { keys: [] })
  const file = await saved('right', found)
  assert.match((await verify(file, { clone, keys: other })).text, /not in the set/)
  const empty = join(here.dir, 'empty')
  await git(here.dir, ['init', '-q', empty])
  const lacking = await verify(file, { clone: empty })
  assert.ok(lacking.problems)
  assert.match(lacking.text, /does not have the commit/)
  const fault = await verify(file, { clone: keys }).then(String, ({ message }: Error) => message)
  assert.match(fault, /not a clone/)
})

test('sites without the switch, pages with conditional blocks and hidden pages have no statement', async () => {
  const { statement } = await provenance('plain')
  const address = (id: string) => `${site.address}/~/provenance/${id}.json`
  const { pages } = (await here.admin.call('get', `/v1/spaces/${site.space}/content/pages`).expect(200)).body
  const secret = pages.find(({ title }: { title: string }) => title === 'Secret').id
  const missing = await read(address('A'.repeat(20)))
  assert.is(missing.status, 404)
  assert.is((await read(address(secret))).status, 404)
  assert.not.match(await pageText('secret'), /~\/provenance/)
  await here.admin.call('patch', site.base, { provenance: { enabled: false } }).expect(200)
  assert.is((await read(address(statement.page.id))).status, 404)
  assert.not.match(await pageText('signed'), /~\/provenance/)
  await here.admin.call('patch', site.base, { provenance: { enabled: true }, visibility: 'visitor-auth' }).expect(200)
  const signedOut = await read(address(statement.page.id))
  assert.is(signedOut.status === 200, false)
  const cookie = (await read(`${site.address}?jwt_token=${await visitorToken(here, site)}`)).cookies
  const sent = [...cookie].map(([name, { value }]) => `${name}=${value}`).join('; ')
  assert.is((await read(address(statement.page.id), { cookie: sent })).status, 200)
  await here.admin.call('patch', site.base, { visibility: 'public' }).expect(200)
})

test('the public keys have one address on every host', async () => {
  const { origin } = new URL(site.address)
  const { status, text } = await read(`${origin}/.well-known/bindery-provenance.json`)
  assert.is(status, 200)
  const { keys: published } = JSON.parse(text)
  assert.equal(Object.keys(published[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x'])
  assert.is((await provenance('plain')).statement.keys, `${origin}/.well-known/bindery-provenance.json`)
})

/** Creates a GPG key, with a program that signs with it. Returns the program and the public key. */
async function gpgKey(
  name: string,
  user: string,
  at: string | null = null,
): Promise<{ program: string; user: string; block: string }> {
  const home = join(keys, name)
  await mkdir(home, { mode: 0o700 })
  const time = at === null ? [] : [`--faked-system-time=${at}`]
  const gpg = async (...args: string[]) =>
    (await promisify(execFile)('gpg', ['--homedir', home, '--batch', '--passphrase', '', ...time, ...args])).stdout
  await gpg('--quick-generate-key', user, 'ed25519', 'sign', at === null ? 'never' : '1y')
  const program = join(keys, `${name}.sh`)
  await writeFile(program, `#!/bin/sh\nexec gpg --homedir '${home}' --batch ${time.join(' ')} "$@"\n`, { mode: 0o755 })
  return { program, user, block: await gpg('--armor', '--export') }
}

test('GPG signatures are checked with the public keys of the list', async () => {
  const ada = await gpgKey('gpg-ada', 'Ada <ada@example.org>')
  const host = await gpgKey('gpg-host', 'A host <noreply@host.example>')
  const old = await gpgKey('gpg-old', 'Old <old@example.org>', '20200102T030405')
  const eve = await gpgKey('gpg-eve', 'Ada <ada@example.org>')
  const signed = async (text: string, email: string, { program, user }: { program: string; user: string }) => {
    await commit('signed', text, { email, key: null, isPushed: false })
    const env = { GIT_COMMITTER_EMAIL: 'noreply@host.example', GIT_COMMITTER_NAME: 'A host' }
    await git(
      clone,
      ['-c', `gpg.program=${program}`, '-c', `user.signingkey=${user}`, 'commit', '-q', '--amend', '-S', '--no-edit'],
      undefined,
      env,
    )
    await git(clone, ['push', '-q', 'origin', 'HEAD:main'])
    const { state, signer } = (await provenance('signed')).statement.commit.signature
    return signer === undefined ? state : `${state}: ${signer}`
  }
  await here.admin.call('put', signers, { signers: list }).expect(200)
  assert.is(await signed('Without a GPG key in the list.', 'ada@example.org', ada), 'not-checked')
  const all = `${list}ada@example.org\n${ada.block}\n# The host\nNoReply@host.example\n${host.block}old@example.org\n${old.block}`
  const { body } = await here.admin.call('put', signers, { signers: all }).expect(200)
  assert.is(body.count, 4)
  assert.is((await provenance('signed')).statement.commit.signature.state, 'valid')
  assert.match(await pageText('signed'), />Signature verified<\/a>/)
  assert.is(await signed('By Ada.', 'ada@example.org', ada), 'valid: author')
  const [signature = ''] = /^gpgsig (?:.*\n )*.*\n/m.exec(await git(clone, ['cat-file', 'commit', 'HEAD'])) ?? []
  assert.is(await signed('By Grace, as Ada.', 'grace@example.org', ada), 'other-signer')
  assert.is(await signed('By the host for Grace.', 'grace@example.org', host), 'valid: committer')
  assert.is(await signed('By a key that is expired now.', 'old@example.org', old), 'valid: author')
  assert.is(await signed('By Eve.', 'ada@example.org', eve), 'unknown-key')
  // A signature of another commit.
  await commit('signed', 'Not by Ada.', { email: 'ada@example.org', key: null, isPushed: false })
  const [head = '', ...message] = (await git(clone, ['cat-file', 'commit', 'HEAD'])).split('\n\n')
  const content = [`${head}\n${signature.trimEnd()}`, ...message].join('\n\n')
  const forged = (await git(clone, ['hash-object', '-t', 'commit', '-w', '--stdin'], content)).trim()
  await git(clone, ['push', '-q', 'origin', `${forged}:main`])
  assert.is((await provenance('signed')).statement.commit.signature.state, 'invalid')
  await git(clone, ['reset', '-q', '--hard', forged])
  await here.admin.call('put', signers, { signers: `ada@example.org\n${ada.block}` }).expect(200)
  for (const [text, remedy] of [
    [ada.block, /^line 1 needs a line above it/],
    [`ada@example.org\n${ada.block.slice(0, 200)}`, /^line 2 must start a whole GPG public key/],
    [`ada@example.org extra\n${ada.block}`, /^line 1 must contain only the addresses/],
    [`ada@example.org\n${ada.block.replaceAll('PUBLIC', 'PRIVATE')}`, /^line 2 .* Secret keys/],
  ] as const) {
    const response = await here.admin.call('put', signers, { signers: text }).expect(400)
    assert.is(response.body.error.details.length, 1)
    assert.match(response.body.error.details[0].message, remedy)
  }
  await here.admin.call('put', signers, { signers: list }).expect(200)
})

test('an invalid list of signers is rejected with the number of the line', async () => {
  const put = (text: string) => here.admin.call('put', signers, { signers: text })
  const key = list.split('\n')[1]?.split(' ').slice(1).join(' ')
  for (const line of ['ada@example.org', `*@example.org ${key}`, `ada@example.org cert-authority ${key}`, 'a b c'])
    assert.match((await put(`# ok\n${line}`).expect(400)).body.error.message, /line 2/)
  await put(`ada@example.org namespaces="git",valid-before="20200101" ${key}`).expect(200)
  assert.match(await pageText('signed'), /Signed, not verified/)
  await put(list).expect(200)
  const reader = await here.caller('read')
  await reader.call('get', signers).expect(403)
})

test.run()

/** Tests that hostile texts run on no screen on which people administer: every field that another person can set. */
// @costly: Chromium opens 30 screens with hostile texts in every field
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { flat, openDesk } from '../commits/fixture.js'
import { startReceiver } from '../events/receiver.js'
import { hostileSpecification, readVectors } from '../site/hostile-pages.js'
import { createBareRepository } from '../support/bare-repository.js'
import { translationService } from '../translations/fixture.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openHostileApp } from './hostile-app.js'

/** A response body of the API; the service checks it against its schema. */
type Json = any

const vectors = readVectors({ script: 'evil.js', style: 'evil.css' })
/** The vectors that fit in the shortest field. The test run takes every 16th. */
const lines = vectors
  .filter((vector) => vector.length <= 50 && vector.trim() === vector && !/[\0-\x1f]/.test(vector))
  .filter((_, at) => at % size(16, 1) === 0)
const first = lines[0] ?? ''
const pathNames = lines.filter((one) => !/[/\\:]/.test(one) && !one.startsWith('.'))

/** A Git server that rejects every request with a hostile text. */
async function startRejecting(text: string) {
  const line = `ERR ${text}`
  const packet = (line.length + 4).toString(16).padStart(4, '0') + line
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' })
    response.end(`001e# service=git-upload-pack\n0000${packet}0000`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`, close: () => server.close() }
}

const [test, context] = await suiteWith('desk/xss-admin', async () => {
  const here = await translationService('deepl', { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' })
  const [receiver, rejecting] = [await startReceiver(), await startRejecting(first)]
  receiver.respond = (response) => response.writeHead(500, first.replace(/[^ -~]/g, '')).end(first)
  const app = await openHostileApp(here)
  const close = async (): Promise<void> => {
    await app.close()
    receiver.close()
    rejecting.close()
    await here.close()
  }
  return { here, receiver, rejecting, app, close }
})
const { here, receiver, rejecting, app } = context
const { page } = app
const org = `/v1/orgs/${here.organization}`
const settings = `/o/${here.organization}/settings`
const call = here.admin.call

/** Sends a text in a field. A field may reject it. Returns the bodies of the accepted ones; there must be some. */
async function send(method: 'post' | 'put' | 'patch', path: string, bodyOf: (text: string) => object, texts = lines) {
  const made: Json[] = []
  let last = ''
  for (const text of texts) {
    const { status, body, text: told } = await call(method, path, bodyOf(text))
    assert.ok(status < 500, `${method} ${path}: ${status}`)
    if (status < 300) made.push(body)
    else last = told
  }
  assert.ok(made.length > texts.length / 3, `${method} ${path} rejects these texts: ${last}`)
  return made
}

/** The path of a redirect, which can contain no encoded slash. */
const sourceOf = (text: string): string => `/${encodeURIComponent(text.replace(/[/\\]/g, ''))}`

/** Opens a screen, and checks that it shows a text literally. */
async function shows(path: string, text = first): Promise<void> {
  await app.open(path, '#main')
  await page
    .waitForFunction((wanted: string) => document.body.textContent?.includes(wanted), {}, text)
    .catch(async (error: unknown) => {
      throw new Error(`${path} shows ${await page.evaluate(() => document.body.innerText)}`, { cause: error })
    })
  await app.check(path)
}

test('no name of a person, team, token or device runs', async () => {
  for (const text of lines) {
    const person = await here.caller('edit')
    await person.call('patch', '/v1/user', { displayName: text }).expect(200)
    await person.call('post', '/v1/user/tokens', { label: text }).set('User-Agent', text.replace(/[^ -~]/g, ''))
  }
  const [team] = await send('put', `${org}/teams`, (title) => ({ title }))
  const { items } = (await call('get', `${org}/members`).expect(200)).body
  await call('put', `${org}/teams/${team.id}/members`, { add: items.map(({ id }: Json) => id) }).expect(204)
  await send('post', '/v1/user/tokens', (label) => ({ label }))
  await shows(`${settings}/members`)
  await shows(`${settings}/teams`)
  await shows(`${settings}/tokens`)
  await shows('/settings/tokens')
  await shows('/settings/devices', 'Test')
  await shows(`${settings}/audit`)
  await shows(`${settings}/sso`, 'Single sign-on')
})

test('no invitation runs', async () => {
  const addresses = lines.map((text) => `"${text.replace(/["\\]/g, '')}"@example.org`)
  const plain = lines.map((text) => `${text.replace(/[^\w'&<>=()/-]/g, '')}@example.org`)
  for (const one of [...addresses, ...plain]) {
    const { status } = await call('post', `${org}/invites`, { emails: [one], role: 'edit' })
    assert.ok(status < 500)
  }
  await call('post', `${org}/invites`, { emails: ['grace@example.org'], role: 'edit' }).expect(200)
  await shows(`${settings}/invitations`, 'grace@example.org')
})

test('no title of a collection, space or organization runs', async () => {
  const made = await send('post', `${org}/collections`, (title) => ({ title }))
  for (const [at, { id }] of made.entries())
    await call('patch', `/v1/collections/${id}`, { description: lines[at] }).expect(200)
  const spaces = await send('post', `${org}/spaces`, (title) => ({ title }))
  await call('patch', org, { title: first }).expect(200)
  await shows(`${settings}/collections`)
  await shows(`/collections/${made[0].id}`)
  await shows(`${settings}/general`)
  await shows(`${settings}/merge-rules`)
  await shows(`/s/${spaces[0].id}/settings`)
  await shows(`/o/${here.organization}`)
  for (const { id } of spaces.slice(1)) await call('delete', `/v1/spaces/${id}`).expect(204)
  await shows(`${settings}/trash`, lines[1])
})

test('no field of a site runs', async () => {
  const [space] = (await send('post', `${org}/spaces`, (title) => ({ title }), [first])) as Json[]
  const to = (text: string) => ({ kind: 'url', url: `https://example.org/?${encodeURIComponent(text)}` })
  const sites = await send('post', `${org}/sites`, (title) => ({ title, spaces: [space.id] }))
  const at = `${org}/sites/${sites[0].id}`
  const spaceOf = async () => (await call('post', `${org}/spaces`, { title: 'Part' }).expect(201)).body.id
  for (const title of lines) {
    const spaceId = await spaceOf()
    const section = (await call('post', `${at}/sections`, { spaceId, title }).expect(201)).body
    await call('patch', `${at}/sections/${section.id}`, { description: title }).expect(200)
  }
  const [{ id: sectionGroup }] = await send('post', `${at}/section-groups`, (title) => ({ title }))
  await send('post', `${at}/external-links`, (title) => ({ title, target: to(title).url, sectionGroup }))
  await send('post', `${at}/share-links`, (name) => ({ name }))
  await send('post', `${at}/redirects`, (text) => ({ source: sourceOf(text), destination: to(text) }))
  for (const url of lines) {
    await call('post', `${at}/redirects`, { source: '/x', destination: { kind: 'url', url } })
    await call('post', `${at}/external-links`, { title: 'x', target: url, sectionGroup })
  }
  const links = lines.slice(0, 8).map((title) => ({ title, to: { kind: 'url', url: to(title).url } }))
  const header = { header: { links }, footer: { copyright: first, groups: [{ title: first, links }] } }
  const message = { announcement: { enabled: true, message: first } }
  const { status, text } = await call('put', `${at}/customization`, { title: first, ...header, ...message })
  assert.is(status, 200, text)
  await call('post', `${at}/permissions`, { role: 'read', teams: [(await teams())[0].id] })
  const own = `/sites/${sites[0].id}`
  await shows(`${settings}/sites`)
  for (const screen of ['structure', 'customize', 'settings', 'visitors', 'members', 'redirects'])
    await shows(`${own}/${screen}`, screen === 'redirects' ? 'alert(0)' : first)
})
const teams = async (): Promise<Json[]> => (await call('get', `${org}/teams`).expect(200)).body.items

test('no webhook, delivery, connection or failure of a remote runs', async () => {
  const events = ['space.created']
  await send(
    'post',
    `${org}/webhooks`,
    (description) => ({ url: receiver.url, events, description }),
    lines.slice(0, 8),
  )
  await call('post', `${org}/spaces`, { title: first }).expect(201)
  await receiver.until(1)
  await shows(`${settings}/webhooks`)
  const { items } = (await call('get', `${org}/webhooks`).expect(200)).body
  await shows(`${settings}/webhooks?hook=${items[0].id}`)
  const space = (await call('post', `${org}/spaces`, { title: first }).expect(201)).body.id
  const connection = {
    url: rejecting.url,
    ref: `refs/heads/${pathNames.at(-1)?.replace(/\s/g, '')}`,
    direction: 'import',
  }
  const made = await call('post', `/v1/spaces/${space}/git/connections`, connection)
  if (made.status >= 300)
    await call('post', `/v1/spaces/${space}/git/connections`, { ...connection, ref: 'refs/heads/main' }).expect(201)
  await shows(`/s/${space}/connection`, 'remote')
  await shows(`${settings}/connections`)
  await shows(`/s/${space}/connection/new`, first)
})

test('no specification or translation runs', async () => {
  const source = { text: hostileSpecification(vectors.slice(0, 32)) }
  assert.ok((await call('post', `${org}/openapi`, { slug: 'hostile', source })).status < 500)
  await call('post', `${org}/openapi`, {
    slug: 'missing',
    source: { url: `${rejecting.url}?${encodeURIComponent(first)}` },
  })
  const space = (await call('post', `${org}/spaces`, { title: first }).expect(201)).body.id
  const glossary = lines.slice(0, 50).map((text) => ({ source: text, target: text }))
  const translation = { language: 'de', source: { space, language: 'en' }, glossary }
  const { status, text } = await call('post', `${org}/translations`, translation)
  assert.is(status, 201, text)
  await shows(`${settings}/openapi`, 'hostile')
  await shows(`${settings}/translations`)
})

test('no file name, title or problem of a repository runs before and after its import', async () => {
  const files: Record<string, string> = {}
  for (const text of pathNames) files[`${text}.md`] = `# ${text}\n\n[${text}](<${text}/missing.md>)\n`
  const repository = await createBareRepository(join(here.dir, 'hostile.git'), { files })
  await app.open('/new', '#main')
  await page.locator('::-p-aria([name="Repository address"][role="textbox"])').fill(`file://${repository.path}`)
  await page.locator('::-p-aria([name="Look inside"][role="button"])').click()
  await page.waitForFunction(() => document.body.innerText.includes('Use '))
  await app.check('found')
  const desk = await openDesk(here, files)
  const change = await desk.changeRequest(first)
  const byPath = [...(await desk.byPath()).values()]
  const entries = byPath.filter(({ type }) => type === 'link')
  for (const { id } of entries.slice(0, size(4, entries.length))) await app.open(`/s/${desk.space}/p/${id}`, '#main')
  await shows(`/s/${desk.space}`, pathNames[0])
  await app.open(`/s/${desk.space}/links`, '#main')
  const file = `${pathNames[0]}.md`
  await desk.human({ [file]: '# Mine\n' }, { ref: change.ref, author: first.replace(/[<>\n]/g, ''), message: first })
  await desk.human({ [file]: null })
  await call('post', `${change.url}/update`)
  await app.open(`/s/${desk.space}/c/${change.number}/conflicts/1`, '#main')
  await app.open(`/s/${desk.space}/c/${change.number}`, '#main')
  await shows(`/s/${desk.space}/history`, 'By hand')
})

test('no target of a table of contents runs', async () => {
  // The parser leaves out what is unsafe to follow.
  const addresses = [...vectors, ...vectors.map((text) => `https://example.org/?${text}`)]
  const targets = addresses.filter((text) => !/[<>\n\r\0]/.test(text))
  const summary = targets.map((text) => `* [link](<${text}>)\n`).join('')
  const desk = await openDesk(here, { 'README.md': '# Home\n', 'SUMMARY.md': `* [Home](README.md)\n${summary}` })
  const entries = flat(await desk.pages()).filter(({ type }) => type === 'link')
  assert.ok(entries.length > 10, `${entries.length} links`)
  for (const { id } of entries.slice(0, size(6, entries.length))) await app.open(`/s/${desk.space}/p/${id}`, '#main')
})

test.run()

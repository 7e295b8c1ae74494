/**
 * Tests that hostile texts run on no screen on which people administer: every field that another person can set. The test
 * run takes every 16th vector of those that fit in each field. `scripts/soak desk/xss-admin` takes all, a group at a time,
 * each in a new organization, so that a screen shows the whole group.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newMembership } from '../../src/domain/people/organizations.js'
import { memberships } from '../../src/model/index.js'
import { flat, openDesk } from '../commits/fixture.js'
import { startReceiver } from '../events/receiver.js'
import { hostileSpecification, readVectors } from '../site/hostile-pages.js'
import { createBareRepository } from '../support/bare-repository.js'
import { translationService } from '../translations/fixture.js'
import type { Caller, TestService } from '../support/service.js'
import { isSoak, runs, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { openHostileApp } from './hostile-app.js'

/** A response body of the API; the service checks it against its schema. */
type Json = any

const vectors = readVectors({ script: 'evil.js', style: 'evil.css' })
/** Whether a vector fits in the shortest field. */
const isShort = (vector: string): boolean =>
  vector.length <= 50 && vector.trim() === vector && !/[\0-\x1f]/.test(vector)

/** Vectors that are sent together. */
interface Group {
  /** Vectors that fit in each field. */
  lines: readonly string[]
  /** Vectors that some fields reject. */
  others: readonly string[]
}

/** Number of vectors in a group, so that each list shows all of them on its first screen. */
const IN_GROUP = 45
/** The groups. Each has its share of both kinds. */
function groupsOf(): Group[] {
  const [lines, others] = [vectors.filter(isShort), vectors.filter((vector) => !isShort(vector))]
  if (!isSoak) return [{ lines: lines.filter((_, at) => at % 16 === 0), others: [] }]
  const count = Math.ceil(vectors.length / IN_GROUP)
  const part = (of: string[], at: number): string[] => of.filter((_, n) => n % count === at)
  return Array.from({ length: runs(1, count) }, (_, at) => ({ lines: part(lines, at), others: part(others, at) }))
}

/** A Git server that rejects every request with a hostile text. */
async function startRejecting() {
  const rejecting = { text: '', url: '', close: () => void server.close() }
  const server = createServer((_, response) => {
    const line = `ERR ${rejecting.text}`
    const packet = (line.length + 4).toString(16).padStart(4, '0') + line
    response.writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-advertisement' })
    response.end(`001e# service=git-upload-pack\n0000${packet}0000`)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  rejecting.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`
  return rejecting
}

const [test, context] = await suiteWith('desk/xss-admin', async () => {
  const here = await translationService('deepl', { BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' })
  const [receiver, rejecting] = [await startReceiver(), await startRejecting()]
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
const call = here.admin.call

/** The path of a redirect, which can contain no encoded slash. */
const sourceOf = (text: string): string => `/${encodeURIComponent(text.replace(/[/\\]/g, ''))}`

/** Opens a screen, and checks that it shows a text literally. */
async function shows(path: string, text: string): Promise<void> {
  await app.open(path, '#main')
  await page
    .waitForFunction((wanted: string) => document.body.textContent?.includes(wanted), {}, text)
    .catch(async (error: unknown) => {
      throw new Error(`${path} shows ${await page.evaluate(() => document.body.innerText)}`, { cause: error })
    })
  await app.check(path)
}

const groups = groupsOf()
for (const [at, { lines, others }] of groups.entries()) {
  const texts = [...lines, ...others]
  const first = lines[0] ?? ''
  const pathNames = lines.filter((one) => !/[/\\:]/.test(one) && !one.startsWith('.'))
  let organization = here.organization
  let org = `/v1/orgs/${organization}`
  let settings = `/o/${organization}/settings`
  const of = groups.length === 1 ? '' : ` (group ${at + 1} of ${groups.length})`

  /** The service, with the group's organization. */
  const where = (): TestService => Object.create(here, { organization: { value: organization } })

  /** A new member of the group's organization. */
  async function member(): Promise<Caller> {
    const person = await here.caller(undefined)
    const joined = newMembership(organization, person.user, 'edit', new Date().toISOString())
    await here.service.app.store.insert(memberships, joined)
    return person
  }

  /** Sends each text in a field, which may reject some. Returns the bodies of the accepted ones. */
  async function send(method: 'post' | 'put' | 'patch', path: string, bodyOf: (text: string) => object, own = texts) {
    const made: Json[] = []
    let last = ''
    for (const text of own) {
      const { status, body, text: told } = await call(method, path, bodyOf(text))
      assert.ok(status < 500, `${method} ${path}: ${status}`)
      if (status < 300) made.push(body)
      else last = told
    }
    const short = own.filter(isShort).length
    assert.ok(made.length > short / 3, `${method} ${path} rejects these texts: ${last}`)
    return made
  }

  test(`the screens of an organization begin${of}`, async () => {
    rejecting.text = first
    receiver.respond = (response) => response.writeHead(500, first.replace(/[^ -~]/g, '')).end(first)
    if (at === 0) return
    organization = (await call('post', '/v1/orgs', { title: first }).expect(201)).body.id
    org = `/v1/orgs/${organization}`
    settings = `/o/${organization}/settings`
  })

  test(`no name of a person, team, token or device runs${of}`, async () => {
    for (const text of texts) {
      const person = await member()
      const { status } = await person.call('patch', '/v1/user', { displayName: text })
      assert.is(status < 300 || !isShort(text), true, text)
      await person.call('post', '/v1/user/tokens', { label: text }).set('User-Agent', text.replace(/[^ -~]/g, ''))
    }
    const [team] = await send('put', `${org}/teams`, (title) => ({ title }))
    const { items } = (await call('get', `${org}/members`).expect(200)).body
    await call('put', `${org}/teams/${team.id}/members`, { add: items.map(({ id }: Json) => id) }).expect(204)
    const tokens = await send('post', '/v1/user/tokens', (label) => ({ label }))
    await shows(`${settings}/members`, first)
    await shows(`${settings}/teams`, first)
    await shows(`${settings}/tokens`, first)
    await shows('/settings/tokens', first)
    for (const { id } of tokens) await call('delete', `/v1/user/tokens/${id}`).expect(204)
    await shows('/settings/devices', 'Test')
    await shows(`${settings}/audit`, first)
    await shows(`${settings}/sso`, 'Single sign-on')
  })

  test(`no invitation runs${of}`, async () => {
    const addresses = lines.map((text) => `"${text.replace(/["\\]/g, '')}"@example.org`)
    const plain = lines.map((text) => `${text.replace(/[^\w'&<>=()/-]/g, '')}@example.org`)
    for (const one of [...addresses, ...plain]) {
      const { status } = await call('post', `${org}/invites`, { emails: [one], role: 'edit' })
      assert.ok(status < 500)
    }
    await call('post', `${org}/invites`, { emails: ['grace@example.org'], role: 'edit' }).expect(200)
    await shows(`${settings}/invitations`, 'grace@example.org')
  })

  test(`no title of a collection, space or organization runs${of}`, async () => {
    const made = await send('post', `${org}/collections`, (title) => ({ title }))
    for (const [at, { id }] of made.entries())
      await call('patch', `/v1/collections/${id}`, { description: made[at].title }).expect(200)
    const spaces = await send('post', `${org}/spaces`, (title) => ({ title }))
    await call('patch', org, { title: first }).expect(200)
    await shows(`${settings}/collections`, first)
    await shows(`/collections/${made[0].id}`, first)
    await shows(`${settings}/general`, first)
    await shows(`${settings}/merge-rules`, first)
    await shows(`/s/${spaces[0].id}/settings`, first)
    await shows(`/o/${organization}`, first)
    for (const { id } of spaces.slice(1)) await call('delete', `/v1/spaces/${id}`).expect(204)
    await shows(`${settings}/trash`, lines[1] ?? '')
  })

  test(`no field of a site runs${of}`, async () => {
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
    // The header and the footer have room for eight links each.
    for (let from = 0; from < lines.length; from += 8) {
      const own = lines.slice(from, from + 8)
      const [title = ''] = own
      const links = own.map((text) => ({ title: text, to: { kind: 'url', url: to(text).url } }))
      const header = { header: { links }, footer: { copyright: title, groups: [{ title, links }] } }
      const message = { announcement: { enabled: true, message: title } }
      const { status, text } = await call('put', `${at}/customization`, { title, ...header, ...message })
      assert.is(status, 200, text)
      await shows(`/sites/${sites[0].id}/customize`, first)
    }
    await call('post', `${at}/permissions`, { role: 'read', teams: [(await teams())[0].id] })
    const own = `/sites/${sites[0].id}`
    await shows(`${settings}/sites`, first)
    for (const screen of ['structure', 'settings', 'visitors', 'members', 'redirects'])
      await shows(`${own}/${screen}`, screen === 'redirects' ? (/alert\(\d+\)/.exec(first)?.[0] ?? first) : first)
  })
  const teams = async (): Promise<Json[]> => (await call('get', `${org}/teams`).expect(200)).body.items

  test(`no webhook, delivery, connection or failure of a remote runs${of}`, async () => {
    const events = ['space.created']
    await send('post', `${org}/webhooks`, (description) => ({ url: receiver.url, events, description }))
    await call('post', `${org}/spaces`, { title: first }).expect(201)
    await receiver.until(receiver.got.length + 1)
    await shows(`${settings}/webhooks`, first)
    const { items } = (await call('get', `${org}/webhooks`).expect(200)).body
    await shows(`${settings}/webhooks?hook=${items[0].id}`, first)
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
    await shows(`${settings}/connections`, first)
    await shows(`/s/${space}/connection/new`, first)
  })

  test(`no specification or translation runs${of}`, async () => {
    const source = { text: hostileSpecification(texts) }
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
    await shows(`${settings}/translations`, first)
  })

  test(`no file name, title or problem of a repository runs before and after its import${of}`, async () => {
    const files: Record<string, string> = {}
    for (const text of pathNames) files[`${text}.md`] = `# ${text}\n\n[${text}](<${text}/missing.md>)\n`
    const repository = await createBareRepository(join(here.dir, `hostile-${at}.git`), { files })
    await app.open('/new', '#main')
    await page.locator('::-p-aria([name="Repository address"][role="textbox"])').fill(`file://${repository.path}`)
    await page.locator('::-p-aria([name="Look inside"][role="button"])').click()
    await page.waitForFunction(() => document.body.innerText.includes('Use '))
    await app.check('found')
    const desk = await openDesk(where(), files)
    const change = await desk.changeRequest(first)
    const byPath = [...(await desk.byPath()).values()]
    const entries = byPath.filter(({ type }) => type === 'link')
    const [listed] = await desk.pages()
    await shows(`/s/${desk.space}`, listed?.title ?? first)
    for (const { id, title } of entries.slice(0, size(4, entries.length)))
      await app.follow(`/s/${desk.space}/p/${id}`, title)
    await app.open(`/s/${desk.space}/links`, '#main')
    const file = `${pathNames[0]}.md`
    await desk.human({ [file]: '# Mine\n' }, { ref: change.ref, author: first.replace(/[<>\n]/g, ''), message: first })
    await desk.human({ [file]: null })
    await call('post', `${change.url}/update`)
    await app.open(`/s/${desk.space}/c/${change.number}/conflicts/1`, '#main')
    await app.open(`/s/${desk.space}/c/${change.number}`, '#main')
    await shows(`/s/${desk.space}/history`, 'By hand')
  })

  test(`no target of a table of contents runs${of}`, async () => {
    // The parser leaves out what is unsafe to follow.
    const own = isSoak ? texts : vectors
    const addresses = [...own, ...own.map((text) => `https://example.org/?${text}`)]
    const targets = addresses.filter((text) => !/[<>\n\r\0]/.test(text))
    const summary = targets.map((text, n) => `* [Link ${n}](<${text}>)\n`).join('')
    const desk = await openDesk(where(), { 'README.md': '# Home\n', 'SUMMARY.md': `* [Home](README.md)\n${summary}` })
    const entries = flat(await desk.pages()).filter(({ type }) => type === 'link')
    assert.ok(entries.length > size(10, 1), `${entries.length} links`)
    await app.open(`/s/${desk.space}`, '#main')
    for (const { id, title } of entries.slice(0, size(6, entries.length)))
      await app.follow(`/s/${desk.space}/p/${id}`, title)
  })
}

test.run()

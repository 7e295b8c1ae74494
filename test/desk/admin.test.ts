/** An admin's week in the app: from the first start to a published site, members and roles, a failed sync, the trash. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import * as assert from 'uvu/assert'
import { type BareRepository, createBareRepository } from '../support/bare-repository.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type DeskPage, openApp } from './browser.js'

let app: DeskPage
let repository: BareRepository
const [test, here] = await suiteWith('desk/admin', () => startService())
test.before(async () => {
  repository = await createBareRepository(join(here.dir, 'remote.git'), {
    files: {
      'README.md': '# Elsa\n\nRead [the guide](guide.md) and [nothing](missing.md).\n',
      'guide.md': '# Guide\n\nStep one.\n',
      'SUMMARY.md': '* [Elsa](README.md)\n* [Guide](guide.md)\n',
    },
  })
  app = await openApp(here)
})
test.after(() => app.browser.close())

const org = `/v1/orgs/${here.organization}`
const settings = `/o/${here.organization}/settings`
const read = async (path: string) => (await here.admin.call('get', path).expect(200)).body
const spaces = async (): Promise<{ id: string; title: string; defaultLevel: string | null }[]> =>
  (await read(`${org}/spaces`)).items
const spaceCalled = async (title: string): Promise<string> =>
  (await spaces()).find((one) => one.title === title)?.id as string
const repoOf = (space: string): string => join(here.dir, 'repos', `${space}.git`)

test('the first start opens the setup, which previews a repository before its import', async () => {
  const { page } = app
  await app.open(`/start#${here.service.first.link}`)
  await app.click('Continue')
  await app.type('Your name', 'Ines Okafor')
  await app.click('Continue to your docs')
  await app.type('Repository address', 'file:///nowhere/at/all.git')
  await app.click('Look inside')
  await page.waitForSelector('[aria-invalid="true"]')
  assert.equal(await spaces(), [], 'nothing is left of a repository that cannot be read')
  await app.type('Repository address', `file://${repository.path}`)
  await app.click('Look inside')
  await app.sees('Use 2 pages')
  await app.sees('1 link is broken')
  await app.checkAxe('found')
  assert.equal(
    (await spaces()).map(({ defaultLevel }) => defaultLevel),
    [null],
    'only admins see it yet',
  )
  await app.type('Name of the space', 'Elsa Workflows')
  await app.click('Use 2 pages')
  await page.waitForFunction(() => location.pathname.startsWith('/s/'))
  const space = await spaceCalled('Elsa Workflows')
  assert.is((await spaces())[0]?.defaultLevel, 'inherit')
  assert.is(
    (await git(repoOf(space), ['rev-parse', 'main^{tree}'])).trim(),
    (await git(repository.path, ['rev-parse', 'main^{tree}'])).trim(),
  )
  assert.is(await repository.head(), (await git(repository.path, ['rev-parse', 'main'])).trim())
})

test('going back from the preview of a repository deletes the preview', async () => {
  const before = (await spaces()).length
  await app.open('/new')
  await app.type('Repository address', `file://${repository.path}`)
  await app.click('Look inside')
  await app.sees('Use 2 pages')
  const draft = (await spaces()).find(({ defaultLevel }) => defaultLevel === null)?.id as string
  await app.click('Back')
  await app.page.waitForFunction(() => location.pathname === '/new')
  assert.is((await spaces()).length, before)
  assert.equal((await read(`${org}/deleted-spaces`)).items, [])
  assert.not.ok(existsSync(repoOf(draft)))
})

test('a site is created from the space and published', async () => {
  await app.open(`${settings}/sites`)
  await app.click('New site')
  await app.type('Name of the site', 'Elsa documentation')
  await app.click('Elsa Workflows', 'checkbox')
  await app.click('Create')
  await app.page.waitForFunction(() => location.pathname.endsWith('/structure'))
  await app.click('Publish')
  await app.sees('The site is published.')
  const [site] = (await read(`${org}/sites`)).items
  const { text } = await request(site.urls.published).get('/').redirects(3).expect(200)
  assert.match(text, /Read <a/)
})

test('parts of a site can be moved by keyboard, and each move is announced', async () => {
  const [site] = (await read(`${org}/sites`)).items
  const base = `${org}/sites/${site.id}`
  const other = (await here.admin.call('post', `${org}/spaces`, { title: 'Studio' }).expect(201)).body.id
  await here.admin.call('post', `${base}/sections`, { spaceId: other, title: 'Studio' }).expect(201)
  await app.open(`/sites/${site.id}/structure`)
  await app.sees('Studio')
  const titles = async () =>
    (await read(`${base}/structure`)).structure.map(({ title }: { title: string }) => title) as string[]
  const before = await titles()
  await app.page.focus('li:has(b) >>> button[aria-label^="Move Studio."]')
  await app.page.keyboard.down('Alt')
  await app.page.keyboard.press('ArrowUp')
  await app.page.keyboard.up('Alt')
  await app.page.waitForFunction(() =>
    [...document.querySelectorAll('[role="status"]')].some((one) => one.textContent === 'Studio, position 1 of 2'),
  )
  assert.equal(await titles(), [...before].reverse())
  assert.match(
    await app.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? ''),
    /^Move Studio\./,
    'the handle keeps the focus',
  )
  await app.checkAxe('structure')
})

test('a draft of the customization is shown only in the preview frame until it is published', async () => {
  const [site] = (await read(`${org}/sites`)).items
  const styles = async (address: string): Promise<string> => {
    const { text } = await request(address).get('/').redirects(3).expect(200)
    const sheet = /href="([^"]+site-\w+\.css)"/.exec(text)?.[1] as string
    return (await request(new URL(sheet, address).origin).get(new URL(sheet, address).pathname).expect(200)).text
  }
  const before = await styles(site.urls.published)
  await app.open(`/sites/${site.id}/customize`)
  const frame = async () => (await app.page.waitForSelector('iframe'))?.contentFrame()
  await (await frame())?.waitForSelector('h1')
  await app.type('Primary color', '#0b7a4b')
  await app.sees('Publish changes')
  await app.page.waitForFunction(
    async (path: string) => (await (await fetch(path)).json()).pending === true,
    {},
    `${org}/sites/${site.id}/customization/draft`,
  )
  assert.is(await styles(site.urls.published), before, 'visitors see nothing of the draft')
  const { urls } = await read(`${org}/sites/${site.id}/customization/draft`)
  assert.is.not(await styles(urls.preview), before)
  await app.click('Publish changes')
  await app.sees('Visitors see the new look.')
  assert.is.not(await styles(site.urls.published), before)
  assert.is((await read(`${org}/sites/${site.id}/customization/draft`)).pending, false)
  await app.click('Undo')
  await app.page.waitForFunction(
    async (path: string) => (await (await fetch(path)).json()).styling.primaryColor.light !== '#0b7a4b',
    {},
    `${org}/sites/${site.id}/customization`,
  )
  assert.is(await styles(site.urls.published), before)
})

test('a member is invited, gets a role, and the reason is shown', async () => {
  await app.open(`${settings}/members`)
  await app.click('Invite people')
  await app.type('Email addresses', 'wanda@example.com')
  await app.click('Send invitations')
  await app.sees('1 person was invited.')
  const link = await app.page.$eval('input[aria-label="wanda@example.com"]', (one) => (one as HTMLInputElement).value)
  const accepted = await request(here.url)
    .post('/v1/invites/accept')
    .send({ token: new URL(link).hash.slice(1), displayName: 'Wanda Reyes' })
    .expect(200)
  assert.ok(accepted.body.token)
  const space = await spaceCalled('Elsa Workflows')
  await app.open(`/s/${space}/settings`)
  await app.choose('Give a role to', 'Wanda Reyes')
  await app.choose('Role', 'Review')
  await app.click('Give the role')
  await app.page.waitForFunction(
    async (path: string) => JSON.stringify(await (await fetch(path)).json()).includes('"review"'),
    {},
    `/v1/spaces/${space}/permissions/users`,
  )
  await app.open(`${settings}/members`)
  await app.choose('Role of Wanda Reyes', 'Read')
  await app.sees('Wanda Reyes now has the role Read.')
  await app.click('Access of Wanda Reyes')
  await app.choose('Explain access to', 'Elsa Workflows')
  await app.sees('Wanda Reyes may review Elsa Workflows.')
  await app.sees('directly on this content')
  await app.checkAxe('members')
  await app.click('Remove')
  await app.sees('Wanda Reyes may read Elsa Workflows.')
  await app.page.click('.toast:last-child .btn')
  await app.sees('Wanda Reyes may review Elsa Workflows.')
})

test('a failed sync is explained in plain words, and a renamed branch can be corrected', async () => {
  const space = await spaceCalled('Studio')
  await git(repository.path, ['branch', 'trunk', 'main'])
  await here.admin
    .call('post', `/v1/spaces/${space}/git/connections`, {
      url: `file://${repository.path}`,
      ref: 'refs/heads/gone',
      direction: 'import',
    })
    .expect(201)
  await app.open(`/s/${space}/connection`)
  await app.sees('The branch has been missing since')
  await app.checkAxe('failed connection')
  await app.click('Correct it')
  await app.choose('Branch', 'trunk')
  await app.click('Save')
  await app.sees('The space adopted the content of the branch')
  await app.seesNo('The branch has been missing since')
})

test('a repository is connected in four steps, and its test explains problems in plain words', async () => {
  const space = (await here.admin.call('post', `${org}/spaces`, { title: 'Steps' }).expect(201)).body.id
  await app.open(`/s/${space}/connection/new`)
  await app.type('Repository address', 'file:///nowhere/at/all.git')
  await app.click('Continue')
  await app.click('It is public. Read only: you cannot send changes back.', 'radio')
  await app.click('Test the access')
  await app.sees('The repository does not respond')
  await app.sees('Give Bindery access')
  await app.checkAxe('test of a connection')
  await app.click('Cancel')
  await app.sees('This space is not connected')
  assert.equal((await read(`/v1/spaces/${space}/git/connections`)).items, [])
})

test('a deleted space can be restored, or deleted for good after a confirmation', async () => {
  const space = await spaceCalled('Steps')
  await app.open(`/s/${space}/settings`)
  await app.click('Move to the trash')
  await app.sees('Steps is in the trash.')
  await app.open(`${settings}/trash`)
  await app.click('Restore')
  await app.sees('Steps was restored.')
  assert.is(await spaceCalled('Steps'), space)
  await here.admin.call('delete', `/v1/spaces/${space}`).expect(204)
  await app.open(`${settings}/trash`)
  await app.click('Delete for good')
  await app.sees('Delete Steps for good?')
  await app.sees('The repository with its whole history')
  await app.checkAxe('trash')
  await app.page.click('dialog .btn.danger')
  await app.sees('Steps was deleted for good.')
  assert.equal((await read(`${org}/deleted-spaces`)).items, [])
  assert.not.ok(existsSync(repoOf(space)))
})

test("a form shows the API's error at the rejected field", async () => {
  await app.open(`${settings}/webhooks`)
  await app.click('New webhook')
  await app.type('Address', 'ftp://example.com/hook')
  await app.click('Create')
  await app.page.waitForSelector('input[aria-invalid="true"]')
  assert.is(await app.page.evaluate(() => document.activeElement?.getAttribute('aria-invalid')), 'true')
})

test('the app offers a member only permitted actions', async () => {
  const member = await here.caller('read')
  const own = await openApp(here, member.token)
  try {
    await own.open(`${settings}/members`)
    await own.sees('Wanda Reyes')
    await own.seesNo('Audit log')
    await own.seesNo('Invite people')
    await own.open(`${settings}/audit`)
    await own.sees('There is nothing at this address')
    await own.open(`/s/${await spaceCalled('Elsa Workflows')}/settings`)
    await own.sees('There is nothing at this address')
  } finally {
    await own.browser.close()
  }
})

test('axe reports no violation on any screen', async () => {
  const space = await spaceCalled('Elsa Workflows')
  const [site] = (await read(`${org}/sites`)).items
  const parts = [
    'invitations',
    'teams',
    'sso',
    'general',
    'collections',
    'sites',
    'merge-rules',
    'connections',
    'openapi',
  ]
  const more = ['translations', 'tokens', 'webhooks', 'audit']
  const screens = [
    ...[...parts, ...more].map((part) => `${settings}/${part}`),
    ...['visitors', 'members', 'redirects', 'settings', 'customize'].map((part) => `/sites/${site.id}/${part}`),
    ...['settings', 'connection', 'connection/new'].map((part) => `/s/${space}/${part}`),
    ...['/new', '/new?from=template', '/new?from=files'],
  ]
  for (const [at, screen] of screens.entries()) {
    // Every third screen has the width of a phone, and every second one is dark.
    await app.page.setViewport({ width: at % 3 === 0 ? 390 : 1440, height: 900 })
    await app.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: at % 2 === 0 ? 'light' : 'dark' }])
    await app.open(screen)
    await app.page.waitForSelector('h1')
    await app.page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    await app.checkAxe(screen)
    const isWide = await app.page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.not.ok(isWide, `${screen} scrolls sideways`)
  }
})

test.run()

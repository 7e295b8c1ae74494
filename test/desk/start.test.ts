/** A team starts without a repository: from a file, with an empty space; and finds what is broken and who wrote what. */
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { wordDocument, zipOf } from '../imports/archives.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type DeskPage, openApp } from './browser.js'

let app: DeskPage
const [test, here] = await suiteWith('desk/start', () =>
  startService({ env: { BINDERY_FILE_LIMIT_BYTES: '2000000', BINDERY_IMPORT_BYTES: '8000000' } }),
)
test.before(async () => {
  app = await openApp(here, here.admin.token)
})
test.after(() => app.browser.close())

const spaces = async (): Promise<{ id: string; title: string; defaultLevel: string | null }[]> =>
  (await here.admin.call('get', `/v1/orgs/${here.organization}/spaces`).expect(200)).body.items
const repoOf = (space: string): string => join(here.dir, 'repos', `${space}.git`)

/** Chooses a file in the form. */
async function choose(name: string, bytes: Uint8Array): Promise<void> {
  const path = join(here.dir, name)
  await writeFile(path, bytes)
  const input = await app.page.waitForSelector('input[type="file"]')
  await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path)
}

test('a ZIP of the reader becomes a space that others see once it is kept', async () => {
  await app.open('/new?from=files')
  await app.sees('Choose a file')
  await app.checkAxe('files')
  await choose('acme-handbook.zip', await zipOf({ 'start.md': '# Start\n\nWelcome.\n', 'more.md': '# More\n' }))
  await app.sees('acme-handbook.zip')
  await app.click('Import')
  await app.sees('2 pages and files were imported.')
  const [draft] = await spaces()
  assert.equal([draft?.title, draft?.defaultLevel], ['acme handbook', null])
  await app.checkAxe('imported')
  await app.click('Open the space')
  await app.page.waitForFunction(() => location.pathname.startsWith('/s/'))
  assert.is((await spaces())[0]?.defaultLevel, 'inherit')
  assert.match(await git(repoOf(draft?.id as string), ['show', 'main:start.md']), /^# Start\n\nWelcome\.$/)
})

test('a Word document of the reader becomes a page', async () => {
  await app.open('/new?from=files')
  await app.sees('Choose a file')
  await choose('manual.docx', await wordDocument())
  await app.click('Import')
  await app.sees('Open the space')
  await app.click('Open the space')
  await app.sees('Operations Manual')
  const space = (await spaces()).find(({ title }) => title === 'manual')
  assert.match(await git(repoOf(space?.id as string), ['show', 'main:operations-manual.md']), /^# Operations Manual\n/)
})

test('files that cannot be read are refused with the reason, and leave nothing behind', async () => {
  const before = await spaces()
  await app.open('/new?from=files')
  await app.sees('Choose a file')
  await app.type('Name of the space', 'Nothing')
  await app.click('Import')
  await app.sees('Choose a file to import.')
  await choose('picture.png', Buffer.from('png'))
  await app.click('Import')
  await app.sees('picture.png is none of these: .zip, .docx, .md, .html.')
  await choose('huge.zip', Buffer.alloc(2_100_000))
  await app.click('Import')
  await app.sees('This server accepts files up to 2 MB.')
  const refused: [string, Uint8Array, string][] = [
    ['text.zip', Buffer.from('no archive'), 'text.zip cannot be read: it is not a ZIP archive.'],
    ['bomb.zip', await zipOf({ 'a.md': Buffer.alloc(30_000_000, 'a') }), 'bomb.zip'],
  ]
  for (const [name, bytes, reason] of refused) {
    await choose(name, bytes)
    await app.click('Import')
    await app.sees('The import failed.')
    await app.sees(reason)
    await app.click('Back')
    await app.sees('Name of the space')
  }
  assert.equal(
    (await spaces()).map(({ id }) => id),
    before.map(({ id }) => id),
  )
})

test('an upload can be stopped while it is sent, and leaves nothing behind', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Start](start.md)\n', 'start.md': '# Start\n' })
  const before = await spaces()
  // Random bytes stay as large in the archive.
  const archive = await zipOf({ 'start.md': '# Start\n', 'noise.bin': randomBytes(1_500_000) })
  const cdp = await app.page.createCDPSession()
  const slow = (bytesPerSecond: number) =>
    cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: bytesPerSecond,
    })
  const requests = async (): Promise<{ status: string }[]> =>
    (await here.admin.call('get', `${desk.url}/change-requests?status=archived`).expect(200)).body.items
  try {
    for (const path of ['/new?from=files', `/s/${desk.space}/import`]) {
      await app.open(path)
      await app.sees('Choose a file')
      await choose('noise.zip', archive)
      await slow(100_000)
      await app.click('Import')
      await app.sees('noise.zip')
      await app.page.waitForFunction(() => Number(document.querySelector('progress')?.value) > 0)
      await slow(-1)
      await app.click('Cancel')
      await app.page.waitForFunction(() => document.querySelector('progress') === null)
      await app.sees('Choose another file')
    }
  } finally {
    await slow(-1)
    await cdp.detach()
  }
  assert.equal(
    (await spaces()).map(({ id }) => id),
    before.map(({ id }) => id),
  )
  assert.equal(
    (await requests()).map(({ status }) => status),
    ['archived'],
  )
  assert.equal(await desk.paths(), ['SUMMARY.md', 'start.md'])
})

test('pages are imported below a page of an existing space, in a change request', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](start.md)\n* [Guides](guides.md)\n',
    'start.md': '# Start\n',
    'guides.md': '# Guides\n\nAll of them.\n',
  })
  await app.open(`/s/${desk.space}/p/${await desk.id('guides')}`)
  await app.click('Import pages', 'link')
  await app.sees('Below')
  await app.checkAxe('import into a space')
  await choose('manual.docx', await wordDocument())
  await app.click('Import')
  await app.sees('See the changes')
  await app.click('See the changes')
  await app.page.waitForFunction(() => /\/c\/1$/.test(location.pathname))
  await app.sees('Import manual.docx')
  await app.sees('Operations Manual')
  assert.match(await desk.git('show', 'change-requests/1:guides/operations-manual.md'), /^# Operations Manual\n/)
  assert.match(
    await desk.git('show', 'change-requests/1:SUMMARY.md'),
    /\* \[Guides\]\(guides\.md\)\n {2}\* \[Operations Manual\]/,
  )
  assert.equal(await desk.paths(), ['SUMMARY.md', 'guides.md', 'start.md'])
  const empty = await openDesk(here, { 'SUMMARY.md': '# Table of contents\n' })
  await app.open(`/s/${empty.space}`)
  await app.click('Import pages', 'link')
  await choose('more.md', Buffer.from('# More\n\nText.\n'))
  await app.click('Import')
  await app.click('See the changes')
  await app.sees('Import more.md')
  assert.match(await empty.git('show', 'change-requests/1:more.md'), /^# More\n/)
})

test('an empty space gets its first page, and a further one starts in a draft', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '# Table of contents\n' })
  await app.open(`/s/${desk.space}`)
  await app.sees('No pages yet')
  await app.checkAxe('empty space')
  await app.click('Write the first page Alt N')
  await app.type('Title of the page', 'Welcome aboard')
  await app.click('Start writing')
  await app.page.waitForSelector('.cm-content')
  assert.is(await desk.file('welcome-aboard.md'), '# Welcome aboard\n')
  await app.open(`/s/${desk.space}`)
  await app.page.waitForFunction(() => document.querySelector('main h1')?.textContent === 'Welcome aboard')
  const main = await desk.git('rev-parse', 'main')
  await app.page.keyboard.down('Alt')
  await app.page.keyboard.press('KeyN')
  await app.page.keyboard.up('Alt')
  await app.type('Title of the page', 'Second')
  await app.page.keyboard.press('Enter')
  await app.page.waitForSelector('.cm-content')
  assert.match(new URL(app.page.url()).pathname, /\/c\/1\/p\//)
  assert.is(await desk.git('rev-parse', 'main'), main)
  assert.is(await desk.file('second.md', 'change-requests/1'), '# Second\n')
})

async function withTwoAuthors(): Promise<Desk> {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Harbor](harbor.md)\n',
    'harbor.md': '---\ndescription: d\n---\n\n# Harbor\n\nShips moor here.\n',
  })
  await desk.human(
    { 'harbor.md': '---\ndescription: d\n---\n\n# Harbor\n\nShips moor here.\n\nSee [nothing](gone.md).\n' },
    { author: 'Mei Tanaka' },
  )
  return desk
}

test('the margin names the author of each block, and leads to the revision', async () => {
  const desk = await withTwoAuthors()
  const id = await desk.id('harbor')
  await app.open(`/s/${desk.space}/p/${id}`)
  await app.page.waitForSelector('.mg a')
  const notes = await app.page.$$eval('.blk', (rows) =>
    rows.map((row) => [
      row.className.trim(),
      row.querySelector('.mg')?.textContent ?? '',
      row.querySelector('.tx')?.textContent ?? '',
    ]),
  )
  const head = await desk.git('rev-parse', 'main')
  const note = notes.find(([, , text]) => text?.includes('See nothing'))
  assert.is(note?.[0], 'blk chg')
  assert.match(note?.[1] ?? '', /Mei Tanaka/)
  assert.ok(note?.[1]?.includes(head.slice(0, 7)))
  const title = await app.page.$eval('.blk.chg .mg a', (link) => link.getAttribute('title') ?? '')
  assert.ok(title.includes(head.slice(0, 7)), title)
  const other = notes.find(([, , text]) => text?.includes('Ships moor here'))
  assert.not.match(other?.[1] ?? 'Mei', /Mei/)
  await app.checkAxe('margin')
  await app.page.click('.blk.chg .mg a')
  await app.page.waitForFunction((to) => location.search.includes(to), {}, head)
})

test('a broken link opens the editor at its line', async () => {
  const desk = await withTwoAuthors()
  await app.open(`/s/${desk.space}/links`)
  await app.sees('harbor.md')
  await app.sees('Line 9')
  await app.checkAxe('broken links')
  await app.click('Line 9', 'link')
  await app.page.waitForSelector('.cm-activeLine')
  await app.page.waitForFunction(() => document.querySelector('.cm-activeLine')?.textContent?.includes('gone.md'))
})

test('the list of change requests shows changed pages and who reviews', async () => {
  const desk = await withTwoAuthors()
  const request = await desk.changeRequest('Deeper water')
  const page = await desk.id('harbor')
  await request.write([{ operation: 'update_page', page, document: { markdown: '# Harbor\n\nDeep.\n' } }])
  const ben = await here.caller('review')
  await here.admin.call('post', `${request.url}/requested-reviewers`, { users: [ben.user] }).expect(200)
  await ben.call('post', `${request.url}/reviews`, { status: 'approved' }).expect(201)
  await app.open(`/s/${desk.space}/c`)
  await app.sees('Deeper water')
  await app.sees('1 page')
  await app.sees('approved')
  await app.checkAxe('change requests')
})

test('a space moves into a new collection, and stays when the collection is deleted', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Start](start.md)\n', 'start.md': '# Start\n' })
  const parentOf = async () => (await here.admin.call('get', desk.url).expect(200)).body.parent
  await app.open(`/o/${here.organization}/settings/collections`)
  await app.sees('No collections')
  await app.click('New collection')
  await app.type('Name', 'Guides')
  await app.click('Create the collection')
  await app.page.waitForSelector('a[href^="/collections/"]')
  await app.click('Settings of Guides')
  await app.sees('Delete the collection')
  await app.checkAxe('collections')
  await app.open(`/s/${desk.space}/settings`)
  await app.choose('Collection', 'Guides')
  await app.click('Save')
  await app.sees('The settings were saved.')
  const parent = await parentOf()
  const guides = (await here.admin.call('get', `/v1/collections/${parent}`).expect(200)).body
  assert.is(guides.title, 'Guides')
  await app.open(`/o/${here.organization}/settings/collections?row=${parent}`)
  await app.sees('Delete the collection')
  await app.click('Delete the collection')
  await app.sees('1 space in it stays and moves one level up.')
  await app.page.locator('dialog[open] .btn.danger, dialog[open] footer .btn:last-child').click()
  await app.sees('No collections')
  assert.is(await parentOf(), undefined)
})

test('a collection moves into another one and to another organization, and a space is copied', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Start](start.md)\n', 'start.md': '# Start\n' })
  const made = async (title: string): Promise<string> =>
    (await here.admin.call('post', `/v1/orgs/${here.organization}/collections`, { title }).expect(201)).body.id
  const [outer, inner] = [await made('Outer'), await made('Inner')]
  const other = (await here.admin.call('post', '/v1/orgs', { title: 'Sister' }).expect(201)).body.id
  const of = async (id: string) => (await here.admin.call('get', `/v1/collections/${id}`).expect(200)).body
  await here.admin.call('post', `${desk.url}/move`, { parent: inner }).expect(200)
  await app.open(`/o/${here.organization}/settings/collections?row=${inner}`)
  await app.sees('Delete the collection')
  await app.choose('Within', 'Outer')
  await app.click('Save')
  await app.sees('The settings were saved.')
  assert.is((await of(inner)).parent, outer)
  await app.open(`/o/${here.organization}/settings/collections?row=${inner}`)
  await app.choose('Other organization', 'Sister')
  await app.click('Transfer')
  await app.sees('Transfer Inner to Sister?')
  await app.checkAxe('transfer')
  await app.page.locator('dialog[open] .btn.danger').click()
  await app.page.waitForFunction((id) => location.pathname === `/collections/${id}`, {}, inner)
  assert.equal([(await of(inner)).organization, (await of(inner)).parent], [other, undefined])
  const moved = (await here.admin.call('get', desk.url).expect(200)).body
  assert.equal([moved.organization, moved.parent], [other, inner])
  await app.open(`/s/${desk.space}/settings`)
  await app.click('Duplicate')
  await app.page.waitForFunction(
    (id) => /^\/s\/\w+$/.test(location.pathname) && !location.pathname.endsWith(id),
    {},
    desk.space,
  )
  const copy = new URL(app.page.url()).pathname.split('/')[2] ?? ''
  assert.is(await git(repoOf(copy), ['show', 'main:start.md']), '# Start')
  await app.open(`/s/${desk.space}/settings`)
  await app.click('Transfer')
  await app.page.locator('dialog[open] .btn.danger').click()
  await app.page.waitForFunction((id) => location.pathname === `/s/${id}`, {}, desk.space)
  assert.is((await here.admin.call('get', desk.url).expect(200)).body.organization, here.organization)
})

test('a lock says what it stops', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Start](start.md)\n', 'start.md': '# Start\n' })
  await app.open(`/s/${desk.space}/settings`)
  await app.sees('No one can change pages, also not in change requests')
  await app.click('Lock the content', 'switch')
  await app.page.waitForSelector('input[role="switch"]:checked')
  await app.open(`/s/${desk.space}`)
  await app.sees('Start')
  await app.seesNo('New page')
  assert.is(await app.page.$('a[href$="/edit"]'), null)
  const made = await here.admin.call('post', `${desk.url}/change-requests`, { subject: 'x' })
  await here.admin
    .call('post', `${desk.url}/change-requests/${made.body.number}/content`, {
      changes: [{ operation: 'insert_page', title: 'X', document: { markdown: '# X\n' } }],
    })
    .expect(423)
})

test('the command box and home offer an admin more than a reader', async () => {
  const desk = await openDesk(here, { 'SUMMARY.md': '* [Start](start.md)\n', 'start.md': '# Start\n' })
  const reader = await here.caller('read')
  const own = await openApp(here, reader.token)
  const commands = async (at: DeskPage): Promise<string> => {
    await at.open(`/s/${desk.space}/p/${await desk.id('start')}`)
    await at.page.waitForSelector('main h1')
    await at.page.keyboard.down('Control')
    await at.page.keyboard.press('k')
    await at.page.keyboard.up('Control')
    await at.page.waitForSelector('#palette[open] [role="option"]')
    // A search ends after the permissions are known.
    await at.page.keyboard.type('start')
    await at.page.waitForFunction(() => document.querySelector('#palette mark') !== null)
    for (let n = 0; n < 5; n++) await at.page.keyboard.press('Backspace')
    await at.page.waitForFunction(() => document.querySelector('#palette')?.textContent?.includes('Sign out') === true)
    return at.page.$eval('#palette', (box) => box.textContent ?? '')
  }
  try {
    const [offered, all] = [await commands(own), await commands(app)]
    for (const command of ['Edit this page', 'New space', 'Organization settings']) {
      assert.not.ok(offered.includes(command), `${command} is offered to a reader`)
      assert.ok(all.includes(command), all)
    }
    await own.open('/')
    await own.page.waitForSelector('.tbl a')
    await own.seesNo('New space')
  } finally {
    await own.browser.close()
  }
})

test('an admin gives a role on a site, and looks at it as a visitor with a claim', async () => {
  const desk = await openDesk(here, {
    'SUMMARY.md': '* [Start](start.md)\n* [Pro](pro.md)\n',
    'start.md': '# Start\n\nWelcome.\n',
    'pro.md': '---\nif: visitor.claims.isPro == true\n---\n\n# Pro\n\nFor professionals.\n',
  })
  const sites = `/v1/orgs/${here.organization}/sites`
  const site = (await here.admin.call('post', sites, { title: 'Docs', spaces: [desk.space] }).expect(201)).body
  await here.admin.call('patch', `${sites}/${site.id}`, { adaptiveContent: { enabled: true } }).expect(200)
  const ben = await here.caller('read')
  const name = (await ben.call('get', '/v1/user').expect(200)).body.displayName
  await app.open(`/sites/${site.id}/members`)
  await app.sees('Visitors need no role.')
  await app.choose('Give a role to', name)
  await app.choose('Role', 'Edit')
  await app.click('Give the role')
  await app.page.waitForFunction(
    (who) =>
      [...document.querySelectorAll('tr')].some((row) => row.innerText.includes(who) && /Edit/.test(row.innerText)),
    {},
    name,
  )
  await app.checkAxe('members of a site')
  await app.open(`/sites/${site.id}/visitors`)
  await app.sees('No claims are declared.')
  await app.page.click('details > summary')
  await app.type('Name of the claim', 'isPro')
  await app.click('Add the claim')
  await app.page.waitForSelector('fieldset input[type="checkbox"]')
  await app.page.click('fieldset input[type="checkbox"]')
  await app.click('Make the preview')
  await app.sees('Open the preview')
  await app.checkAxe('visitors')
  const address = await app.page.$eval('.note a', (link) => link.getAttribute('href') ?? '')
  const page = await (await fetch(`${address}/pro`)).text()
  assert.match(page, 'For professionals.')
  assert.match(page, 'isPro = true')
})

test.run()

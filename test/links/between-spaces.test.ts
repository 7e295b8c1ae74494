/** Tests links from one space to another, and the information that readers without access get. */
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Json, linesOf, pageId, read, spaceOf } from './support.js'

const [test, here] = await suiteWith('links between spaces', startService)
const { admin } = here

let target: string
let page: string
let from: string
test.before(async () => {
  target = await spaceOf(
    here,
    {
      'SUMMARY.md': '* [Home](README.md)\n* [Deep](a/deep.md)\n',
      'README.md': '# Home\n\n[f](f.txt)\n',
      'a/deep.md': '# Deep\n\n## Down\n',
      'f.txt': 'f',
    },
    { title: 'Target' },
  )
  page = await pageId(admin, `${target}/content`, 'a/deep.md')
  const base = (await read(admin, target)).urls.location
  const [file] = (await read(admin, `${target}/content/files`)).items
  const links = [
    `/spaces/${target}`,
    `/spaces/${target}/deep`,
    `/v1/spaces/${target}/content/page/${page}#down`,
    `${base}/content/page/${page}#nowhere`,
    `${base}/content/path/gone`,
    `${base}/content/files/${file.id}`,
    `${base}/change-requests/3`,
    ...['', '/c/3', `/p/${page}#down`, `/p/${page}/history`, `/c/3/p/${page}`, `/c/3?page=${page}`, '/p/gone'].map(
      (path) => `${here.url}/s/${target}${path}`,
    ),
    '/spaces/doesnotexist',
    '/spaces/doesnotexist/page/x',
    'https://elsewhere.example/spaces/x',
  ]
  from = await spaceOf(
    here,
    {
      'SUMMARY.md': '* [From](from.md)\n',
      'from.md': `# From\n\n${links.map((link) => `[x](${link})`).join('\n\n')}\n`,
    },
    { title: 'From' },
  )
})

/** Links without IDs and addresses. */
const plain = async (list: Json): Promise<string[]> =>
  linesOf(list)
    .map((line) =>
      line
        .replaceAll(target, 'T')
        .replaceAll(page, 'P')
        .replace(/http:\/\/[^/]*/, '')
        .replace(/files\/\w+/, 'files/F'),
    )
    .sort()

test('service addresses resolve to objects in the app, and missing objects are broken links', async () => {
  assert.equal(await plain(await read(admin, `${from}/links`)), [
    'from.md: /s/T → Target in-app',
    'from.md: /s/T/c/3 → Target in-app',
    'from.md: /s/T/c/3/p/P → a/deep.md in-app',
    'from.md: /s/T/c/3?page=P → a/deep.md in-app',
    'from.md: /s/T/p/P#down → a/deep.md#down in-app',
    'from.md: /s/T/p/P/history → a/deep.md in-app',
    'from.md: /s/T/p/gone → - broken',
    'from.md: /spaces/T → Target in-app',
    'from.md: /spaces/T/deep → a/deep.md in-app',
    'from.md: /spaces/doesnotexist → - in-app',
    'from.md: /spaces/doesnotexist/page/x → - in-app',
    'from.md: /v1/spaces/T/change-requests/3 → Target in-app',
    'from.md: /v1/spaces/T/content/files/F → f.txt in-app',
    'from.md: /v1/spaces/T/content/page/P#down → a/deep.md#down in-app',
    'from.md: /v1/spaces/T/content/page/P#nowhere → a/deep.md broken',
    'from.md: /v1/spaces/T/content/path/gone → - broken',
    'from.md: https://elsewhere.example/spaces/x → https://elsewhere.example/spaces/x ok',
  ])
})

test('a space without access looks like a space that does not exist', async () => {
  const reader = await here.caller('read')
  assert.is((await read(reader, `${from}/links`)).stats.broken.total, 3)
  await admin.call('patch', `/v1/spaces/${target}`, { defaultLevel: null }).expect(200)
  const list = await read(reader, `${from}/links`)
  assert.equal(list.stats, { total: 17, broken: { total: 0, changeRequest: 0 } })
  for (const link of list.items) if (link.status === 'in-app') assert.is(link.targetReference, undefined)
  assert.not.match(JSON.stringify(list), /Target|deep\.md/)
  assert.is((await read(reader, `${from}/links?status=in-app`)).count, 16)
  assert.is((await read(admin, `${from}/links`)).stats.broken.total, 3)
})

test('every service address is an in-app link, and addresses of sites are not', async () => {
  const space = (await admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Addresses' }).expect(201))
    .body.id
  const targets = ['/docs', '/v1/orgs/x', '', '/sites/acme/docs', '/sitesmap']
  const markdown = `# Links\n\n${targets.map((path) => `[x](${here.url}${path})`).join(' ')}\n`
  await admin
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'insert_page', title: 'Links', document: { markdown } }],
    })
    .expect(200)
  const { items } = await read(admin, `${space}/links`)
  assert.equal(
    targets.map((path) => items.find(({ target }: Json) => target === here.url + path)?.status),
    ['in-app', 'in-app', 'in-app', 'ok', 'in-app'],
  )
})

test('a link to an address of the same space resolves to the revision that is read', async () => {
  const id = (await admin.call('post', `/v1/spaces/${from}/change-requests`, {}).expect(201)).body.id
  const changes = [
    { operation: 'insert_page', title: 'Fresh', document: { markdown: `# Fresh\n\n[me](/spaces/${from}/fresh)\n` } },
  ]
  await admin.call('post', `/v1/spaces/${from}/change-requests/${id}/content`, { changes }).expect(200)
  const link = (await read(admin, `${from}/change-requests/${id}/links?status=in-app`)).items.find((one: Json) =>
    one.target.endsWith('/fresh'),
  )
  assert.is(link.targetReference.page.title, 'Fresh')
  const changeRequest = await read(admin, `${from}/change-requests/${id}`)
  assert.equal(link.targetReference.versionContext, { type: 'changeRequest', changeRequest })
})

test.run()

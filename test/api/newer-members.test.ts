/** Response members that newer clients request. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ChangeRequestDoc, changeRequests } from '../../src/model/index.js'
import { createBareRepository } from '../support/bare-repository.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('members for newer clients', startService)

const makeSpace = async (title: string): Promise<string> =>
  (await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)).body.id

interface Tree {
  object: string
  data: { schemaVersion: number }
  nodes: object[]
}

test('a change request returns its description as a block tree, from markdown or from a tree', async () => {
  const space = await makeSpace('Described')
  const url = `/v1/spaces/${space}/change-requests`
  const made = (
    await here.admin.call('post', url, { subject: 'One', description: 'Why, in **markdown**.' }).expect(201)
  ).body
  const tree = made.description as Tree
  assert.equal([made.space, made.unmetRules, tree.object, tree.nodes.length], [space, [], 'document', 1])
  const patch = async (description: unknown) =>
    (await here.admin.call('patch', `${url}/1`, { description }).expect(200)).body.description
  assert.is(await patch(null), null)
  assert.equal(await patch(tree), tree, 'a tree that was read can be written')
  assert.equal((await patch({ markdown: 'Other' })).nodes.length, 1)
  assert.is(await patch(''), null)
  assert.is((await here.admin.call('post', url).expect(201)).body.description, null)
  await here.admin.call('patch', `${url}/1`, { description: 'x'.repeat(10_001) }).expect(400)
  await here.admin
    .call('patch', `${url}/1`, { description: { object: 'document', data: {}, nodes: 'none' } })
    .expect(400)
})

test('a merged change request contains the merge time and the user who merged it', async () => {
  const space = await makeSpace('Merged')
  const url = `/v1/spaces/${space}/change-requests`
  const reviewer = await here.caller('review')
  const open = (await here.admin.call('post', url, { subject: 'One' }).expect(201)).body
  assert.equal([open.mergedBy, open.mergedAt], [undefined, undefined])
  await here.admin
    .call('post', `${url}/1/content`, {
      changes: [{ operation: 'insert_page', title: 'New', document: { markdown: '# New\n' } }],
    })
    .expect(200)
  await reviewer.call('post', `${url}/1/merge`).expect(200)
  const merged = (await here.admin.call('get', `${url}/1`).expect(200)).body
  assert.is(merged.mergedBy.id, reviewer.user)
  assert.ok(merged.mergedAt >= merged.createdAt)
  const { store } = here.service.app
  const {
    mergedBy: _by,
    mergedAt: _at,
    ...earlier
  } = (await store.get(changeRequests, merged.id)) as ChangeRequestDoc & { id: string; version: number }
  await store.replace(changeRequests, earlier)
  const derived = (await here.admin.call('get', `${url}/1`).expect(200)).body
  assert.equal([derived.mergedBy.id, typeof derived.mergedAt], [reviewer.user, 'string'], 'the merge commit has both')
})

test('a comment lists each user who replied once, in order of the first reply', async () => {
  const space = await makeSpace('Discussed')
  const url = `/v1/spaces/${space}/comments`
  const [first, second] = [await here.caller('comment'), await here.caller('comment')]
  const { id, repliers } = (await here.admin.call('post', url, { body: { markdown: 'What?' } }).expect(200)).body
  assert.equal(repliers, [])
  for (const who of [second, first, second])
    await who.call('post', `${url}/${id}/replies`, { body: { markdown: 'That.' } }).expect(200)
  const shown = (await here.admin.call('get', `${url}/${id}`).expect(200)).body
  assert.equal([shown.replies, shown.repliers.map((one: { id: string }) => one.id)], [3, [second.user, first.user]])
  assert.equal((await here.admin.call('get', url).expect(200)).body.items[0].repliers.length, 2)
})

test('members and commenters include the number of sites that they can see', async () => {
  const members = `/v1/orgs/${here.organization}/members`
  const [reader, guest] = [await here.caller('read'), await here.caller(null)]
  const counts = async () =>
    Promise.all(
      [reader, guest].map(
        async ({ user }) => (await here.admin.call('get', `${members}/${user}`).expect(200)).body.sites as number,
      ),
    )
  assert.equal(await counts(), [0, 0])
  await here.admin.call('post', `/v1/orgs/${here.organization}/sites`, { title: 'Docs' }).expect(201)
  assert.equal(await counts(), [1, 0])
  const space = await makeSpace('Commented')
  await here.admin.call('post', `/v1/spaces/${space}/comments`, { body: { markdown: 'x' } }).expect(200)
  assert.is((await here.admin.call('get', `/v1/spaces/${space}/commenters`).expect(200)).body.items[0].sites, 1)
})

test('a site includes its applied type, default level and permissions', async () => {
  const made = (
    await here.admin
      .call('post', `/v1/orgs/${here.organization}/sites`, { title: 'Shown', type: 'premium' })
      .expect(201)
  ).body
  assert.equal(
    [made.type, made.appliedType, made.defaultLevel, made.permissions.admin],
    ['premium', 'premium', 'inherit', true],
  )
  const reader = await here.caller('read')
  const seen = (await reader.call('get', `/v1/orgs/${here.organization}/sites/${made.id}`).expect(200)).body
  assert.equal([seen.permissions.view, seen.permissions.edit, seen.permissions.admin], [true, false, false])
})

test('a site includes its preview, and sign-in addresses with visitor authentication', async () => {
  const sites = `/v1/orgs/${here.organization}/sites`
  const { urls, id, permissions } = (
    await here.admin.call('post', sites, { title: 'Guarded', visibility: 'visitor-auth' }).expect(201)
  ).body
  assert.is(urls.published, undefined)
  const base = urls.preview.replace(/\/~preview\/[\w.-]+$/, '')
  assert.match(base, /\/guarded$/)
  assert.equal([urls.login, urls.logout], [`${base}/~auth/login`, `${base}/~auth/logout`])
  assert.equal([permissions.create, permissions.viewAdaptiveSchema, permissions.editAdaptiveSchema], [true, true, true])
  const open = (await here.admin.call('patch', `${sites}/${id}`, { visibility: 'public' }).expect(200)).body
  assert.equal([open.urls.preview, open.urls.login], [urls.preview, undefined])
})

test('a customization includes social accounts with their display, and code themes', async () => {
  const { id } = (await here.admin.call('post', `/v1/orgs/${here.organization}/sites`, { title: 'Styled' }).expect(201))
    .body
  const url = `/v1/orgs/${here.organization}/sites/${id}/customization`
  const usual = (await here.admin.call('get', url).expect(200)).body
  assert.equal([usual.socialAccounts, usual.styling.codeTheme], [[], { light: 'default-light', dark: 'default-dark' }])
  const chosen = {
    socialAccounts: [
      { platform: 'github', handle: 'bindery' },
      { platform: 'mastodon', handle: '@bindery', display: { header: true } },
    ],
    styling: { codeTheme: { light: 'github-light', dark: 'github-dark' } },
  }
  const shown = (await here.admin.call('put', url, chosen).expect(200)).body
  assert.equal(
    shown.socialAccounts.map(({ display }: { display: object }) => display),
    [
      { footer: true, header: false },
      { footer: true, header: true },
    ],
  )
  assert.equal(shown.styling.codeTheme, chosen.styling.codeTheme)
  await here.admin.call('put', url, { styling: { codeTheme: { light: 'a b', dark: 'x' } } }).expect(400)
})

test('a revision lists the tags of the space, and a layout has all its members', async () => {
  const remote = join(here.dir, 'tags.git')
  await createBareRepository(remote).then((made) =>
    made.commit({
      'README.md':
        '---\nlayout:\n  cover:\n    mask: radial\n  tags:\n    visible: false\n  anchors: false\n---\n# Home\n',
      '.gitbook/tags.yaml': '- tag: api\n  label: API\n  color: "#112233"\n  icon: code\n',
    }),
  )
  const space = await makeSpace('Tagged')
  await here.admin
    .call('post', `/v1/spaces/${space}/git/import`, { url: `file://${remote}`, ref: 'refs/heads/main' })
    .expect(204)
  await importEnd(space)
  const revision = (await here.admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body
  assert.equal(revision.tags, [{ slug: 'api', label: 'API', color: '#112233', icon: 'code' }])
  const usual = { width: 'default', cover: true, coverSize: 'full', title: true, description: true }
  const others = { tableOfContents: true, outline: true, pagination: true, metadata: true, actions: true }
  assert.equal(revision.pages[0].layout, { ...usual, ...others, coverMask: 'radial', tags: false, anchors: false })
})

test('the Git information of a space without a connection is empty', async () => {
  const space = await makeSpace('Unlinked')
  const info = (await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)).body
  assert.equal(Object.keys(info), [])
})

const importEnd = async (space: string): Promise<void> => {
  for (;;) {
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/git/info`).expect(200)
    if (body.state === 'success') return
    if (body.state !== 'queued' && body.state !== 'running') throw new Error(body.error)
  }
}

test('an organization includes its number of trials and the permission access', async () => {
  const { trial, permissions } = (await here.admin.call('get', `/v1/orgs/${here.organization}`).expect(200)).body
  assert.equal([trial.count, permissions.access], [0, true])
})

test('the permissions of a read-only token contain only reads', async () => {
  const secret = (await here.admin.call('post', '/v1/user/tokens', { label: 'reader', readOnly: true }).expect(201))
    .body.token
  const space = await makeSpace('Read only')
  const orgs = `/v1/orgs/${here.organization}`
  const site = (await here.admin.call('post', `${orgs}/sites`, { title: 'Read only' }).expect(201)).body.id
  const collection = (await here.admin.call('post', `${orgs}/collections`, { title: 'Read only' }).expect(201)).body.id
  const comment = (
    await here.admin.call('post', `/v1/spaces/${space}/comments`, { body: { markdown: 'x' } }).expect(200)
  ).body.id
  const team = (await here.admin.call('put', `${orgs}/teams`, { title: 'Read only' }).expect(201)).body.id
  const allowed = async (path: string, token: string): Promise<string[]> => {
    const response = await fetch(`${here.url}${path}`, { headers: { Authorization: `Bearer ${token}` } })
    assert.is(response.status, 200, path)
    const { permissions } = (await response.json()) as { permissions: Record<string, boolean> }
    return Object.keys(permissions).filter((name) => permissions[name])
  }
  const kept: [string, string[]][] = [
    [`/v1/spaces/${space}`, ['view', 'access', 'viewInviteLinks']],
    [orgs, ['view', 'access', 'viewBilling', 'listMembers', 'listTeams', 'listIntegrations', 'listInstallations']],
    [`${orgs}/sites/${site}`, ['view', 'access', 'viewInviteLinks', 'viewAdaptiveSchema']],
    [`/v1/collections/${collection}`, ['view', 'viewInviteLinks']],
    [`/v1/spaces/${space}/comments/${comment}`, ['view']],
    [`${orgs}/teams/${team}`, ['view']],
  ]
  for (const [path, names] of kept) {
    assert.equal(await allowed(path, secret), names, path)
    assert.ok((await allowed(path, here.admin.token)).length > names.length, path)
  }
})

test('the permissions in a locked space exclude edits and merges', async () => {
  const space = await makeSpace('Locked')
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  const { permissions } = (await here.admin.call('get', `/v1/spaces/${space}`).expect(200)).body
  assert.equal(
    [permissions.edit, permissions.merge, permissions.comment, permissions.admin],
    [false, false, true, true],
  )
})

test.run()

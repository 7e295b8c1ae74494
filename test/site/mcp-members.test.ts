// Tests the tools for members at the MCP server of a site, and their audit log entries.
import * as assert from 'uvu/assert'
import { callOf, connect, type McpClient, post, tokenFor } from '../support/mcp.js'
import { type Caller, startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish } from './support.js'

const PAGES = {
  Start: '# Start\n\nOne fish, two fish.\n',
  Ports: '# Ports\r\n\r\nUse port 80.\r\nThen restart.\r\n',
}

const [test, { here, site, at }] = await suiteWith('site: members at MCP', async () => {
  const here = await startService()
  const site = await publish(here, PAGES, { visibility: 'public', agentsContext: 'included' })
  return { here, site, at: `${site.address}/~mcp`, close: () => here.close() }
})

/** Connects as a new member with a role. */
async function connectAs(role: 'read' | 'comment' | 'edit'): Promise<{ client: McpClient; member: Caller }> {
  const member = await here.caller(role)
  const made = await member.call('post', '/v1/user/tokens', { label: 'MCP', scopes: ['mcp'] }).expect(201)
  return { client: await connect(at, { Authorization: `Bearer ${made.body.token}` }), member }
}

const drafts = async (): Promise<number> =>
  (await here.admin.call('get', `/v1/spaces/${site.space}/change-requests?status=draft`).expect(200)).body.count

const audit = async (operation: string) =>
  (await here.admin.call('get', `/v1/orgs/${here.organization}/audit-log?operation=${operation}`).expect(200)).body
    .items

test('a token is valid only in its scopes', async () => {
  const { Authorization } = await tokenFor(here)
  const denied = await here.admin.call('get', '/v1/user').set('Authorization', Authorization).expect(403)
  assert.match(denied.body.error.message, 'valid only at the MCP servers')
  const clone = await fetch(`${here.url}/git/${site.space}.git/info/refs?service=git-upload-pack`, {
    headers: { Authorization },
  })
  assert.is(clone.status, 403)
  const general = await post(at, callOf('list', {}), { Authorization: `Bearer ${here.admin.token}` })
  assert.is(general.status, 403)
  assert.match(general.json.error.message, '"scopes": ["mcp"]')
  const unknown = await post(at, callOf('list', {}), { Authorization: 'Bearer bindery_unknown' })
  assert.is(unknown.status, 401)
  const both = await tokenFor(here, { scopes: ['api', 'mcp'] })
  await here.admin.call('get', '/v1/user').set(both).expect(200)
  assert.ok((await connect(at, both)).tools.includes('propose'))
  const listed = (await here.admin.call('get', '/v1/user/tokens').expect(200)).body.items
  assert.equal(
    new Set(listed.map(({ scopes }: { scopes: string[] }) => scopes.join())),
    new Set(['api', 'mcp', 'api,mcp']),
  )
  await here.admin.call('post', '/v1/user/tokens', { label: 'None', scopes: [] }).expect(400)
})

test('edits are made in order, keep line ends, and only a text that occurs once is replaced', async () => {
  const { client } = await connectAs('edit')
  const { page } = (await client.call('read', { page: '/ports' })).json
  const edits = [
    { page, find: 'port 80.\nThen', replace: 'port 8080.\nThen' },
    { page, find: '8080', replace: '8443' },
    { page: '/start', markdown: '# Start\n\nThree fish.\n' },
  ]
  const { json } = await client.call('propose', { subject: 'New port', edits })
  const space = `/v1/spaces/${site.space}/change-requests/${json.changeRequest.id}/content/page`
  const ports = (await here.admin.call('get', `${space}/${page}?format=markdown`).expect(200)).body
  assert.is(ports.markdown, '# Ports\r\n\r\nUse port 8443.\r\nThen restart.\r\n')
  const before = await drafts()
  for (const [edit, message] of [
    [{ page: '/start', find: 'fish', replace: 'cat' }, /Edit 0: `find` occurs 2 times .* Add text before or after it/],
    [{ page: '/start', find: 'dog', replace: 'cat' }, /Edit 0: `find` occurs 0 times .* Read the source of the page/],
    [{ page: '/start', find: 'One', replace: 'One' }, /The edits change nothing/],
    [{ page: '/start', find: 'One' }, /Edit 0 needs either/],
    [{ page: '/start', find: 'One', replace: '1', markdown: '' }, /Edit 0 needs either/],
    [{ page: '/absent', find: 'One', replace: '1' }, /The page does not exist, or you may not see it/],
  ] as const) {
    const { isError, text } = await client.call('propose', { subject: 'Wrong', edits: [edit] })
    assert.ok(isError)
    assert.match(text, message)
  }
  const mixed = [edits[0], { page: '/start', find: 'dog', replace: 'cat' }]
  assert.match((await client.call('propose', { subject: 'Half', edits: mixed })).text, 'Edit 1')
  assert.is(await drafts(), before)
})

test("writes need the member's role, and a read-only token changes nothing", async () => {
  const { client } = await connectAs('read')
  const edits = [{ page: '/start', find: 'One', replace: '1' }]
  const before = await drafts()
  const denied = await client.call('propose', { subject: 'Count', edits })
  assert.ok(denied.isError)
  assert.match(
    denied.text,
    'You need the permission "space:edit" on the space, which the role edit has; your role is read',
  )
  assert.match((await client.call('comment', { page: '/start', text: 'Hi' })).text, '"space:comment"')
  const reading = await connect(at, await tokenFor(here, { readOnly: true }))
  assert.match((await reading.call('propose', { subject: 'Count', edits })).text, 'This token is read-only.')
  assert.match((await reading.call('read', { page: '/start', source: true })).text, 'One fish')
  assert.is(await drafts(), before)
  const stranger = await here.caller()
  const token = await stranger.call('post', '/v1/user/tokens', { label: 'MCP', scopes: ['mcp'] }).expect(201)
  const outside = await connect(at, { Authorization: `Bearer ${token.body.token}` })
  assert.match(
    (await outside.call('propose', { subject: 'Count', edits })).text,
    'does not exist, or you may not see it',
  )
  assert.match((await outside.call('read', { page: '/start', source: true })).text, 'or you may not see it')
})

test('comments and the status follow a change request, and the audit log records both writes', async () => {
  const { client, member } = await connectAs('edit')
  const edits = [{ page: '/start', find: 'One', replace: '1' }]
  const made = (await client.call('propose', { subject: 'Count', edits })).json
  const { id } = made.changeRequest
  const comment = (await client.call('comment', { changeRequest: id, page: '/start', text: 'Is *this* right?' })).json
  const onPage = (await client.call('comment', { page: '/start', text: 'A typo.' })).json
  const discussion = `/v1/spaces/${site.space}/change-requests/${id}/comments`
  const stored = (await here.admin.call('get', `${discussion}/${comment.comment}`).expect(200)).body
  assert.is(stored.postedBy.id, member.user)
  assert.is(stored.body.markdown, 'Is *this* right?')
  assert.match(onPage.address, new RegExp(`/s/${site.space}/p/\\w+#comment-${onPage.comment}$`))
  await here.admin.call('patch', `/v1/spaces/${site.space}`, { requiredApprovals: 1 }).expect(200)
  const main = { operation: 'update_page', page: made.pages[0].page, document: { markdown: '# Start\n\nNo fish.\n' } }
  await here.admin.call('post', `/v1/spaces/${site.space}/content`, { changes: [main] }).expect(200)
  const { json, text } = await client.call('status', { changeRequest: id })
  assert.is(json.changeRequest.status, 'draft')
  assert.equal(
    json.unmetRules.map(({ rule }: { rule: string }) => rule),
    ['required_approvals'],
  )
  assert.equal(json.conflicts.length, 1)
  assert.is(json.outdated, true)
  assert.is(json.comments, 1)
  assert.match(text, 'Conflicts with main')
  await here.admin.call('patch', `/v1/spaces/${site.space}`, { requiredApprovals: 0 }).expect(200)
  const [proposed] = await audit('mcpPropose')
  assert.is(proposed.actor.user, member.user)
  assert.is(proposed.status, 201)
  assert.is(proposed.resources.space, site.space)
  assert.match(proposed.created, id)
  assert.equal(proposed.members, ['subject', 'edits'])
  const [commented] = (await audit('mcpComment')).filter((one: { created?: string }) =>
    one.created?.includes(comment.comment),
  )
  assert.equal(commented.resources, { space: site.space, changeRequest: id })
  const refused = (await audit('mcpPropose')).filter((one: { outcome: string }) => one.outcome === 'refused')
  assert.ok(refused.length > 0)
  const none = await client.call('status', { changeRequest: 'absent' })
  assert.ok(none.isError)
})

test.run()

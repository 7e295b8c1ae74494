// Tests the MCP server of a site with the client of the SDK.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { publish, type PublishedSite, read, visitorToken } from './support.js'

const PAGES = {
  Start: '# Start\n\nWelcome to the guide.\n',
  Locks:
    '# Locks\n\nEvery lock needs a provider.\n\n## Choose a provider\n\nRedis keeps every lok.\n\n## Time-outs\n\nNone.\n',
}

const [test, here] = await suiteWith('site: MCP', startService)

/** The result of a tool. */
interface Result {
  isError: boolean
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own result, which the client checks against its schema
  json: any
}

/** Connects a client to the MCP server at an address. */
export async function connect(address: string, headers: Record<string, string> = {}) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }) as never)
  await client.listTools()
  const call = async (name: string, args: object = {}): Promise<Result> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } })
    const [part] = content as { text: string }[]
    return { isError: isError === true, text: part!.text, json: structuredContent }
  }
  return { client, call }
}

/** A published site that agents may read. */
const open = (pages: Readonly<Record<string, string>> = PAGES, settings: object = {}): Promise<PublishedSite> =>
  publish(here, pages, { visibility: 'public', agentsContext: 'included', ...settings })

/** Returns the secret of a new token of the first admin. */
async function tokenWith(settings: object): Promise<string> {
  return (await here.admin.call('post', '/v1/user/tokens', { label: 'MCP', ...settings }).expect(201)).body.token
}

test('a question is answered and a change request is opened in three calls', async () => {
  const site = await open()
  const { call } = await connect(`${site.address}/~mcp`, {
    Authorization: `Bearer ${await tokenWith({ scopes: ['mcp'] })}`,
  })
  const found = await call('search', { query: 'lock provider' })
  const [first] = found.json.results
  assert.is(first.title, 'Locks')
  assert.match(found.text, /\*\*lock\*\*/i)
  const page = await call('read', { page: first.address })
  assert.match(page.text, 'Redis keeps every lok.')
  assert.is(page.json.page, first.page)
  assert.match(page.json.commit, /^[0-9a-f]{40}$/)
  const made = await call('propose', {
    subject: 'Fix a typo',
    edits: [{ page: page.json.page, find: 'every lok', replace: 'every lock' }],
  })
  assert.not(made.isError, made.text)
  const { id, status, commit } = made.json.changeRequest
  assert.is(status, 'draft')
  const stored = await here.admin.call('get', `/v1/spaces/${site.space}/change-requests/${id}`).expect(200)
  assert.is(stored.body.createdBy.id, here.admin.user)
  assert.is(stored.body.revision, commit)
  assert.match((await read(`${site.address}/locks.md`)).text, 'every lok.')
})

test.run()

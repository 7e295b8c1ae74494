/** A client of MCP servers, from the SDK. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { TestService } from './service.js'

/** The result of a tool. The client has checked `json` against the output schema. */
export interface ToolResult {
  isError: boolean
  text: string
  json: any
}

/** A connected client. */
export interface McpClient {
  tools: string[]
  call(name: string, args?: object): Promise<ToolResult>
}

/** Connects a client to the MCP server at an address. Throws if the server does not accept it. */
export async function connect(address: string, headers: Record<string, string> = {}): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } })
  await client.connect(transport as Parameters<typeof client.connect>[0])
  const { tools } = await client.listTools()
  return {
    tools: tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: { ...args } })
      const [part] = content as { text: string }[]
      return { isError: isError === true, text: part!.text, json: structuredContent }
    },
  }
}

/** A response to a request that a test has written by hand. */
export interface RawResponse {
  status: number
  headers: Headers
  text: string
  json: any
}

/** Sends a body to an MCP server. Values other than strings are sent as JSON. */
export async function post(address: string, body: unknown, headers: Record<string, string> = {}): Promise<RawResponse> {
  const response = await fetch(address, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null }
}

/** A JSON-RPC request that calls a tool. */
export const callOf = (name: string, args: unknown, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

/** Returns the header with a new token of the first admin. By default, it is valid only at MCP servers. */
export async function tokenFor(here: TestService, settings: object = {}): Promise<{ Authorization: string }> {
  const body = { label: 'MCP', scopes: ['mcp'], ...settings }
  const made = await here.admin.call('post', '/v1/user/tokens', body).expect(201)
  return { Authorization: `Bearer ${made.body.token}` }
}

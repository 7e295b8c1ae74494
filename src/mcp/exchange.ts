/** Handles one request with the SDK. Each request has its own server and transport, because there are no sessions. */
import { setTimeout as wait } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv-provider.js'
import { own } from '../kernel/defined.js'
import { badRequest, ServiceError } from '../kernel/errors.js'
import { isRecord } from '../kernel/guards.js'
import { JSON_TYPE, MAX_MESSAGES, mcpError } from './json-rpc.js'
import type { McpRequest, McpResponse, McpServer, Tool, ToolOutcome } from './types.js'

/** Maximum time of a tool that only reads, in milliseconds. */
const MAX_READ_MS = 25_000
/** Maximum length of a message about arguments that do not match the schema, in characters. */
const MAX_FAULTS = 1_000
/** The request headers that the transport reads. */
const READ_HEADERS = ['accept', 'content-type', 'mcp-protocol-version']

/** Error codes with messages for the operator. */
const OPERATORS: ReadonlySet<string> = new Set(['internal', 'insufficient-storage'])

/** Compiles each schema of a declared tool once. */
const validator = new AjvJsonSchemaValidator()

/** Handles a request. */
export async function exchange<C>(server: McpServer<C>, context: C, request: McpRequest): Promise<McpResponse> {
  if (request.method !== 'POST')
    return mcpError(
      new ServiceError('method-not-allowed', 'Send JSON-RPC messages with POST. This server has no sessions.', {
        headers: { Allow: 'POST' },
      }),
    )
  const { body } = request
  if (Array.isArray(body) && (body.length === 0 || body.length > MAX_MESSAGES))
    return mcpError(badRequest(`Send 1 to ${MAX_MESSAGES} messages in one request.`))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const connected = serverOf(server, context)
  await connected.connect(transport)
  try {
    const sent = READ_HEADERS.map((name): [string, string] => [name, request.header(name)])
    const headers = sent.filter(([, value]) => value !== '')
    // Only the headers matter: the address is unknown here, and the body is already parsed.
    const response = await transport.handleRequest(new Request('http://localhost/', { method: 'POST', headers }), {
      parsedBody: body ?? null,
    })
    const text = await response.text()
    return { status: response.status, headers: text === '' ? {} : { 'Content-Type': JSON_TYPE }, body: text }
  } finally {
    await connected.close()
  }
}

function serverOf<C>({ name, title, version, instructions, tools, failed }: McpServer<C>, context: C): Server {
  const options = { capabilities: { tools: {} }, instructions, jsonSchemaValidator: validator }
  const made = new Server({ name, title, version }, options)
  made.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(describe) }))
  made.setRequestHandler(CallToolRequestSchema, async ({ params }): Promise<CallToolResult> => {
    const called = tools.find((one) => one.name === params.name)
    if (!called)
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no tool with this name. Call one of: ${tools.map((one) => one.name).join(', ')}.`,
      )
    const fault = faultOf(called, params.arguments ?? {})
    if (fault !== null) return failure(fault)
    try {
      const { result, text } = await run(called, context, params.arguments ?? {})
      return { content: [{ type: 'text', text }], structuredContent: result as Record<string, unknown> }
    } catch (error) {
      if (error instanceof ServiceError && !OPERATORS.has(error.code)) return failure(error.message)
      return failure(await failed(error, called.name))
    }
  })
  return made
}

const failure = (message: string): CallToolResult => ({ content: [{ type: 'text', text: message }], isError: true })

const describe = <C>({ name, title, description, input, output, changes }: Tool<C>) => ({
  name,
  title,
  description,
  inputSchema: input as unknown as { type: 'object' },
  outputSchema: output as unknown as { type: 'object' },
  annotations: { title, readOnlyHint: changes !== true, destructiveHint: false, openWorldHint: false },
})

/** Returns the differences between the arguments and a tool's schema. Null if they match. */
function faultOf<C>(called: Tool<C>, input: unknown): string | null {
  const { valid, errorMessage = '' } = validator.getValidator<unknown>(called.input as never)(input)
  if (valid) return null
  const unknown = unknownIn(called.input, input, 'arguments').map((name) => `${name} is unknown`)
  // The validator does not name unknown members.
  const others = errorMessage.split(', ').filter((fault) => !fault.endsWith(UNNAMED))
  const faults = [...unknown, ...others.map((fault) => fault.replace(/\bdata(?=[/ ])/g, 'arguments'))].join(', ')
  return `The arguments of ${called.name} are not valid: ${faults.slice(0, MAX_FAULTS)}. See the input schema of the tool.`
}

/** The end of the validator's message about a member that a schema does not have. */
const UNNAMED = 'must NOT have additional properties'
/** Maximum length of the name of an unknown member in a message, in characters. */
const MAX_NAME = 50

/** The parts of a schema that define its members. */
interface Shape {
  properties?: Readonly<Record<string, unknown>>
  additionalProperties?: unknown
  items?: unknown
}

const isShape = (schema: unknown): schema is Shape => isRecord(schema)

/** Lists the members that a schema does not define, by their path. */
function unknownIn(shape: unknown, value: unknown, at: string): string[] {
  if (!isShape(shape)) return []
  if (Array.isArray(value)) return value.flatMap((one, n) => unknownIn(shape.items, one, `${at}/${n}`))
  const { properties } = shape
  if (!properties || !isRecord(value)) return []
  return Object.keys(value).flatMap((name) => {
    const place = `${at}/${name.slice(0, MAX_NAME)}`
    const member = own(properties, name)
    if (member !== undefined) return unknownIn(member, value[name], place)
    return shape.additionalProperties === false ? [place] : []
  })
}

/** Runs a tool. Tools that only read have a time limit. */
async function run<C>(called: Tool<C>, context: C, input: object): Promise<ToolOutcome> {
  const work = called.run(context, input as never)
  if (called.changes) return work
  const over = new AbortController()
  const late = wait(MAX_READ_MS, null, { signal: over.signal }).then(() => {
    throw new ServiceError('request-timeout', `${called.name} took too long. Ask for less, or try again in a minute.`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {})
    work.catch(() => {})
    over.abort()
  }
}

/** The entry point of mcp/: handles requests of the Model Context Protocol with declared tools. */
import type { McpRequest, McpResponse, McpServer } from './types.js'

export { mcpError, messagesIn } from './json-rpc.js'
export { fitting, tool } from './tool.js'
export type { McpRequest, McpResponse, McpServer, Tool, ToolOutcome } from './types.js'

/** Maximum size of a request body in bytes. */
export const MAX_MCP_BODY = 1024 * 1024

/**
 * Responds to a request with JSON, without a session. The SDK is loaded with the first request, because it needs 25 MB of
 * memory. Never rejects because of an error in a tool: the client gets it as the result of its call.
 */
export async function answerMcp<C>(server: McpServer<C>, context: C, request: McpRequest): Promise<McpResponse> {
  const { exchange } = await import('./exchange.js')
  return exchange(server, context, request)
}

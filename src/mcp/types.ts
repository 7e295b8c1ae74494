/** The types of MCP servers: tools, and the requests and responses of their transport. */
import type { Static, TObject } from '@sinclair/typebox'

/** The result of a tool: as JSON that matches the output schema, and as text for a model. */
export interface ToolOutcome<R = unknown> {
  result: R
  text: string
}

/** A tool for callers with a context `C`. Declare it with `tool`, once for all requests. */
export interface Tool<C, I extends TObject = TObject, O extends TObject = TObject> {
  name: string
  title: string
  /** The purpose of the tool, for the model. */
  description: string
  input: I
  output: O
  /** Whether it changes something. A change is never interrupted. */
  changes?: true
  /** Throws `ServiceError`, whose message the model gets as the result. */
  run(context: C, input: Static<I>): Promise<ToolOutcome<Static<O>>>
}

/** An MCP server. */
export interface McpServer<C> {
  name: string
  title: string
  version: string
  /** Describes the server and the use of its tools to the model. */
  instructions: string
  tools: readonly Tool<C>[]
  /** Returns the message for an unexpected error of a tool, and logs it. */
  failed(error: unknown, tool: string): Promise<string>
}

/** A request with its parsed body. */
export interface McpRequest {
  method: string
  /** Returns a header; '' if it is absent. */
  header(name: string): string
  body: unknown
}

export interface McpResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

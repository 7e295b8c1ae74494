/**
 * The displayed parts of a specification version: its operations, webhooks and schemas, each limited in size when the
 * version was processed.
 */

/** A schema as it is displayed. */
export interface ShownSchema {
  /** The type in words: `string (uuid)`, `array of Pet`, the name of a schema. */
  type: string
  description?: string
  /** Further constraints as short texts: `nullable`, `at least 1`, `default: 5`. */
  facts?: string[]
  /** Values as JSON. */
  enum?: string[]
  properties?: ShownProperty[]
  /** The schema of array items or map values, if it has more details than its type. */
  inner?: ShownSchema
  /** Schemas of which one, any or all apply. */
  choice?: { of: 'one' | 'any' | 'all'; schemas: ShownSchema[] }
  /** The reason why a part is omitted. */
  cut?: 'circle' | 'deep' | 'long'
  /** Number of omitted properties, values or schemas of a choice. */
  left?: number
}

export interface ShownProperty {
  name: string
  required: boolean
  schema: ShownSchema
}

export interface ShownParameter extends ShownProperty {
  in: string
  description?: string
  deprecated?: true
  example?: string
}

/** The content of a body or a response in one media type. */
export interface ShownContent {
  type: string
  schema?: ShownSchema
  examples: { name?: string; text: string }[]
}

export interface ShownResponse {
  status: string
  description?: string
  headers: ShownProperty[]
  contents: ShownContent[]
}

/** An operation of a path, or (with `webhook`) of a webhook. */
export interface ShownOperation {
  kind: 'operation'
  /** In uppercase. */
  method: string
  /** For a webhook, its name. */
  path: string
  webhook?: true
  title: string
  /** Absent if it equals the title. */
  summary?: string
  description?: string
  deprecated?: true
  servers: string[]
  /** Names of security schemes. The schemes of one alternative are joined by ` and `. */
  security: string[]
  parameters: ShownParameter[]
  body?: { required: boolean; description?: string; contents: ShownContent[] }
  responses: ShownResponse[]
  /** Number of omitted parameters, responses and media types. */
  left: number
}

/** A named schema of the specification. */
export interface ShownModel {
  kind: 'schema'
  name: string
  schema: ShownSchema
}

/** The position of a part in the file of parts, in bytes. */
export interface PartPlace {
  at: number
  length: number
  /** Hash of its bytes. */
  hash: string
}

export interface IndexedOperation extends PartPlace {
  /** In uppercase. */
  method: string
  path: string
  id?: string
  title: string
  /** The index of its first tag in `tags`; absent without a tag. */
  tag?: number
}

export interface IndexedWebhook extends PartPlace {
  method: string
  name: string
}

export interface IndexedModel extends PartPlace {
  name: string
}

/** The index of the file of parts, for page trees and blocks. */
export interface PartIndex {
  title: string
  tags: { name: string; description?: string }[]
  operations: IndexedOperation[]
  webhooks: IndexedWebhook[]
  schemas: IndexedModel[]
  /** Number of operations, webhooks and schemas of the document that have no part. */
  left: { operations: number; webhooks: number; schemas: number }
}

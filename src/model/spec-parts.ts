/** What readers see of a version of a specification: its operations, webhooks and schemas, each cut to bounds when the version was processed. */

/** A schema as it is shown. */
export interface ShownSchema {
  /** In words: `string (uuid)`, `array of Pet`, the name of a schema. */
  type: string
  description?: string
  /** Further facts as short texts: `nullable`, `at least 1`, `default: 5`. */
  facts?: string[]
  /** Values as JSON. */
  enum?: string[]
  properties?: ShownProperty[]
  /** Of the items of an array, or the values of a map, if there is more to say of them than their type. */
  inner?: ShownSchema
  /** Schemas of which one, any or all apply. */
  choice?: { of: 'one' | 'any' | 'all'; schemas: ShownSchema[] }
  /** What is left out, and why. */
  cut?: 'circle' | 'deep' | 'long'
  /** Properties, values or schemas of a choice that are left out. */
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
  /** Upper case. */
  method: string
  /** Of a webhook: its name. */
  path: string
  webhook?: true
  title: string
  /** Absent if it is the title. */
  summary?: string
  description?: string
  deprecated?: true
  servers: string[]
  /** Names of security schemes, those of one alternative joined by ` and `. */
  security: string[]
  parameters: ShownParameter[]
  body?: { required: boolean; description?: string; contents: ShownContent[] }
  responses: ShownResponse[]
  /** Parameters, responses and media types that are left out. */
  left: number
}

/** A schema that has a name in the specification. */
export interface ShownModel {
  kind: 'schema'
  name: string
  schema: ShownSchema
}

/** Where a part is in the file of parts: bytes from its beginning. */
export interface PartPlace {
  at: number
  length: number
  /** Of its bytes. */
  hash: string
}

export interface IndexedOperation extends PartPlace {
  /** Upper case. */
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

/** The index of the file of parts, for trees of pages and for blocks. */
export interface PartIndex {
  title: string
  tags: { name: string; description?: string }[]
  operations: IndexedOperation[]
  webhooks: IndexedWebhook[]
  schemas: IndexedModel[]
  /** Operations, webhooks and schemas of the document that have no part. */
  left: { operations: number; webhooks: number; schemas: number }
}

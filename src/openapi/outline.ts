/**
 * Outlines a specification: its operations and schemas with the members that clients depend on, for comparisons and
 * pages.
 */
import { createHash } from 'node:crypto'
import { itemsOf, membersOf, METHODS, resolveIn } from './values.js'
import { isRecord } from '../kernel/guards.js'
import { fromNames } from '../kernel/defined.js'

/** Maximum number of enumeration values that are compared. */
const MAX_ENUM = 200

export interface Parameter {
  name: string
  in: string
  required: boolean
  type: string
  enum?: string[]
}

export interface Operation {
  /** In upper case. */
  method: string
  path: string
  operationId?: string
  tags: string[]
  summary?: string
  deprecated: boolean
  parameters: Parameter[]
  body?: { required: boolean; types: string[] }
  /** Media types by status. */
  responses: Record<string, string[]>
  /** The hash of all members of the operation. */
  hash: string
}

export interface SchemaOutline {
  name: string
  type: string
  required: string[]
  /** Types by property name. */
  properties: Record<string, string>
  enum?: string[]
  hash: string
}

/** Its size is limited by that of the document. */
export interface Outline {
  openapi: string
  title: string
  version: string
  tags: { name: string; description?: string }[]
  operations: Operation[]
  schemas: SchemaOutline[]
}

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20)
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const optional = <K extends string>(key: K, value: unknown): Partial<Record<K, string>> =>
  typeof value === 'string' && value !== '' ? fromNames([key], () => value) : {}

const enumOf = (schema: Record<string, unknown> | null): { enum?: string[] } =>
  Array.isArray(schema?.enum) ? { enum: schema.enum.slice(0, MAX_ENUM).map((one) => JSON.stringify(one)) } : {}

/** Returns a short name for a schema's type: the schema that it refers to, or its own type. */
function typeOf(schema: unknown): string {
  if (!isRecord(schema)) return schema === false ? 'none' : 'any'
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  const type = Array.isArray(schema.type) ? schema.type.map(String).sort().join(' | ') : textOf(schema.type)
  if (type === 'array') return `array of ${typeOf(schema.items)}`
  const format = textOf(schema.format)
  return type === '' ? 'any' : format === '' ? type : `${type} (${format})`
}

/** Outlines a bundled document. */
export function outlineOf(document: Record<string, unknown>): Outline {
  const info = isRecord(document.info) ? document.info : {}
  const operations: Operation[] = []
  for (const [path, item] of membersOf(document.paths)) {
    const shared = resolveIn(document, item)
    if (!shared || path.startsWith('x-')) continue
    for (const method of METHODS)
      if (isRecord(shared[method]))
        operations.push(operationOf(document, { method, path, operation: shared[method], shared }))
    for (const [method, operation] of membersOf(shared.additionalOperations))
      if (isRecord(operation)) operations.push(operationOf(document, { method, path, operation, shared }))
  }
  const components = isRecord(document.components) ? document.components.schemas : undefined
  return {
    openapi: textOf(document.openapi) || textOf(document.swagger),
    title: textOf(info.title),
    version: textOf(info.version),
    tags: itemsOf(document.tags).flatMap((tag) =>
      isRecord(tag) && typeof tag.name === 'string'
        ? [{ name: tag.name, ...optional('description', tag.description) }]
        : [],
    ),
    operations,
    schemas: membersOf(components ?? document.definitions).map(([name, schema]) => schemaOf(document, name, schema)),
  }
}

interface OutlineMatch {
  method: string
  path: string
  operation: Record<string, unknown>
  /** The path item. */
  shared: Record<string, unknown>
}

function operationOf(document: Record<string, unknown>, { method, path, operation, shared }: OutlineMatch): Operation {
  const parameters = new Map<string, Record<string, unknown>>()
  for (const one of [...itemsOf(shared.parameters), ...itemsOf(operation.parameters)]) {
    const parameter = resolveIn(document, one)
    if (parameter) parameters.set(`${textOf(parameter.in)} ${textOf(parameter.name)}`, parameter)
  }
  const all = [...parameters.values()]
  const body = bodyOf(document, operation, all)
  return {
    method: method.toUpperCase(),
    path,
    ...optional('operationId', operation.operationId),
    tags: itemsOf(operation.tags).filter((tag) => typeof tag === 'string'),
    ...optional('summary', operation.summary),
    deprecated: operation.deprecated === true,
    parameters: all.filter((one) => one.in !== 'body').map((one) => parameterOf(document, one)),
    ...(body ? { body } : {}),
    responses: Object.fromEntries(
      membersOf(operation.responses).map(([status, one]) => [status, mediaTypesOf(document, one, operation)]),
    ),
    hash: hashOf([operation, shared.parameters ?? null]),
  }
}

function parameterOf(document: Record<string, unknown>, parameter: Record<string, unknown>): Parameter {
  const schema = parameter.schema ?? parameter
  return {
    name: textOf(parameter.name),
    in: textOf(parameter.in),
    required: parameter.required === true,
    type: typeOf(schema),
    ...enumOf(resolveIn(document, schema)),
  }
}

/** Returns the body of a request. In Swagger 2.0, it is a parameter. */
function bodyOf(
  document: Record<string, unknown>,
  operation: Record<string, unknown>,
  parameters: Record<string, unknown>[],
): Operation['body'] {
  const body = resolveIn(document, operation.requestBody)
  if (body) return { required: body.required === true, types: membersOf(body.content).map(([type]) => type) }
  const earlier = parameters.find((one) => one.in === 'body')
  return (
    earlier && {
      required: earlier.required === true,
      types: itemsOf(operation.consumes ?? document.consumes).map(String),
    }
  )
}

function mediaTypesOf(
  document: Record<string, unknown>,
  response: unknown,
  operation: Record<string, unknown>,
): string[] {
  const found = resolveIn(document, response)
  if (found?.content !== undefined) return membersOf(found.content).map(([type]) => type)
  return found?.schema === undefined ? [] : itemsOf(operation.produces ?? document.produces).map(String)
}

function schemaOf(document: Record<string, unknown>, name: string, schema: unknown): SchemaOutline {
  const found = resolveIn(document, schema)
  return {
    name,
    type: typeOf(schema),
    required: itemsOf(found?.required).filter((one) => typeof one === 'string'),
    properties: Object.fromEntries(membersOf(found?.properties).map(([key, one]) => [key, typeOf(one)])),
    ...enumOf(found),
    hash: hashOf(schema),
  }
}

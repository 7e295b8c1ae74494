/** Converts an operation to its displayed form. */
import type { ShownContent, ShownOperation, ShownParameter, ShownProperty, ShownResponse } from '../model/index.js'
import { MAX_LENGTHS, MAX_ITEMS, ShowBudget } from './show-budget.js'
import { type SchemaContext, showSchema } from './show-schema.js'
import { itemsOf, membersOf, resolveIn } from './values.js'
import { defined } from '../kernel/defined.js'
import { isRecord } from '../kernel/guards.js'

type Value = Record<string, unknown>

/** An operation and its context in a document. */
export interface FoundOperation {
  document: Value
  method: string
  /** For a webhook, its name. */
  path: string
  webhook?: true
  operation: Value
  /** The path item. */
  shared: Value
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the title of an operation: its summary, else its ID, else method and path. */
export function titleOf({ method, path, operation }: FoundOperation): string {
  const name = [operation.summary, operation.operationId]
    .map(
      (one) =>
        textOf(one)
          .trim()
          .split(/[\r\n]/)[0] ?? '',
    )
    .find((one) => one !== '')
  const title = (name ?? `${method.toUpperCase()} ${path}`).replace(/\p{Cc}+/gu, ' ')
  return title.length <= MAX_LENGTHS.name ? title : `${title.slice(0, MAX_LENGTHS.name - 1)}…`
}

/** Returns the displayed form of an operation, within limits. */
export function showOperation(found: FoundOperation): ShownOperation {
  const { document, method, path, operation, shared } = found
  const budget = new ShowBudget()
  const around: SchemaContext = { document, budget, followed: [], level: 0 }
  const title = titleOf(found)
  const parameters = parametersOf(found)
  const named = parameters.filter((one) => one.in !== 'body' && one.in !== 'formData')
  const responses = membersOf(operation.responses)
  const summary = textOf(operation.summary).trim()
  const body = bodyOf(found, parameters, around)
  const left = Math.max(0, named.length - MAX_ITEMS.parameters) + Math.max(0, responses.length - MAX_ITEMS.responses)
  return {
    kind: 'operation',
    method: method.toUpperCase(),
    path,
    ...(found.webhook ? { webhook: true } : {}),
    title,
    ...(summary === title ? {} : budget.member('summary', summary, MAX_LENGTHS.description)),
    ...budget.member('description', operation.description, MAX_LENGTHS.about),
    ...(operation.deprecated === true ? { deprecated: true } : {}),
    servers: serversOf(found, budget),
    security: securityOf(operation.security ?? document.security, budget),
    parameters: named.slice(0, MAX_ITEMS.parameters).map((one) => parameter(one, around)),
    ...(body ? { body } : {}),
    responses: responses
      .slice(0, MAX_ITEMS.responses)
      .flatMap(([status, one]) => response(status, one, { ...found, shared }, around)),
    left,
  }
}

/** Returns the parameters of path item and operation. The operation's own parameters take precedence. */
function parametersOf({ document, operation, shared }: FoundOperation): Value[] {
  const all = new Map<string, Value>()
  for (const one of [...itemsOf(shared.parameters), ...itemsOf(operation.parameters)]) {
    const found = resolveIn(document, one)
    if (found) all.set(`${textOf(found.in)} ${textOf(found.name)}`, found)
  }
  return [...all.values()]
}

function parameter(one: Value, around: SchemaContext): ShownParameter {
  const { budget } = around
  const [content] = membersOf(one.content)
  const schema = one.schema ?? (isRecord(content?.[1]) ? content[1].schema : one)
  const example = one.example ?? examplesOf(one, around)[0]
  // In Swagger 2.0, a parameter is its own schema.
  const { description: _told, example: _shown, ...itself } = one
  return {
    name: budget.text(textOf(one.name), MAX_LENGTHS.name),
    in: budget.text(textOf(one.in), MAX_LENGTHS.type),
    required: one.required === true,
    ...budget.member('description', one.description, MAX_LENGTHS.description),
    ...(one.deprecated === true ? { deprecated: true } : {}),
    ...(example === undefined ? {} : { example: budget.json(example, MAX_LENGTHS.value) }),
    schema: showSchema(schema === one ? itself : schema, around),
  }
}

/** Returns the body of a request. In Swagger 2.0, it is written as parameters. */
function bodyOf(
  { document, operation }: FoundOperation,
  parameters: Value[],
  around: SchemaContext,
): ShownOperation['body'] {
  const { budget } = around
  const body = resolveIn(document, operation.requestBody)
  if (body)
    return {
      required: body.required === true,
      ...budget.member('description', body.description, MAX_LENGTHS.description),
      contents: contentsOf(body.content, around),
    }
  const types = itemsOf(operation.consumes ?? document.consumes).filter((one) => typeof one === 'string')
  const earlier = parameters.find((one) => one.in === 'body')
  const type = budget.text(types[0] ?? 'application/json', MAX_LENGTHS.type)
  if (earlier) {
    const content = { type, schema: showSchema(earlier.schema, around), examples: [] }
    return {
      required: earlier.required === true,
      ...budget.member('description', earlier.description, MAX_LENGTHS.description),
      contents: [content],
    }
  }
  const fields = parameters.filter((one) => one.in === 'formData')
  if (fields.length === 0) return undefined
  const properties = fields.slice(0, MAX_ITEMS.properties).map((one): ShownProperty => {
    const { name, required, schema, description } = parameter(one, around)
    return { name, required, schema: { ...schema, ...defined({ description }) } }
  })
  const form = {
    type: types[0] === undefined ? 'multipart/form-data' : type,
    schema: { type: 'object', properties },
    examples: [],
  }
  return { required: fields.some((one) => one.required === true), contents: [form] }
}

function response(
  status: string,
  one: unknown,
  { document, operation }: FoundOperation,
  around: SchemaContext,
): ShownResponse[] {
  const { budget } = around
  const found = resolveIn(document, one)
  if (!found || status.startsWith('x-')) return []
  const headers = membersOf(found.headers).slice(0, MAX_ITEMS.headers)
  return [
    {
      status: budget.text(status, MAX_LENGTHS.type),
      ...budget.member('description', found.description ?? found.summary, MAX_LENGTHS.description),
      headers: headers.flatMap(([name, header]) => {
        const resolved = resolveIn(document, header)
        return resolved
          ? [
              {
                name: budget.text(name, MAX_LENGTHS.name),
                required: resolved.required === true,
                schema: showSchema(resolved.schema ?? resolved, around),
              },
            ]
          : []
      }),
      contents:
        found.content === undefined
          ? earlierContents(found, operation.produces ?? document.produces, around)
          : contentsOf(found.content, around),
    },
  ]
}

/** Returns the content of a Swagger 2.0 response. */
function earlierContents({ schema, examples }: Value, produces: unknown, around: SchemaContext): ShownContent[] {
  if (schema === undefined) return []
  const type = itemsOf(produces).find((one) => typeof one === 'string') ?? 'application/json'
  const texts = membersOf(examples)
    .slice(0, MAX_ITEMS.examples)
    .map(([name, value]) => ({
      name: around.budget.text(name, MAX_LENGTHS.name),
      text: around.budget.json(value, MAX_LENGTHS.example),
    }))
  return [
    { type: around.budget.text(String(type), MAX_LENGTHS.type), schema: showSchema(schema, around), examples: texts },
  ]
}

const contentsOf = (content: unknown, around: SchemaContext): ShownContent[] =>
  membersOf(content)
    .slice(0, MAX_ITEMS.contents)
    .flatMap(([type, one]) => {
      const media = resolveIn(around.document, one)
      if (!media) return []
      const schema = media.schema ?? media.itemSchema
      return [
        {
          type: around.budget.text(type, MAX_LENGTHS.type),
          ...(schema === undefined ? {} : { schema: showSchema(schema, around) }),
          examples: exampleTexts(media, around),
        },
      ]
    })

/** Returns the values in `examples` of a parameter or a media type. */
const examplesOf = ({ examples }: Value, { document }: SchemaContext): unknown[] =>
  membersOf(examples)
    .slice(0, MAX_ITEMS.examples)
    .flatMap(([, one]) => exampleValue(resolveIn(document, one)) ?? [])

/** Returns the value of an example. From OpenAPI 3.2 on, it may also be given as data or in serialized form. */
const exampleValue = (example: Value | null): unknown =>
  [example?.value, example?.dataValue, example?.serializedValue].find((value) => value !== undefined)

function exampleTexts(media: Value, around: SchemaContext): ShownContent['examples'] {
  const { budget, document } = around
  if (media.example !== undefined) return [{ text: budget.json(media.example, MAX_LENGTHS.example) }]
  const named = membersOf(media.examples)
    .slice(0, MAX_ITEMS.examples)
    .flatMap(([name, one]) => {
      const value = exampleValue(resolveIn(document, one))
      return value === undefined
        ? []
        : [{ name: budget.text(name, MAX_LENGTHS.name), text: budget.json(value, MAX_LENGTHS.example) }]
    })
  const own = resolveIn(document, media.schema)?.example
  return named.length > 0 || own === undefined ? named : [{ text: budget.json(own, MAX_LENGTHS.example) }]
}

function serversOf({ document, operation, shared }: FoundOperation, budget: ShowBudget): string[] {
  const servers = [operation.servers, shared.servers, document.servers].find((one) => itemsOf(one).length > 0)
  const urls = itemsOf(servers).flatMap((one) => (isRecord(one) && typeof one.url === 'string' ? [one.url] : []))
  const earlier =
    typeof document.host === 'string'
      ? [`${textOf(itemsOf(document.schemes)[0]) || 'https'}://${document.host}${textOf(document.basePath)}`]
      : []
  return (urls.length > 0 ? urls : earlier).slice(0, MAX_ITEMS.servers).map((url) => budget.text(url, MAX_LENGTHS.fact))
}

const securityOf = (security: unknown, budget: ShowBudget): string[] =>
  itemsOf(security)
    .slice(0, MAX_ITEMS.security)
    .map((one) =>
      budget.text(
        membersOf(one)
          .map(([name]) => name)
          .join(' and ') || 'none',
        MAX_LENGTHS.fact,
      ),
    )

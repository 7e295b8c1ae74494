/** Converts an operation or a schema of a specification to blocks. */
import { own } from '../../kernel/defined.js'
import type { ShownContent, ShownModel, ShownOperation, ShownParameter, ShownResponse } from '../../model/index.js'
import type { BlockNode } from '../types.js'
import { bold, code, fence, type Inline, italic, item, list, paragraph, words } from './nodes.js'
import { nameLine, schemaBlocks, typeLine } from './schema-blocks.js'
import { untrustedBlocks } from './stranger.js'

const LOCATION_TITLES: Readonly<Record<string, string>> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
  cookie: 'Cookies',
  querystring: 'Query string',
}

/** Returns the blocks for an operation or a schema. */
export const partBlocks = (part: ShownOperation | ShownModel): BlockNode[] =>
  part.kind === 'operation' ? operationBlocks(part) : modelBlocks(part)

const modelBlocks = ({ name, schema }: ShownModel): BlockNode[] => [
  paragraph(code(name), words(' '), ...typeLine(schema)),
  ...schemaBlocks(schema),
]

function operationBlocks(one: ShownOperation): BlockNode[] {
  const { summary, description, deprecated, servers, security, parameters, body, responses, left } = one
  return [
    ...(deprecated ? [paragraph(bold('Deprecated.'))] : []),
    ...(summary === undefined ? [] : [paragraph(words(summary))]),
    ...(description === undefined ? [] : untrustedBlocks(description)),
    ...(servers.length === 0 ? [] : [paragraph(bold('Servers:'), words(' '), ...joined(servers, ', '))]),
    ...(security.length === 0 ? [] : [paragraph(bold('Authorization:'), words(' '), ...joined(security, ' or '))]),
    ...parameterBlocks(parameters),
    ...(body
      ? [
          paragraph(bold('Request body'), words(body.required ? ', required' : '')),
          ...descriptionBlocks(body.description),
          ...contentBlocks(body.contents),
        ]
      : []),
    ...(responses.length === 0 ? [] : [paragraph(bold('Responses')), ...list(responses.map(responseItem))]),
    ...(left > 0 ? [paragraph(italic(`${left} more parameters or responses are not shown.`))] : []),
  ]
}

const joined = (values: readonly string[], between: string): Inline[] =>
  values.flatMap((one, at) => [...(at > 0 ? [words(between)] : []), code(one)])

const descriptionBlocks = (description: string | undefined): BlockNode[] =>
  description === undefined ? [] : untrustedBlocks(description)

/** Returns the parameters by location, in the order in which the locations first occur. */
function parameterBlocks(parameters: readonly ShownParameter[]): BlockNode[] {
  const places = [...new Set(parameters.map((one) => one.in))]
  return places.flatMap((place) => [
    paragraph(bold(own(LOCATION_TITLES, place) ?? 'Parameters')),
    ...list(parameters.filter((one) => one.in === place).map(parameterItem)),
  ])
}

function parameterItem(one: ShownParameter): BlockNode {
  const facts = [
    ...(one.deprecated ? ['deprecated'] : []),
    ...(one.example === undefined ? [] : [`example: ${one.example}`]),
  ]
  return item(paragraph(...nameLine(one, facts)), ...descriptionBlocks(one.description), ...schemaBlocks(one.schema))
}

function responseItem({ status, description, headers, contents }: ShownResponse): BlockNode {
  return item(
    paragraph(code(status)),
    ...descriptionBlocks(description),
    ...(headers.length === 0
      ? []
      : [
          paragraph(words('Headers:')),
          ...list(headers.map((one) => item(paragraph(...nameLine(one)), ...schemaBlocks(one.schema)))),
        ]),
    ...contentBlocks(contents),
  )
}

const contentBlocks = (contents: readonly ShownContent[]): BlockNode[] =>
  contents.flatMap(({ type, schema, examples }) => [
    paragraph(code(type), ...(schema ? [words(' '), ...typeLine(schema)] : [])),
    ...(schema ? schemaBlocks(schema) : []),
    ...examples.flatMap(({ name, text }) => [
      paragraph(words(name === undefined ? 'Example:' : `Example ${name}:`)),
      fence(text, syntaxOf(type)),
    ]),
  ])

const syntaxOf = (type: string): string | undefined =>
  /json/i.test(type) ? 'json' : /xml/i.test(type) ? 'xml' : /ya?ml/i.test(type) ? 'yaml' : undefined

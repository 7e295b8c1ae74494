/** Renders operations and schemas of APIs on pages of sites. */
import { type NamedPart, readNamedPartOf, targetOf } from '../../content/specs/named-part.js'
import { untrustedBlocks } from '../../content/specs/stranger.js'
import type { BlockNode } from '../../content/types.js'
import type { ShownContent, ShownModel, ShownOperation, ShownParameter, ShownResponse } from '../../model/index.js'
import { apiBlocks } from '../api-blocks.js'
import { h } from '../element.js'
import { type BlockRenderer, type Html, type HtmlElement, type RenderContext, textOf } from '../types.js'
import { examplePanel } from './api-example.js'
import { paramItem, schemaBody } from './api-schema.js'
import { symbol } from './icon.js'
import { inlinesIn, inside, word, written } from './text.js'

const METHOD = /^[a-z]{1,10}$/i
const PLACES = ['path', 'query', 'header', 'cookie'] as const
const text = (value: string): Html => ({ type: 'text', value })

/** Renders a description from a specification, which is not trusted. */
const about = (description: string | undefined, context: RenderContext): Html[] =>
  description === undefined ? [] : context.blocks(untrustedBlocks(description))

/** Renders the line with method and path. */
function operationLine(method: string, path: string, context: RenderContext): HtmlElement {
  const pieces = path
    .split(/(\{[^{}]{1,200}\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('{') ? h('b', {}, piece) : text(piece)))
  const copy = { className: ['btn-i'], type: 'button', dataCopy: true, ariaLabel: word(context, 'copyAddress') }
  return h(
    'div',
    { className: ['op'], dir: 'ltr' },
    METHOD.test(method) ? h('span', { className: ['method', method.toLowerCase()] }, method.toUpperCase()) : null,
    h('span', { className: ['path'] }, pieces),
    h('button', copy, symbol('copy', context)),
  )
}

/** Creates a heading of a part. On a page with one operation, its parts are the sections of the page. */
const partHeading = (title: string, note: string, { headings }: RenderContext): HtmlElement =>
  h(headings.length === 0 ? 'h2' : 'h3', { className: ['part'] }, title, note ? h('small', {}, note) : null)

function parameterLists(parameters: readonly ShownParameter[], context: RenderContext): Html[] {
  const places = [...new Set(parameters.map((one) => one.in))]
  return places.flatMap((place) => {
    const known = PLACES.find((name) => name === place)
    const items = parameters.filter((one) => one.in === place).map((one) => paramItem(one, context))
    return [
      partHeading(word(context, known ?? 'parameters'), '', context),
      h('ul', { className: ['params', 'plain'] }, items),
    ]
  })
}

function contentBody({ schema }: ShownContent, context: RenderContext): Html[] {
  return schema ? schemaBody(schema, context) : []
}

/** Renders the media type and the type of a content, unless they are the usual ones. */
function typeLine({ type, schema }: ShownContent, isOneOfSeveral: boolean): Html[] {
  const media = isOneOfSeveral || type !== 'application/json' ? [h('code', { dir: 'ltr' }, type)] : []
  const shape = schema && schema.type !== 'object' ? [h('span', {}, schema.type)] : []
  return media.length + shape.length > 0 ? [h('p', { className: ['rule'] }, media, shape)] : []
}

function bodyPart({ body }: ShownOperation, context: RenderContext): Html[] {
  if (!body) return []
  return [
    ...body.contents
      .slice(0, 1)
      .flatMap((content) => [
        partHeading(word(context, 'body'), content.type, context),
        ...about(body.description, context),
        ...typeLine({ ...content, type: 'application/json' }, false),
        ...contentBody(content, context),
      ]),
    ...body.contents
      .slice(1)
      .flatMap((content) => [
        h('p', { className: ['rule'] }, h('code', { dir: 'ltr' }, content.type)),
        ...contentBody(content, context),
      ]),
  ]
}

function responseItem(response: ShownResponse, isFirst: boolean, context: RenderContext): HtmlElement {
  const { status, description, headers, contents } = response
  const isGood = /^[23]/.test(status)
  const [line = '', ...rest] = (description ?? '').split('\n')
  const headerItems = headers.map((one) => paramItem({ ...one, in: 'header' }, context))
  const inner = [
    ...about(rest.join('\n').trim() || undefined, context),
    ...contents.flatMap((one) => [...typeLine(one, contents.length > 1), ...contentBody(one, context)]),
    ...(headerItems.length > 0
      ? [
          h('p', { className: ['rule'] }, word(context, 'header')),
          h('ul', { className: ['params', 'plain'] }, headerItems),
        ]
      : []),
  ]
  const mark = h('span', { className: ['status', ...(isGood ? ['ok2'] : /^[45]/.test(status) ? ['bad'] : [])] }, status)
  const title = written('span', {}, inlineAbout(line, context), context)
  if (inner.length === 0) return h('div', { className: ['resp', 'flat'] }, mark, title)
  return h(
    'details',
    { className: ['resp'], open: isFirst && isGood },
    h('summary', {}, mark, title, symbol('right', context, 'flip')),
    h('div', {}, inner),
  )
}

/** Renders a description of one line. */
function inlineAbout(line: string, context: RenderContext): Html[] {
  const [only, ...more] = untrustedBlocks(line)
  return only && only.type === 'paragraph' && more.length === 0 ? inlinesIn(only, context) : [text(line)]
}

function operation(one: ShownOperation, context: RenderContext): HtmlElement {
  const { method, path, summary, description, deprecated, security, responses, left } = one
  const main = [
    operationLine(method, path, context),
    ...(deprecated ? [h('p', {}, h('span', { className: ['tag', 'warning'] }, word(context, 'deprecated')))] : []),
    ...(summary === undefined ? [] : [written('p', {}, inlineAbout(summary, context), context)]),
    ...about(description, context),
    ...(security.length > 0
      ? [
          h(
            'p',
            { className: ['rule'] },
            h('span', {}, word(context, 'authorization')),
            security.map((name) => h('code', {}, name)),
          ),
        ]
      : []),
    ...parameterLists(one.parameters, context),
    ...bodyPart(one, context),
    ...(responses.length > 0
      ? [
          partHeading(word(context, 'responses'), '', context),
          ...responses.map((each, at) => responseItem(each, at === 0, context)),
        ]
      : []),
    ...(left > 0 ? [h('p', { className: ['rule'] }, word(context, 'more', left))] : []),
  ]
  return h(
    'div',
    { className: ['operation', 'wide'] },
    h('div', { className: ['about'] }, main),
    examplePanel(one, context),
  )
}

function model({ name, schema }: ShownModel, context: RenderContext): HtmlElement {
  const sig = h('div', { className: ['sig'] }, h('code', { dir: 'ltr' }, name), h('span', {}, schema.type))
  return h('div', { className: ['model'] }, sig, ...schemaBody(schema, context))
}

/** Renders a block that names a part of a specification: the part, or else the text in the block. */
function reference(node: BlockNode, context: RenderContext): Html[] {
  const named = readNamedPartOf(textOf(node.data, 'tag'), (node.data['attributes'] ?? {}) as NamedAttributes)
  const parts = named && (context.options.parts?.[targetOf(named)] ?? null)
  if (!parts || parts.length === 0)
    return [h('div', { className: ['api'] }, lineOf(named, node, context), inside(node, context))]
  return parts.map((part) => (part.kind === 'operation' ? operation(part, context) : model(part, context)))
}

type NamedAttributes = Record<string, string | boolean>

function lineOf(named: NamedPart | null, node: BlockNode, context: RenderContext): HtmlElement | null {
  if (named && named.kind !== 'schemas')
    return operationLine(named.method, named.kind === 'webhook' ? named.name : named.path, context)
  const path = `${textOf(node.data, 'baseUrl') || textOf(node.data, 'host')}${textOf(node.data, 'path')}`
  return path === '' ? null : operationLine(textOf(node.data, 'method'), path, context)
}

/** Renders an operation that is written out in the page. */
function writtenOperation(node: BlockNode, context: RenderContext): Html[] {
  if (textOf(node.data, 'src') !== '') return reference(node, context)
  const summary = textOf(node.data, 'summary')
  const title = summary === '' ? null : written('p', { className: ['step-title'] }, [text(summary)], context)
  return [h('div', { className: ['api'] }, title, lineOf(null, node, context), inside(node, context))]
}

/** Renders a parameter or a response that is written out in the page. */
function writtenPart({ data, nodes }: BlockNode, context: RenderContext): Html[] {
  const name = textOf(data, 'name') || textOf(data, 'status') || textOf(data, 'httpCode')
  const facts = [textOf(data, 'in'), textOf(data, 'type')].filter(Boolean).map((fact) => h('span', {}, fact))
  const required = data['required'] === true ? h('span', { className: ['req'] }, word(context, 'required')) : null
  const sig = h('div', { className: ['sig'] }, name ? h('code', { dir: 'ltr' }, name) : null, facts, required)
  const description = textOf(data, 'description')
  const line = description ? written('p', {}, [text(description)], context) : null
  return [h('div', { className: ['param'] }, sig, line, context.blocks(nodes))]
}

export const siteApi: Record<string, BlockRenderer> = {
  ...Object.fromEntries(
    Object.keys(apiBlocks)
      .filter((name) => name.startsWith('openapi'))
      .map((name) => [name, reference]),
  ),
  swagger: writtenOperation,
  'swagger-parameter': writtenPart,
  'swagger-response': writtenPart,
  'swagger-response-example': writtenPart,
}

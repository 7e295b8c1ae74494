/**
 * Renders API operations. Blocks that refer to a specification show the reference; operations that are written out in
 * the page are shown completely.
 */
import type { BlockNode } from '../content/types.js'
import { h } from './element.js'
import { type BlockRenderer, type Html, type RenderContext, textOf } from './types.js'

const METHOD = /^[a-z]{1,10}$/i

function operationLine(node: BlockNode): Html {
  const method = textOf(node.data, 'method')
  const path =
    `${textOf(node.data, 'baseUrl') || textOf(node.data, 'host')}${textOf(node.data, 'path')}` ||
    textOf(node.data, 'name')
  return h(
    'p',
    { className: ['operation'], dir: 'ltr' },
    METHOD.test(method) ? h('span', { className: ['method', method.toLowerCase()] }, method.toUpperCase()) : null,
    method ? ' ' : null,
    path ? h('code', {}, path) : null,
  )
}

/** Renders a block that refers to a part of a specification. */
const reference =
  (what: string, name: (node: BlockNode) => string): BlockRenderer =>
  (node, context) => {
    const spec = name(node)
    const from = spec === '' ? what : `${what} of the specification `
    return [
      h(
        'div',
        { className: ['api'] },
        operationLine(node),
        h('p', { className: ['specification'] }, from, spec === '' ? null : h('code', {}, spec)),
        context.blocks(node.nodes),
      ),
    ]
  }

const spec = (node: BlockNode): string => textOf(node.data, 'spec') || textOf(node.data, 'src')

function method(node: BlockNode, context: RenderContext): Html[] {
  const summary = textOf(node.data, 'summary')
  const source = textOf(node.data, 'src')
  return [
    h(
      'div',
      { className: ['api'] },
      operationLine(node),
      summary ? h('p', { className: ['operation-summary'], dir: 'auto' }, summary) : null,
      source
        ? h('p', { className: ['specification'] }, 'Operation of the specification ', h('code', {}, source))
        : null,
      context.blocks(node.nodes),
    ),
  ]
}

/** Renders a named part: a parameter with its location and type, or a response with its status. */
function part(node: BlockNode, context: RenderContext): Html[] {
  const { data } = node
  const name = textOf(data, 'name') || textOf(data, 'status') || textOf(data, 'httpCode')
  const facts = [textOf(data, 'in'), textOf(data, 'type'), data['required'] === true ? 'required' : '']
    .filter(Boolean)
    .join(', ')
  const about = textOf(data, 'description')
  const head =
    name || facts || about
      ? h(
          'p',
          { className: ['part-name'], dir: 'auto' },
          h('code', {}, name),
          facts ? ` ${facts}` : null,
          about ? ` ${about}` : null,
        )
      : null
  return [h('div', { className: ['api-part'] }, head, context.blocks(node.nodes))]
}

const titled =
  (title: string): BlockRenderer =>
  (node, context) => [
    h(
      'div',
      { className: ['api-group'] },
      title ? h('p', { className: ['group-name'] }, title) : null,
      context.blocks(node.nodes),
    ),
  ]

export const apiBlocks: Record<string, BlockRenderer> = {
  'openapi-operation': reference('Operation', spec),
  'openapi-schemas': reference('Schemas', (node) =>
    [spec(node), textOf(node.data, 'schemas')].filter(Boolean).join(': '),
  ),
  'openapi-webhook': reference('Webhook', spec),
  openapi: reference('Operation', spec),
  swagger: method,
  'swagger-description': titled(''),
  'swagger-parameter': part,
  'swagger-response': part,
  'swagger-summary': titled(''),
  'swagger-spec': titled(''),
  'swagger-request': titled('Request'),
  'swagger-path-parameters': titled('Path parameters'),
  'swagger-query-parameters': titled('Query parameters'),
  'swagger-headers': titled('Headers'),
  'swagger-form-data-parameters': titled('Form parameters'),
  'swagger-body-parameters': titled('Body parameters'),
  'swagger-response-example': part,
  'swagger-response-example-description': titled(''),
}

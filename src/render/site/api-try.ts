/** Renders the button that opens the editor for the request of an operation, with the data that the editor needs. */
import type { ShownOperation, ShownParameter } from '../../model/index.js'
import { h } from '../element.js'
import type { HtmlElement, RenderContext } from '../types.js'
import { TRY_WORDS, type TryOrder } from './api-request.js'
import { exampleOf, requestOf } from './api-sample.js'
import { word } from './text.js'
import { fromNames } from '../../kernel/defined.js'

/** Maximum number of origins to which one page may send requests. */
const MAX_ORIGINS = 10
/** Maximum length in characters of an example body in the editor. */
const MAX_BODY = 20_000

/**
 * Returns the origin of a server; null if requests cannot be sent to it. The origin becomes part of the content
 * security policy, so its host must be one exact name.
 */
export function originOf(server: string): string | null {
  const url = URL.canParse(server) ? new URL(server) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null
  if (!/^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])$/.test(url.hostname) || /[{}?#]/.test(server)) return null
  return url.origin
}

/** Renders the button; null if the operation has no server to which a page can send requests. */
export function tryButton(one: ShownOperation, context: RenderContext): HtmlElement | null {
  const servers = one.servers.filter((server) => {
    const origin = originOf(server)
    if (origin === null) return false
    if (context.origins.size < MAX_ORIGINS) context.origins.add(origin)
    return context.origins.has(origin)
  })
  if (servers.length === 0) return null
  const order = orderOf(one, servers, context)
  return h(
    'div',
    { className: ['try'] },
    h('p', {}, order.words.tryNote),
    h('button', { className: ['btn'], type: 'button', dataTry: JSON.stringify(order) }, order.words.tryIt),
  )
}

function orderOf(one: ShownOperation, servers: string[], context: RenderContext): TryOrder {
  const { headers, body } = requestOf(one)
  const content = one.body?.contents[0]
  const { parameters } = one
  return {
    method: one.method,
    path: one.path,
    servers: servers.map((server) => server.replace(/\/+$/, '')),
    // Browsers do not let scripts set cookies.
    parameters: parameters.flatMap((each) =>
      each.in === 'path' || each.in === 'query'
        ? [{ name: each.name, in: each.in, required: each.required, value: firstValue(each) }]
        : [],
    ),
    headers: [
      ...headers.filter(([name]) => name === 'Authorization'),
      ...parameters
        .filter((each) => each.in === 'header')
        .map((each): [string, string] => [each.name, firstValue(each)]),
      ...(content ? [['Content-Type', content.type] satisfies [string, string]] : []),
    ],
    body: content ? { type: content.type, text: (body ?? '').length > MAX_BODY ? '' : (body ?? '') } : null,
    words: fromNames(TRY_WORDS, (name) => word(context, name)),
  }
}

/** Returns the value of a parameter before the reader edits it. Optional parameters are empty. */
const firstValue = (one: ShownParameter): string =>
  one.in === 'path' ? (one.example === undefined ? '' : exampleOf(one)) : one.required ? exampleOf(one) : ''

/** Renders the example panel of an operation: the request in several languages, and its responses. */
import type { ShownOperation } from '../../model/index.js'
import { h } from '../element.js'
import type { Html, HtmlElement, RenderContext } from '../types.js'
import { requestOf, sampleOf } from './api-sample.js'
import { tryButton } from './api-try.js'
import { codeFrame } from './code.js'
import { type ApiRequest, curl } from './api-request.js'
import { tabSet } from './containers.js'
import { word } from './text.js'

const text = (value: string): Html => ({ type: 'text', value })

/** Renders the panel. */
export function examplePanel(one: ShownOperation, context: RenderContext): HtmlElement {
  const answers = one.responses.flatMap(({ status, contents }) => {
    const body = contents
      .map((content) => ({ content, sample: sampleOf(content) }))
      .find(({ sample }) => sample !== null)
    return body?.sample
      ? [{ title: [text(status)], content: [frame(body.sample, syntaxOf(body.content.type), context)] }]
      : []
  })
  const response = answers.length > 0 ? [title('response', context), ...tabSet(answers, context)] : []
  if (one.webhook) return h('div', { className: ['example'] }, response)
  const requests = Object.entries(requestsOf(one)).map(([name, [syntax, code]]) => ({
    title: [text(name)],
    content: [frame(code, syntax, context)],
  }))
  return h(
    'div',
    { className: ['example'] },
    title('request', context),
    tabSet(requests, context),
    tryButton(one, context),
    response,
  )
}

const title = (name: 'request' | 'response', context: RenderContext): HtmlElement =>
  h('p', { className: ['panel-title'] }, word(context, name))

const frame = (code: string, syntax: string, context: RenderContext): HtmlElement =>
  codeFrame({ code, syntax }, context)

const syntaxOf = (type: string): string =>
  /json/i.test(type) ? 'json' : /xml/i.test(type) ? 'xml' : /ya?ml/i.test(type) ? 'yaml' : 'text'

/** Returns the request as code, by the names of languages. */
function requestsOf(one: ShownOperation): Record<string, [syntax: string, code: string]> {
  const request = requestOf(one)
  return {
    cURL: ['bash', curl(request)],
    JavaScript: ['javascript', javascript(request)],
    Python: ['python', python(request)],
  }
}

function javascript({ method, url, headers, body }: ApiRequest): string {
  const members = [
    ...(method === 'GET' ? [] : [`  method: ${JSON.stringify(method)},`]),
    ...(headers.length === 0
      ? []
      : [
          '  headers: {',
          ...headers.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
          '  },',
        ]),
    ...(body === null ? [] : [`  body: JSON.stringify(${body.replace(/\n/g, '\n  ')}),`]),
  ]
  const options = members.length === 0 ? '' : `, {\n${members.join('\n')}\n}`
  return `const response = await fetch(${JSON.stringify(url)}${options})\nconst data = await response.json()`
}

function python({ method, url, headers, body }: ApiRequest): string {
  const named = (lines: string[]): string => (lines.length === 0 ? '' : `\n${lines.join('\n')}\n`)
  const options = [
    `    ${JSON.stringify(url)},`,
    ...(headers.length === 0
      ? []
      : [
          '    headers={',
          ...headers.map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
          '    },',
        ]),
    ...(body === null ? [] : [`    data=${JSON.stringify(body.replace(/\s*\n\s*/g, ' '))},`]),
  ]
  return `import requests\n\nresponse = requests.${/^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/.test(method) ? method.toLowerCase() : 'request'}(${named(options)})\ndata = response.json()`
}

/** Renders code with syntax classes and line numbers. */
import { required } from '../kernel/defined.js'
import { common, createLowlight } from 'lowlight'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import elixir from 'highlight.js/lib/languages/elixir'
import http from 'highlight.js/lib/languages/http'
import nginx from 'highlight.js/lib/languages/nginx'
import powershell from 'highlight.js/lib/languages/powershell'
import properties from 'highlight.js/lib/languages/properties'
import protobuf from 'highlight.js/lib/languages/protobuf'
import scala from 'highlight.js/lib/languages/scala'
import type { BlockNode } from '../content/types.js'
import { plainText } from '../content/blocks/node.js'
import { h } from './element.js'
import { type Html, type HtmlElement, type RenderContext, textOf } from './types.js'

const lowlight = createLowlight({ ...common, dockerfile, elixir, http, nginx, powershell, properties, protobuf, scala })
lowlight.registerAlias({
  ini: ['toml'],
  bash: ['console', 'terminal', 'curl'],
  xml: ['vue', 'razor', 'cshtml'],
  javascript: ['jsx', 'mjs'],
  json: ['json5', 'jsonc'],
})

/** Maximum number of characters of highlighted code, per block and per page. Other code is shown without colors. */
const MAX_CODE = 50_000
export const MAX_CODE_OF_PAGE = 300_000
/** Maximum number of lines in a code block with an element for each line. */
const MAX_NUMBERED = 5_000

/** Renders a block of code with its title. */
export function codeBlock(node: BlockNode, context: RenderContext): Html[] {
  const { data } = node
  const code = plainText(node.nodes)
  const syntax = textOf(data, 'syntax').toLowerCase()
  let inner = highlighted(code, syntax, context)
  const lines = data['lineNumbers'] === true && code.split('\n', MAX_NUMBERED + 1).length <= MAX_NUMBERED
  if (lines) inner = inLines(inner)
  const name = /^[\w+#-]{1,30}$/.test(syntax) ? syntax : ''
  const title = textOf(data, 'title')
  const pre = h('pre', {
    dir: 'ltr',
    className: ['code', ...(lines ? ['numbered'] : []), ...(textOf(data, 'overflow') === 'wrap' ? ['wrap'] : [])],
  })
  pre.children = [h('code', { className: name ? [`language-${name}`] : [] }, inner)]
  return [
    h(
      'div',
      { className: ['code-block'] },
      title ? h('p', { className: ['code-title'], dir: 'auto' }, title) : null,
      pre,
    ),
  ]
}

/** Returns code with the classes of its syntax, or as plain text beyond the limits. */
export function highlighted(code: string, syntax: string, { highlight }: RenderContext): Html[] {
  if (syntax === '' || code.length > MAX_CODE || code.length > highlight.left || !lowlight.registered(syntax))
    return [{ type: 'text', value: code }]
  highlight.left -= code.length
  return lowlight.highlight(syntax, code).children as Html[]
}

/** Returns the lines of code; null if there are too many for separate elements. */
export const linesOf = (code: string, shown: readonly Html[]): Html[][] | null =>
  code.split('\n', MAX_NUMBERED + 1).length <= MAX_NUMBERED ? splitLines(shown) : null

/** Wraps each line in an element. */
const inLines = (nodes: readonly Html[]): HtmlElement[] =>
  splitLines(nodes).map((line) => h('span', { className: ['line'] }, line, '\n'))

/** Splits code into lines, and elements that span lines. */
function splitLines(nodes: readonly Html[]): Html[][] {
  const lines: Html[][] = [[]]
  const add = (node: Html): void => void required(lines.at(-1)).push(node)
  const walk = (list: readonly Html[], wrap: (inner: Html) => Html): void => {
    for (const node of list) {
      if (node.type === 'element') walk(node.children, (inner) => wrap({ ...node, children: [inner] }))
      if (node.type !== 'text') continue
      node.value.split('\n').forEach((line, index) => {
        if (index > 0) lines.push([])
        if (line !== '') add(wrap({ type: 'text', value: line }))
      })
    }
  }
  walk(nodes, (inner) => inner)
  return lines
}

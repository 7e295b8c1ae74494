/** Renders code on pages of sites: title, line numbers, marked lines, folding, and a button to copy it. */
import type { BlockNode } from '../../content/types.js'
import { inlinesIn, plainText } from '../../content/blocks/node.js'
import { highlighted, linesOf } from '../code.js'
import { h } from '../element.js'
import { type BlockRenderer, type Html, type HtmlElement, type RenderContext, textOf } from '../types.js'
import { symbol } from './icon.js'
import { word } from './text.js'
import { own } from '../../kernel/defined.js'

/** Code with more lines can be folded. */
const FOLDED_LINES = 12
/** The names of languages as readers see them. */
export const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  bash: 'Shell',
  c: 'C',
  console: 'Console',
  cpp: 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  curl: 'Shell',
  dockerfile: 'Dockerfile',
  go: 'Go',
  graphql: 'GraphQL',
  html: 'HTML',
  http: 'HTTP',
  ini: 'INI',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JSX',
  kotlin: 'Kotlin',
  markdown: 'Markdown',
  md: 'Markdown',
  mermaid: 'Mermaid',
  nginx: 'nginx',
  objectivec: 'Objective-C',
  php: 'PHP',
  plaintext: '',
  powershell: 'PowerShell',
  py: 'Python',
  python: 'Python',
  razor: 'Razor',
  rb: 'Ruby',
  rs: 'Rust',
  ruby: 'Ruby',
  rust: 'Rust',
  scss: 'SCSS',
  sh: 'Shell',
  shell: 'Shell',
  sql: 'SQL',
  swift: 'Swift',
  text: '',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TSX',
  txt: '',
  typescript: 'TypeScript',
  vb: 'Visual Basic',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
  zsh: 'Shell',
}
/** Languages whose code is the source of a diagram. */
const DIAGRAMS = new Set(['mermaid', 'plantuml', 'dot', 'graphviz', 'd2'])

interface Code {
  code: string
  /** The code with marks on changed words, which is shown without the colors of its syntax. */
  changed?: Html[] | undefined
  syntax: string
  title?: string
  numbered?: boolean
  wrapped?: boolean
  folded?: boolean
  wide?: boolean
  marked?: (line: number) => boolean
}

/** Renders code in its frame. */
export function codeFrame(given: Code, context: RenderContext): HtmlElement {
  const { syntax, title = '', numbered, wrapped, marked } = given
  const code = given.code.replace(/\n$/, '')
  const inner = given.changed ?? highlighted(code, syntax, context)
  const lines = linesOf(code, inner)
  const spans = lines?.map((line, at) =>
    h('span', { className: ['line', ...(marked?.(at + 1) ? ['on'] : [])] }, line, '\n'),
  )
  const name = /^[\w+#-]{1,30}$/.test(syntax) ? syntax : ''
  const shown = own(LANGUAGE_NAMES, name) ?? name
  const label = title || shown || word(context, 'code')
  const className = ['code', ...(numbered && lines ? ['numbered'] : []), ...(wrapped ? ['wrap'] : [])]
  const pre = h(
    'pre',
    { dir: 'ltr', tabIndex: 0, role: 'group', ariaLabel: label, className },
    h('code', { className: name ? [`language-${name}`] : [] }, spans ?? inner),
  )
  const isLong = given.folded === true && (lines?.length ?? 0) > FOLDED_LINES
  const more = isLong
    ? h(
        'label',
        { className: ['code-more'] },
        h('input', { className: ['vh'], type: 'checkbox' }),
        word(context, 'allLines', lines?.length ?? 0),
        symbol('down', context),
      )
    : null
  const frame = ['code-block', ...(isLong ? ['long'] : []), ...(given.wide ? ['wide'] : [])]
  return h('div', { className: frame }, bar(title, shown, context), pre, more)
}

function bar(title: string, language: string, context: RenderContext): HtmlElement {
  const label = word(context, 'copy')
  const copy = h(
    'button',
    { className: ['btn-i'], type: 'button', ariaLabel: label, dataCopy: true },
    symbol('copy', context),
  )
  return h(
    'div',
    { className: title ? ['code-bar'] : ['code-bar', 'bare'] },
    title ? h('p', { className: ['code-title'], dir: 'ltr' }, title) : null,
    language ? h('span', { className: ['lang'], dir: 'ltr' }, language) : null,
    copy,
  )
}

/** Returns whether a line is marked in the info string: `{2,5-7}`. */
function marksOf(meta: string): (line: number) => boolean {
  const [, list = ''] = /\{([\d,\s-]{1,200})\}/.exec(meta) ?? []
  const ranges = list.split(',').flatMap((one): [number, number][] => {
    const [, from, to = from] = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(one) ?? []
    return from === undefined ? [] : [[Number(from), Number(to)]]
  })
  return (line) => ranges.some(([from, to]) => line >= from && line <= to)
}

function code(node: BlockNode, context: RenderContext): Html[] {
  const { data } = node
  const syntax = textOf(data, 'syntax').toLowerCase()
  const isDiagram = DIAGRAMS.has(syntax)
  const title = textOf(data, 'title') || (isDiagram ? word(context, 'diagram') : '')
  const given = {
    code: plainText(node.nodes),
    changed: node.nodes.some((one) => one.object === 'inline') ? context.inlines(inlinesIn(node)) : undefined,
    syntax,
    title,
    numbered: data['lineNumbers'] === true,
    wrapped: textOf(data, 'overflow') === 'wrap',
    folded: data['expandable'] === true,
    wide: data['fullWidth'] === true,
    marked: marksOf(textOf(data, 'meta')),
  }
  return [codeFrame(given, context)]
}

export const siteCode: Record<string, BlockRenderer> = { code }

/**
 * Converts the content of an HTML page to Bindery's markdown: hints, expandable sections, fenced code with its
 * language.
 */
import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { toString as textOf } from 'hast-util-to-string'
import rehypeRemark from 'rehype-remark'
import remarkGfm from 'remark-gfm'
import remarkStringify from 'remark-stringify'
import { unified } from 'unified'
import { SKIP, visit } from 'unist-util-visit'
import { MARKDOWN_STYLE, UNSAFE_TEXT } from '../kernel/markdown-style.js'
import { attribute } from './html-tree.js'

type Handlers = NonNullable<NonNullable<Parameters<typeof rehypeRemark>[1]>['handlers']>
type State = Parameters<NonNullable<Handlers[string]>>[0]

const html = (value: string) => ({ type: 'html' as const, value })

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/danger|error|caution|critical/i, 'danger'],
  [/warn|important|attention/i, 'warning'],
  [/success|tip|hint|check/i, 'success'],
]
const HINT = /(^|[\s_-])(admonition|alert|callout|notice|note|confluence-information-macro|markdown-alert)([\s_-]|$)/i

/**
 * Returns the hint style of an element; null if it is not a hint. Documentation tools use such boxes for admonitions.
 */
function hintStyle(element: Element): string | null {
  const name = attribute(element, 'className')
  if (!['div', 'aside', 'section', 'figure'].includes(element.tagName) || !HINT.test(name)) return null
  return HINTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'info'
}

function container(state: State, element: Element) {
  const children = state.toFlow(state.all(element))
  const style = hintStyle(element)
  if (style === null || children.length === 0) return children
  return [html(`{% hint style="${style}" %}`), ...children, html('{% endhint %}')]
}

function details(state: State, element: Element) {
  const isSummary = (child: Element['children'][number]): child is Element =>
    child.type === 'element' && child.tagName === 'summary'
  const summary = element.children.find(isSummary)
  const escaped = (summary ? textOf(summary).replace(/\s+/g, ' ').trim() : '')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
  const rest = { ...element, children: element.children.filter((child) => !isSummary(child)) }
  return [
    html('<details>'),
    html(`<summary>${escaped || 'Details'}</summary>`),
    ...state.toFlow(state.all(rest)),
    html('</details>'),
  ]
}

/** The name of an element that stands for a line break in a table cell. */
const CELL_BREAK = 'cell-break'

const handlers: Handlers = {
  div: container,
  aside: container,
  section: container,
  figure: container,
  details,
  [CELL_BREAK]: () => html('<br>'),
}

/** Comments are not content. */
const nodeHandlers: NonNullable<NonNullable<Parameters<typeof rehypeRemark>[1]>['nodeHandlers']> = {
  comment: () => undefined,
}

const BLOCKS = new Set(['p', 'div', 'li', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote'])
const isBlock = (node: Element['children'][number]): boolean => node.type === 'element' && BLOCKS.has(node.tagName)

/** Separates the paragraphs and list items of a table cell with `<br>`, because a cell is one line of markdown. */
function breakCells(tree: Root): void {
  const cellBreak = (): Element => ({ type: 'element', tagName: CELL_BREAK, properties: {}, children: [] })
  visit(tree, 'element', (cell) => {
    if (cell.tagName !== 'td' && cell.tagName !== 'th') return
    let before = false
    visit(cell, 'element', (element, index, parent) => {
      if (element.tagName === 'br') element.tagName = CELL_BREAK
      if (
        !parent ||
        index === undefined ||
        !isBlock(element) ||
        isBlock(element.children[0] ?? { type: 'text', value: '' })
      )
        return
      if (before) parent.children.splice(index, 0, cellBreak())
      const step = before ? index + 2 : index + 1
      before = true
      return step
    })
    return SKIP
  })
}

/** Replaces a link without a target with its text. Removes the titles of links. */
function plainLinks(tree: Root): void {
  for (const element of selectAll('a', tree)) {
    delete element.properties['title']
    if (attribute(element, 'href') === '') element.tagName = 'span'
  }
}

/**
 * Uses the same style as pages that the service prints (`content/blocks/print.ts`): text that would parse as a tag or a
 * formula is escaped.
 */
const processor = unified()
  .use(rehypeRemark, { handlers, nodeHandlers })
  .use(remarkGfm, { tablePipeAlign: false })
  .use(remarkStringify, {
    ...MARKDOWN_STYLE,
    unsafe: UNSAFE_TEXT,
  })

const LANGUAGE = /(?:^|\s)(?:language|lang|highlight-source|brush:?)[-\s:]?([\w+#.-]+)/i

/** Moves the language of a code block to the class of `<code>`. Programs put it in different places. */
function nameLanguages(tree: Root): void {
  visit(tree, 'element', (element, _index, parent) => {
    if (element.tagName !== 'pre') return
    const around = [element, ...(parent?.type === 'element' ? [parent] : [])]
    const named = around.map((one) => LANGUAGE.exec(attribute(one, 'className'))?.[1]).find((one) => one !== undefined)
    const language = attribute(element, 'dataLanguage') || attribute(element, 'lang') || named
    const code = element.children.find(
      (child): child is Element => child.type === 'element' && child.tagName === 'code',
    )
    const own = code && LANGUAGE.exec(attribute(code, 'className'))?.[1]
    const wanted = own ?? language
    if (wanted) {
      if (code) code.properties.className = [`language-${wanted}`]
      else
        element.children = [
          {
            type: 'element',
            tagName: 'code',
            properties: { className: [`language-${wanted}`] },
            children: element.children,
          },
        ]
    } else if (!code)
      element.children = [{ type: 'element', tagName: 'code', properties: {}, children: element.children }]
  })
}

/**
 * Marks the first row of a table as its header if the table has none, because a markdown table needs one. Word tables
 * usually start with their header.
 */
function nameColumns(tree: Root): void {
  for (const table of selectAll('table', tree)) {
    const [first, second] = selectAll('tr', table)
    if (first && second && selectAll('th', table).length === 0)
      for (const cell of first.children) if (cell.type === 'element') cell.tagName = 'th'
  }
}

/** Prints a tree as markdown. Throws a RangeError if it is nested too deeply for the stack. */
export function toMarkdown(tree: Root): string {
  nameLanguages(tree)
  plainLinks(tree)
  breakCells(tree)
  nameColumns(tree)
  const mdast = processor.runSync(tree)
  return processor.stringify(mdast)
}

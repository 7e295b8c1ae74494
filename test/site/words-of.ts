/** Extracts the words that readers see, to find words that one form of a page lacks. */
import type { Element, Nodes } from 'hast'
import { selectAll } from 'hast-util-select'
import { toString as textIn } from 'hast-util-to-string'
import { diffArrays } from 'diff'
import MarkdownIt from 'markdown-it'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'

const parser = unified().use(rehypeParse, { fragment: true })
const markdown = new MarkdownIt({ html: true })

/** Elements within a line. All others separate words. */
const INLINE = new Set(
  'abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strike strong u var wbr'.split(
    ' ',
  ),
)
const UNREAD = new Set(['script', 'style', 'svg', 'template', 'title', 'math'])

export const parseHtml = (html: string): Nodes => parser.parse(html)

/** The name of an icon, a variable, and a link whose text is replaced by the title of its page. */
const isReplaced = (element: Element, text: string): boolean => {
  const { tagName, properties } = element
  if (tagName === 'code') return String(properties.className) === 'expression'
  if (tagName === 'i') return classesOf(element).some((name) => name.startsWith('fa-'))
  const isMention = 'dataMention' in properties || properties.title === 'mention'
  return tagName === 'a' && (isMention || /^[\w.-]+\.md$/.test(text) || isPath(element, text))
}

const classesOf = ({ properties }: Element): string[] => String(properties.className ?? '').split(/[ ,]/)
/** Buttons have a gap between them, and the name of a missing picture has a border. */
const isApart = (element: Element): boolean =>
  classesOf(element).some((name) => name === 'button' || name === 'missing-picture')
/** Whether a link's text is the name of its file or folder, as editors write it: `[guide](guide/)`. */
const isPath = ({ properties: { href } }: Element, text: string): boolean =>
  /^[\w-][\w./-]*$/.test(text) &&
  /^(?![a-z]+:)[\w.]/i.test(`${href}`) &&
  `/${href}/`.replace(/\/+$/, '/').endsWith(`/${text}/`.replace(/\/+$/, '/'))

/** Returns the text of a tree, with a space at each border of a block. */
export function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value
  if (node.type === 'element') {
    if (UNREAD.has(node.tagName) || isReplaced(node, textIn(node))) return ' '
    if (node.tagName === 'table') removeHidden(node)
    const text = node.children.map(textOf).join('')
    return INLINE.has(node.tagName) && !isApart(node) ? text : ` ${text} `
  }
  return node.type === 'root' ? node.children.map(textOf).join('') : ''
}

/**
 * Removes the cells of columns that only name the target or the picture of a card, that the author hid, or that show
 * boxes.
 */
function removeHidden(table: Element): void {
  const [head, ...rows] = selectAll('tr', table)
  const isHidden = (cell: Element | undefined): boolean =>
    ['dataHidden', 'dataCardTarget', 'dataCardCover', 'dataCardCoverDark'].some(
      (one) => one in (cell?.properties ?? {}),
    ) || cell?.properties.dataType === 'checkbox'
  const cells = head ? selectAll('th', head) : []
  // Cards have no row of headings.
  if (table.properties.dataView === 'cards' && head) head.children = []
  for (const row of rows)
    for (const [at, cell] of selectAll('td', row).entries()) if (isHidden(cells[at])) cell.children = []
  for (const cell of cells) if (isHidden(cell) && cell.properties.dataType !== 'checkbox') cell.children = []
}

/** Returns markdown as HTML, with a different parser than the product's. Tags of blocks leave only their titles. */
export function otherHtml(text: string): string {
  const [, body = ''] =
    /^\ufeff?(?:---[ \t]*\r?\n[\s\S]*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$))?([\s\S]*)$/.exec(text) ?? []
  const tags = /^([ \t>]*)\{%[^\n]*?%\}|\{%[^\n]*?%\}/gm
  let code = false
  const shown = body
    .replace(/\{%-? *if\b[\s\S]*?\{%-? *endif *%\}/g, '')
    .replace(/^([ \t]*(?:[-*+]|\d+\.) +)\[[ xX]\] /gm, '$1')
    // Footnotes are at the end of the page.
    .replace(/^\[\^[^\]\n]+\]:.*/gm, '')
    // Anchors of headings in HonKit and mdBook.
    .replace(/^(#{1,6} .*?)[ \t]*\{ *[#.][^}\n]*\}[ \t]*$/gm, '$1')
    .replace(/\$\$[^$]*\$\$|\[\^[^\]\n]+\]/g, ' ')
  const lines = shown.split('\n').map((line) => {
    if (/^[ \t>*-]*(?:```|~~~)/.test(line)) code = !code
    return code
      ? line
      : line.replace(tags, (tag: string, indent = '') => `${indent}${/title="([^"]*)"/.exec(tag)?.[1] ?? ''}`)
  })
  return markdown.render(lines.join('\n'))
}

export const wordsIn = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns the words of HTML. */
export const wordsOf = (html: string): string[] => wordsIn(textOf(parseHtml(html)))

/** Returns the words that are missing in the second list, in order, with the word before each gap. */
export function missingWords(wanted: readonly string[], found: readonly string[]): string[] {
  let at = 0
  const isComplete = wanted.every((word) => {
    at = found.indexOf(word, at) + 1
    return at > 0
  })
  if (isComplete) return []
  let before = ''
  return diffArrays([...wanted], [...found]).flatMap(({ added, removed, value }) => {
    const last = before
    if (!removed) {
      if (!added) before = value.slice(-3).join(' ')
      return []
    }
    return [`${last} [${value.join(' ')}]`]
  })
}

/** Finds the main content of a web page and removes the surrounding elements: navigation, banners, forms, scripts. */
import { required } from '../kernel/defined.js'
import { Readability } from '@mozilla/readability'
import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { toHtml } from 'hast-util-to-html'
import { toString as textOf } from 'hast-util-to-string'
import { parseHTML } from 'linkedom'
import { attribute, parseHtml, removeElements } from './html-tree.js'

/**
 * Selectors for the content of a page, the most specific first: Notion, Confluence, Docusaurus, GitHub, then standard
 * HTML.
 */
const CONTENT_SELECTORS = [
  'article.page',
  '#main-content',
  '.theme-doc-markdown',
  '.markdown-body',
  '[role=main] article',
  'main article',
  '[role=main]',
  'main',
  'article',
]

const NOT_CONTENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'nav',
  'form',
  'button',
  'input',
  'select',
  'textarea',
  'dialog',
  'svg',
  'canvas',
  'link',
  'meta',
])
const NOT_CONTENT_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'complementary', 'dialog'])
const SURROUNDINGS =
  /(^|[\s_-])(breadcrumbs?|pagination|pager|sidebar|side-nav|table-of-contents|toc|edit-this-page|edit-page|cookie-?(banner|consent)?|skip-(link|to-content)|share-buttons?|newsletter|advert(isement)?s?)([\s_-]|$)/i

/** Class names of links to their own heading: `#`, `¶`. */
const HEADING_ANCHOR = /(^|[\s_-])(anchor|headerlink|header-anchor|hash-link|heading-link|permalink)([\s_-]|$)/i

function isSurroundings(element: Element): boolean {
  if (NOT_CONTENT.has(element.tagName)) return true
  if (element.properties.hidden === true || element.properties.ariaHidden === 'true') return element.tagName !== 'img'
  if (/display:\s*none/i.test(attribute(element, 'style'))) return true
  if (NOT_CONTENT_ROLES.has(attribute(element, 'role'))) return true
  return SURROUNDINGS.test(attribute(element, 'className')) || SURROUNDINGS.test(attribute(element, 'id'))
}

const isHeadingAnchor = (element: Element): boolean =>
  element.tagName === 'a' &&
  (HEADING_ANCHOR.test(attribute(element, 'className')) || /^[#¶§\u200b\s]*$/.test(textOf(element))) &&
  /#/.test(attribute(element, 'href'))

/** Removes elements that are not content from a page or a part of it. */
function tidy(tree: Root | Element, within: 'page' | 'content'): void {
  removeElements(
    tree,
    (element) =>
      isSurroundings(element) || (within === 'page' && ['header', 'footer', 'aside'].includes(element.tagName)),
  )
  for (const heading of selectAll('h1, h2, h3, h4, h5, h6', tree))
    removeElements(heading, (element) => isHeadingAnchor(element) && selectAll('img', element).length === 0)
}

const asRoot = (element: Element): Root => ({ type: 'root', children: [element] })

/** Returns the only matching element, if it contains text. Several matches are a list of articles, not one page. */
function onlyMatch(tree: Root, selector: string): Element | null {
  const [found, another] = selectAll(selector, tree)
  return found && !another && textOf(found).trim() !== '' ? found : null
}

/** Returns the content that Readability finds from the text itself; null if it finds none. */
function readabilityContent(tree: Root): Root | null {
  const { document } = parseHTML(toHtml(tree))
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    keepClasses: true,
    charThreshold: 200,
    maxElemsToParse: 100_000,
  }).parse()
  if (!article?.content) return null
  const content = parseHtml(article.content)
  const [body] = selectAll('body', content)
  return { type: 'root', children: required(body?.children) }
}

/**
 * Returns the main content of a page: the part that the page marks as such, else the result of Readability, else its
 * whole body. Modifies the tree.
 * @param whole the page is a separate document (an export), so that nothing surrounds the content
 */
export function mainContent(tree: Root, whole: boolean): Root {
  for (const selector of CONTENT_SELECTORS) {
    const found = onlyMatch(tree, selector)
    if (!found) continue
    tidy(found, 'content')
    if (textOf(found).trim() !== '') return asRoot(found)
  }
  tidy(tree, whole ? 'content' : 'page')
  const [body] = selectAll('body', tree)
  const rest: Root = { type: 'root', children: body?.children ?? tree.children }
  if (whole) return rest
  const extracted = readabilityContent(tree)
  // Readability selects the longest piece of prose. On a page with short pieces, it would lose most of them.
  return extracted && textOf(extracted).trim().length * 2 >= textOf(rest).trim().length ? extracted : rest
}

/** Finds the main content of a web page and leaves out what surrounds it: navigation, banners, forms, scripts. */
import { Readability } from '@mozilla/readability'
import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { toHtml } from 'hast-util-to-html'
import { toString as textOf } from 'hast-util-to-string'
import { parseHTML } from 'linkedom'
import { attribute, parseHtml, removeElements } from './html-tree.js'

/** Where programs that make documentation put a page's content, most specific first: Notion, Confluence, Docusaurus, GitHub, then what HTML itself says. */
const PLACES = [
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

/** Links that only lead to their own heading: `#`, `¶`. */
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

/** Removes what is not content from a page or a part of it. */
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

/** The only element that matches, if it has a text. Several of them are a list of articles, not one page. */
function onlyMatch(tree: Root, selector: string): Element | null {
  const [found, another] = selectAll(selector, tree)
  return found && !another && textOf(found).trim() !== '' ? found : null
}

/** The content by Readability, which guesses from the text itself; null if it finds none. */
function readable(tree: Root): Root | null {
  const { document } = parseHTML(toHtml(tree))
  const article = new Readability(document as unknown as ConstructorParameters<typeof Readability>[0], {
    keepClasses: true,
    charThreshold: 200,
    maxElemsToParse: 100_000,
  }).parse()
  if (!article?.content) return null
  const content = parseHtml(article.content)
  const [body] = selectAll('body', content)
  return { type: 'root', children: body?.children as Root['children'] }
}

/**
 * The main content of a page: what it marks as such itself, else what Readability finds, else its whole body. Modifies the tree.
 * @param whole the page is a document of its own (an export), so nothing surrounds the content
 */
export function mainContent(tree: Root, whole: boolean): Root {
  for (const selector of PLACES) {
    const found = onlyMatch(tree, selector)
    if (!found) continue
    tidy(found, 'content')
    if (textOf(found).trim() !== '') return asRoot(found)
  }
  tidy(tree, whole ? 'content' : 'page')
  const [body] = selectAll('body', tree)
  const rest: Root = { type: 'root', children: (body?.children ?? tree.children) as Root['children'] }
  if (whole) return rest
  const guessed = readable(tree)
  // Readability takes the longest piece of prose; on a page of short pieces it would lose most of them.
  return guessed && textOf(guessed).trim().length * 2 >= textOf(rest).trim().length ? guessed : rest
}

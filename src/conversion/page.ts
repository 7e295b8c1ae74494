/** The task that converts a web page, or an HTML file of an export, to markdown. */
import type { Element, Root } from 'hast'
import { selectAll } from 'hast-util-select'
import { toString as textOf } from 'hast-util-to-string'
import { visit } from 'unist-util-visit'
import { pack, type ContainerPart } from './container.js'
import { decodeText } from './decode-text.js'
import { attribute, parseHtml, removeElements } from './html-tree.js'
import { absolutize, baseOf } from './html-addresses.js'
import { mainContent } from './main-content.js'
import { Unconvertible } from './refused.js'
import { toMarkdown } from './to-markdown.js'

/** Maximum number of links per page that are followed. */
const MAX_LINKS = 2_000
/** Maximum number of embedded images (`data:`) per page that become files. */
const MAX_INLINE_IMAGES = 200

/** The facts about a page, in addition to its text. */
export interface ConvertedPage {
  title: string
  description: string
  /** The addresses that the page links to, without fragments; empty if the page asks not to follow them. */
  links: string[]
  /** The canonical address that the page declares; '' if there is none. */
  canonical: string
  /** The address that the page redirects to (`<meta http-equiv=refresh>`); '' if there is none. */
  refresh: string
}

/** The options for reading a page. */
export interface PageOptions {
  /** The page's address. */
  url: string
  /** The content type of its response, for the charset. */
  contentType: string
  /** Whether the page is a separate document: an export, not a page of a website. */
  whole: boolean
  /** The name prefix for files of embedded images, before their number. */
  attach: string
}

/** Maximum length of a title or description, and of an address that is followed. */
const MAX_TEXT = 1_000
const MAX_URL = 2_048

const oneLine = (text: string): string =>
  text
    .slice(0, MAX_TEXT * 10)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT)

function metaOf(tree: Root): (name: string) => string {
  const values = new Map<string, string>()
  for (const meta of selectAll('meta', tree)) {
    const name = (attribute(meta, 'name') || attribute(meta, 'property') || attribute(meta, 'httpEquiv')).toLowerCase()
    if (name !== '' && !values.has(name)) values.set(name, attribute(meta, 'content'))
  }
  return (name) => values.get(name) ?? ''
}

const textOfFirst = (selector: string, tree: Root): string =>
  oneLine(textOf(selectAll(selector, tree)[0] ?? { type: 'root', children: [] }))

/**
 * Returns the titles of a page outside of its content, best first: that of Notion, of Confluence (after the name of the
 * space), of the page. Call it before the elements around the content are removed.
 */
const outerTitles = (tree: Root, meta: (name: string) => string): string[] => [
  textOfFirst('.page-title', tree) || textOfFirst('#title-text', tree).replace(/^.{1,200}? : /, ''),
  selectAll('h1', tree).length === 1 ? textOfFirst('h1', tree) : '',
  oneLine(meta('og:title')),
  textOfFirst('head title', tree).replace(/\s+[|–—·]\s+[^|–—·]*$/u, ''),
]

/** Returns the marked title, else the first H1 of the content. */
const titleOf = (content: Root, [marked = '', ...others]: string[]): string =>
  [marked, textOfFirst('h1', content), ...others].find((one) => one !== '') ?? ''

function linksOf(tree: Root): string[] {
  const found = new Set<string>()
  for (const link of selectAll('a[href]', tree)) {
    if (found.size >= MAX_LINKS) break
    const target = attribute(link, 'href').replace(/#.*$/s, '')
    if (target.length <= MAX_URL && !/nofollow/i.test(attribute(link, 'rel'))) found.add(target)
  }
  return [...found]
}

const addressOf = (text: string, base: string): string =>
  text === '' || text.length > MAX_URL || !URL.canParse(text, base) ? '' : new URL(text, base).href

/** Extracts the embedded images of a page as files. Drops addresses that are not images. */
function takeInlineImages(tree: Root, attach: string): ContainerPart[] {
  const parts: ContainerPart[] = []
  visit(tree, 'element', (image) => {
    const src = attribute(image, 'src')
    if (!src.startsWith('data:')) return
    delete image.properties.src
    const [, type, encoded] = /^data:image\/([\w.+-]+)(?:;[\w=-]+)*;base64,([\s\S]*)$/.exec(src) ?? []
    if (type === undefined || encoded === undefined || image.tagName !== 'img' || parts.length >= MAX_INLINE_IMAGES)
      return
    const name = `${attach}${parts.length}.${type.replace('jpeg', 'jpg').replace(/\+xml$/, '')}`
    parts.push({ name, content: Buffer.from(encoded, 'base64') })
    image.properties.src = name
  })
  return parts
}

/** Converts a tree whose addresses are absolute. The title is not repeated in the text. */
function printContent(content: Root, title: string): string {
  const [heading] = selectAll('h1, h2', content)
  if (heading && oneLine(textOf(heading)) === title) removeElements(content, (element) => element === heading)
  removeElements(content, (element: Element) => element.tagName === 'img' && attribute(element, 'src') === '')
  return toMarkdown(content).trim()
}

/**
 * Reads an HTML page. Returns a `ConvertedPage`, then as files the markdown (named '') and the embedded images. Throws
 * `Unconvertible`.
 */
export function readPage(bytes: Uint8Array, options: PageOptions): Uint8Array {
  try {
    const tree = parseHtml(decodeText(bytes, options.contentType))
    const meta = metaOf(tree)
    const base = baseOf(tree, options.url)
    absolutize(tree, base)
    const links = /nofollow|none/i.test(meta('robots')) ? [] : linksOf(tree)
    const canonical = attribute(
      selectAll('link[rel=canonical]', tree)[0] ?? { type: 'element', tagName: '', properties: {}, children: [] },
      'href',
    )
    const [, refresh = ''] = /^\s*\d+\s*;\s*url\s*=\s*["']?([^"']+)/i.exec(meta('refresh')) ?? []
    const titles = outerTitles(tree, meta)
    const content = mainContent(tree, options.whole)
    const title = titleOf(content, titles)
    const parts = takeInlineImages(content, options.attach)
    const markdown = printContent(content, title)
    const facts: ConvertedPage = {
      title,
      description: oneLine(meta('description')),
      links,
      canonical: addressOf(canonical, base),
      refresh: addressOf(refresh, base),
    }
    return pack(facts, [{ name: '', content: Buffer.from(markdown) }, ...parts])
  } catch (error) {
    if (error instanceof RangeError) throw new Unconvertible('Its elements are nested too deeply.')
    throw error
  }
}

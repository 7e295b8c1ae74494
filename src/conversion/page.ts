/** The task that turns a web page, or an HTML file of an export, into markdown. */
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

/** Most links of one page that are followed. */
const MAX_LINKS = 2_000
/** Most images inside of a page (`data:`), which become files. */
const MAX_INLINE_IMAGES = 200

/** What is known of a page beside its text. */
export interface ConvertedPage {
  title: string
  description: string
  /** Addresses that the page links to, anywhere on it, without fragments; empty if it asks not to follow them. */
  links: string[]
  /** The address that the page says it has; '' if it says none. */
  canonical: string
  /** Where the page sends its reader at once (`<meta http-equiv=refresh>`); '' if nowhere. */
  refresh: string
}

/** How a page is to be read. */
export interface PageOptions {
  /** The page's address. */
  url: string
  /** The content type of its response, for its charset. */
  contentType: string
  /** The page is a document of its own: an export, not a page of a website. */
  whole: boolean
  /** Names the files of images that are inside of the page: `attached:<n>` gets this before it. */
  attach: string
}

/** Longest title or description, and longest address that is followed: what is longer is no such thing. */
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
 * The titles that a page has beside its content, best first: that of Notion, of Confluence (after the name of the space), of the page. Read before
 * what surrounds the content is removed.
 */
const titlesBeside = (tree: Root, meta: (name: string) => string): string[] => [
  textOfFirst('.page-title', tree) || textOfFirst('#title-text', tree).replace(/^.{1,200}? : /, ''),
  selectAll('h1', tree).length === 1 ? textOfFirst('h1', tree) : '',
  oneLine(meta('og:title')),
  textOfFirst('head title', tree).replace(/\s+[|–—·]\s+[^|–—·]*$/u, ''),
]

/** What marks the title wins, then the first H1 of the content. */
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

/** Takes the images that are inside of the page out of it; each becomes a file. Addresses that are too long for a link, or no image, are dropped. */
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

/** Reads an HTML page. Returns `PageFacts`, then as files the markdown (named ''), and the images that were inside of it. Throws `Unconvertible`. */
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
    const titles = titlesBeside(tree, meta)
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

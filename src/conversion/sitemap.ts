/** The task that reads a sitemap: the addresses of a website's pages, or of more sitemaps. */
import { gunzipSync } from 'node:zlib'
import { selectAll } from 'hast-util-select'
import { toString as textOf } from 'hast-util-to-string'
import { pack } from './container.js'
import { decodeText } from './decode-text.js'
import { parseHtml } from './html-tree.js'

/** Maximum number of addresses per sitemap. */
const MAX_ADDRESSES = 10_000
const MAX_URL = 2_048
const MAX_BYTES = 10 * 1024 * 1024

/** The content of a sitemap. */
export interface SitemapFacts {
  pages: string[]
  sitemaps: string[]
}

/**
 * Reads a sitemap (XML, compressed or not, or plain text with an address per line). Uses an HTML parser, which does not
 * expand custom entities and accepts malformed documents.
 */
export function readSitemap(bytes: Uint8Array): Uint8Array {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  const text = decodeText(isCompressed ? gunzipSync(bytes, { maxOutputLength: MAX_BYTES }) : bytes)
  if (!/<(urlset|sitemapindex)/i.test(text)) {
    const lines = text.split(/\r?\n/).filter((line) => /^https?:\/\/\S+$/.test(line.trim()) && line.length <= MAX_URL)
    return pack({
      pages: lines.slice(0, MAX_ADDRESSES).map((line) => line.trim()),
      sitemaps: [],
    } satisfies SitemapFacts)
  }
  const tree = parseHtml(text.replace(/<!\[CDATA\[([^\]]*)\]\]>/g, '$1'))
  const locations = (selector: string): string[] =>
    selectAll(selector, tree)
      .slice(0, MAX_ADDRESSES)
      .map((one) => textOf(one).trim())
      .filter((one) => one.length <= MAX_URL)
  return pack({ pages: locations('url > loc'), sitemaps: locations('sitemap > loc') } satisfies SitemapFacts)
}

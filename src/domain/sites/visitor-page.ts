/** Renders a page of a site for a visitor: its text with the links and pictures that they may follow and see. */
import { createHmac } from 'node:crypto'
import { anchorOfLink } from '../../content/outline/anchors.js'
import { isFile } from '../../content/read-file.js'
import { resolveReference } from '../../content/resolve-reference.js'
import type { PageAttributes, PageEntry } from '../../content/types.js'
import { TextTooCostly, unlessTooCostly } from '../../content/work/text-work.js'
import { renderSource, type Rendered, type RenderOrder, type TargetTable } from '../../render/index.js'
import type { App } from '../context/app.js'
import { generatedMarkdown } from '../revisions/computed.js'
import { evaluate } from '../revisions/pages.js'
import { readDocument } from '../revisions/revisions.js'
import { noClaims } from './visitor-claims.js'
import { pathOfPage, pathOfSiteSpace, type ReadPage } from './visitor-paths.js'
import type { ShownSiteSpace } from './view.js'
import type { Visitor } from './visitor.js'
import { defined } from '../../kernel/defined.js'

/** Replacement for a page that cannot be rendered and has conditional blocks, so its source must not be shown. */
export const NOT_SHOWN = 'This page takes too much time or memory to be shown.'
/** Maximum length in characters of a page that is shown as source. The rest is cut off. */
const MAX_SOURCE = 200_000

/** Whether a page has blocks with a condition. */
export const isConditional = (markdown: string): boolean => /\{%-?\s*if\b/.test(markdown)

/** The text of a page for a visitor. */
export interface PageText {
  /** Markdown with includes, variables and parts of specifications filled in. Conditional blocks are still in it. */
  markdown: string
  attributes: PageAttributes
  /** The file in the repository; absent for generated pages. */
  gitPath?: string
}

/** Returns the text of a page that the visitor may read. */
export async function readPageText(app: App, { pages, entry }: ReadPage): Promise<PageText> {
  const { revision } = pages
  if (entry.type === 'generated') {
    const { markdown, limit } = await generatedMarkdown(app, revision.space.doc.id, entry)
    return { markdown: limit ?? markdown, attributes: { ...defined({ description: entry.description }) } }
  }
  if (entry.type !== 'document') return { markdown: '', attributes: {} }
  const page = await readDocument(app, revision, entry)
  const { attributes, markdown: written } = page.source
  const unread = page.hidden ?? page.large
  const filled = /\{%|class="expression"/.test(written)
  const markdown =
    unread ?? (filled ? await evaluate(app, revision, entry.gitPath, written, attributes.variables) : written)
  return { markdown, attributes, gitPath: entry.gitPath }
}

/**
 * Renders the text of a page. Links lead only to pages that the visitor may read.
 * @param base the path of the site as links need it, without a trailing slash
 */
export async function renderPageText(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
  base: string,
): Promise<Rendered> {
  const { revision } = page.pages
  const owner = revision.space.doc.id
  const targets = await targetsOf(app, page, text, base)
  const order: RenderOrder = {
    targets,
    idPrefix: '',
    medium: 'site',
    takeTitle: page.entry.type === 'document',
    ...defined({ lang: revision.space.doc.language ?? undefined }),
    // The same page for all visitors is rendered once.
    conditional: { claims: text.markdown.includes('{%') ? visitor.claims : noClaims },
  }
  try {
    const bytes = Buffer.from(await app.texts.bytes(owner, 'render', [text.markdown, JSON.stringify(order)]))
    const end = bytes.indexOf(10)
    const known = JSON.parse(bytes.subarray(0, end).toString()) as Omit<Rendered, 'html'>
    return { ...known, html: bytes.subarray(end + 1).toString() }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return renderSource(isConditional(text.markdown) ? NOT_SHOWN : text.markdown.slice(0, MAX_SOURCE))
  }
}

async function targetsOf(
  app: App,
  { siteSpace, pages, entry }: ReadPage,
  { markdown, gitPath }: PageText,
  base: string,
): Promise<TargetTable> {
  if (gitPath === undefined) return { links: {}, images: {} }
  const { revision } = pages
  const links: [string, TargetTable['links'][string]][] = []
  const images: [string, string][] = []
  const paths = new Set((await revision.snapshot.walk()).filter(isFile).map((file) => file.path))
  const addressOf = (to: PageEntry): string => `${base}${pathOfPage(siteSpace, pages, to)}` || '/'
  for (const { target } of await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), [])) {
    const named = resolveReference(target, gitPath, revision.structure, (path) => paths.has(path))
    if (named.kind === 'anchor') links.push([target, { href: `#${anchorOfLink(named.anchor)}` }])
    if (named.kind === 'page') {
      const to = named.entry.id === entry.id ? entry : pages.find(named.entry.id)
      const anchor = named.anchor === undefined ? '' : `#${anchorOfLink(named.anchor)}`
      if (to) links.push([target, { href: addressOf(to) + anchor, title: to.title }])
    }
    if (named.kind === 'file') {
      const href = base + pathOfFile(app, siteSpace, named.gitPath)
      images.push([target, href])
      links.push([target, { href }])
    }
  }
  return { links: Object.fromEntries(links), images: Object.fromEntries(images) }
}

const signatureOf = (app: App, siteSpace: string, gitPath: string): string =>
  createHmac('sha256', app.settings.signingKey)
    .update(`site-file\n${siteSpace}\n${gitPath}`)
    .digest('base64url')
    .slice(0, 22)

/**
 * Returns the path of a file below the address of a site. It is signed, so that only a page that a visitor may read tells
 * the addresses of its files.
 */
export function pathOfFile(app: App, siteSpace: ShownSiteSpace, gitPath: string): string {
  const names = gitPath.split('/').map(encodeURIComponent).join('/')
  return `${pathOfSiteSpace(siteSpace)}/~files/${signatureOf(app, siteSpace.entry.id, gitPath)}/${names}`
}

/** Whether a signature belongs to a file of a site space. */
export const isPathOfFile = (app: App, siteSpace: ShownSiteSpace, gitPath: string, signature: string): boolean =>
  signature === signatureOf(app, siteSpace.entry.id, gitPath)

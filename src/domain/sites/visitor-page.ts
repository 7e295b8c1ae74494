/** Renders a page of a site for a visitor: its text with the links and pictures that they may follow and see. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { type ResolvedReference, resolveReference } from '../../content/resolve-reference.js'
import { TextTooCostly, unlessTooCostly } from '../../content/work/text-work.js'
import { type NamedPart, targetOf } from '../../content/specs/named-part.js'
import type { FileEntry, GeneratedEntry, PageAttributes, PageEntry } from '../../content/types.js'
import type { ShownModel, ShownOperation } from '../../model/index.js'
import {
  renderSource,
  type Rendered,
  type RenderOrder,
  type SiteOptions,
  type TargetTable,
} from '../../render/index.js'
import type { App } from '../context/app.js'
import { readParts } from '../openapi/parts.js'
import { generatedMarkdown } from '../revisions/computed.js'
import { anchorsOfLinks } from '../revisions/link-graph.js'
import { evaluate, KnownFiles, type LoadedFile, loadFiles } from '../revisions/pages.js'
import { readDocument } from '../revisions/revisions.js'
import { noClaims } from './visitor-claims.js'
import { encodedPath, pathOfPage, pathOfSiteSpace, type ReadPage } from './visitor-paths.js'
import type { ShownSiteSpace } from './view.js'
import type { Visitor } from './visitor.js'
import { defined } from '../../kernel/defined.js'

/** Replacement for a page that cannot be rendered and has conditional blocks, so its source must not be shown. */
export const NOT_SHOWN = 'This page takes too much time or memory to be shown.'
/** Maximum length in characters of the parts of specifications on a page, as JSON. */
const MAX_PARTS = 1024 * 1024
/** Maximum number of files of a page whose sizes are read. */
const MAX_FILES = 200
/** Maximum length in characters of the description of another page. */
const MAX_ABOUT = 300
/** Maximum length in characters of a page that is shown as source. The rest is cut off. */
const MAX_SOURCE = 200_000

/** Whether a page has blocks with a condition. */
export const isConditional = (markdown: string): boolean => /\{%-?\s*if\b/.test(markdown)

/** The text of a page for a visitor. */
export interface PageText {
  /** Markdown with includes, variables and parts of specifications filled in. Conditional blocks are still in it. */
  markdown: string
  attributes: PageAttributes
  /** Whether anything was filled in. */
  isFilled: boolean
  /** The file in the repository; absent for generated pages. */
  gitPath?: string
  /** The operations and schemas that its blocks show, by the target of the block, as JSON. */
  parts: ReadonlyMap<string, readonly string[]>
  /** The files of the repository that it may show. Absent = all. */
  files?: ReadonlySet<string>
}

/** Returns the text of a page that the visitor may read. */
export async function readPageText(app: App, { pages, entry }: ReadPage): Promise<PageText> {
  const { revision } = pages
  const parts = new Map<string, readonly string[]>()
  if (entry.type === 'generated') {
    const { markdown, limit } = await generatedMarkdown(app, revision.space.doc.id, entry)
    const attributes = { ...defined({ description: entry.description }) }
    const shown = limit === null ? await generatedParts(app, entry) : parts
    return { markdown: limit ?? markdown, attributes, isFilled: false, parts: shown }
  }
  if (entry.type !== 'document') return { markdown: '', attributes: {}, isFilled: false, parts }
  const page = await readDocument(app, revision, entry)
  const { attributes, markdown: written } = page.source
  const markdown =
    page.hidden ??
    page.large ??
    (await evaluate(app, revision, entry.gitPath, written, attributes.variables, (part, shown) => {
      parts.set(targetOf(part), shown)
    }))
  return { markdown, attributes, isFilled: markdown !== written, gitPath: entry.gitPath, parts }
}

/** Returns the parts of a generated page by the targets of its blocks. */
async function generatedParts(app: App, { shown }: GeneratedEntry): Promise<PageText['parts']> {
  const found = (await readParts(app, shown.file, shown.parts)) ?? []
  return new Map(
    found.map(({ shown: json }) => {
      const part: ShownOperation | ShownModel = JSON.parse(json)
      const named: NamedPart =
        part.kind === 'operation'
          ? { slug: shown.spec, kind: 'operation', method: part.method, path: part.path }
          : { slug: shown.spec, kind: 'schemas', names: [part.name] }
      return [targetOf(named), [json]]
    }),
  )
}

/** Returns the parts as a member of an order in JSON. Parts that are too large are shown as the markdown in their block. */
function partsJson(parts: PageText['parts']): string {
  let left = MAX_PARTS
  const members: string[] = []
  for (const [target, shown] of parts) {
    const member = `${JSON.stringify(target)}:[${shown.join()}]`
    if (member.length <= left) members.push(member)
    left -= member.length
  }
  return `{${members.join()}}`
}

/**
 * Renders the text of a page. Links point only to pages that the visitor may read.
 * @param base the path of the site as links need it, without a trailing slash
 * @param change the texts before and after a commit, to render only the blocks that it added or changed
 */
export async function renderPageText(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
  base: string,
  site: SiteOptions = {},
  change?: RenderOrder['change'],
): Promise<Rendered> {
  const owner = page.pages.revision.space.doc.id
  const order = { ...(await renderOrderOf(app, visitor, page, text, base)), site, ...defined({ change }) }
  // The stored parts are JSON already.
  const json = `${JSON.stringify(order).slice(0, -1)},"parts":${partsJson(text.parts)}}`
  try {
    const bytes = await renderingOf(app, owner, text.markdown, json)
    const end = bytes.indexOf(10)
    const known: Omit<Rendered, 'html'> = JSON.parse(bytes.subarray(0, end).toString())
    return { ...known, html: bytes.subarray(end + 1).toString() }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return renderSource(isConditional(text.markdown) ? NOT_SHOWN : text.markdown.slice(0, MAX_SOURCE))
  }
}

/** Returns the options with which the text of a page is rendered for a visitor. */
export async function renderOrderOf(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
  base: string,
): Promise<RenderOrder> {
  return {
    targets: await targetsOf(app, page, text, base),
    idPrefix: '',
    medium: 'site',
    takeTitle: page.entry.type === 'document',
    ...defined({ lang: page.pages.revision.space.doc.language ?? undefined }),
    // A page that is the same for all visitors is rendered once.
    conditional: { claims: text.markdown.includes('{%') ? visitor.claims : noClaims },
  }
}

/** Returns the result of the task `render`. The same text with the same targets and claims is rendered once. */
async function renderingOf(app: App, owner: string, markdown: string, order: string): Promise<Buffer> {
  const key = hash('sha256', `${markdown.length} ${markdown}${order}`, 'base64url')
  const known = app.content.renderings.get(key)
  if (known) return known
  const bytes = Buffer.from(await app.texts.bytes(owner, 'render', [markdown, order]))
  app.content.renderings.set(key, bytes)
  return bytes
}

async function targetsOf(
  app: App,
  { siteSpace, pages }: ReadPage,
  { markdown, gitPath, files: allowed }: PageText,
  base: string,
): Promise<TargetTable> {
  if (gitPath === undefined) return { links: {}, images: {} }
  const { revision } = pages
  const links: [string, TargetTable['links'][string]][] = []
  const images: [string, string][] = []
  const files = new Map<string, string>()
  const exists = new KnownFiles(revision.snapshot)
  const addressOf = (to: PageEntry): string => `${base}${pathOfPage(siteSpace, pages, to)}` || '/'
  const named = new Map<string, ResolvedReference>()
  for (const { target } of await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), []))
    named.set(target, await exists.during((has) => resolveReference(target, gitPath, revision.structure, has)))
  const anchorIn = await anchorsOfLinks(app, revision, named.values())
  for (const [target, to] of named) {
    if (to.kind === 'anchor') links.push([target, { href: `#${anchorIn(gitPath, to.anchor)}` }])
    if (to.kind === 'page') {
      const page = pages.find(to.entry.id)
      const anchor = to.anchor === undefined ? '' : `#${anchorIn(to.gitPath, to.anchor)}`
      if (page) links.push([target, { href: addressOf(page) + anchor, title: page.title, ...aboutPage(pages, page) }])
    }
    if (to.kind === 'file' && (!allowed || allowed.has(to.gitPath))) {
      const href = base + pathOfFile(app, siteSpace, to.gitPath)
      files.set(target, to.gitPath)
      images.push([target, href])
      links.push([target, { href }])
    }
  }
  const known = await loadedFiles(app, revision, [...new Set(files.values())])
  const sizes = [...files].flatMap(([target, path]): [string, { width: number; height: number }][] => {
    const dimensions = known.get(path)?.dimensions
    return dimensions ? [[target, dimensions]] : []
  })
  const sized = links.map(([target, link]): (typeof links)[number] => {
    const size = known.get(files.get(target) ?? '')?.size
    return [target, { ...link, ...defined({ size }) }]
  })
  return { links: Object.fromEntries(sized), images: Object.fromEntries(images), sizes: Object.fromEntries(sizes) }
}

/** Returns the description of a page that the visitor may read, for cards that link to it. */
function aboutPage({ known }: ReadPage['pages'], page: PageEntry): { about?: string } {
  const about = page.type === 'document' ? known.get(page.gitPath)?.page.attributes.description : undefined
  return defined({ about: about?.slice(0, MAX_ABOUT) })
}

/** Returns the files that a page shows or links to, with their sizes. */
async function loadedFiles(
  app: App,
  revision: ReadPage['pages']['revision'],
  paths: readonly string[],
): Promise<Map<string, LoadedFile>> {
  const places = paths.slice(0, MAX_FILES).map((gitPath): FileEntry => {
    return { id: '', key: '', name: gitPath.slice(gitPath.lastIndexOf('/') + 1), gitPath }
  })
  const loaded = await loadFiles(app, revision, places)
  return new Map(loaded.map((file) => [file.place.gitPath, file]))
}

/** Length of the signature of a file, in characters. */
const SIGNATURE = 22

const signatureOf = (app: App, siteSpace: string, gitPath: string): string =>
  createHmac('sha256', app.settings.signingKey)
    .update(`site-file\n${siteSpace}\n${gitPath}`)
    .digest('base64url')
    .slice(0, SIGNATURE)

/**
 * Returns the path of a file below the address of a site. It is signed, so that visitors get the addresses of files
 * only from pages that they may read.
 */
export function pathOfFile(app: App, siteSpace: ShownSiteSpace, gitPath: string): string {
  return `${pathOfSiteSpace(siteSpace)}/~files/${signatureOf(app, siteSpace.entry.id, gitPath)}/${encodedPath(gitPath)}`
}

/** Whether a signature belongs to a file of a site space. */
export const isPathOfFile = (app: App, siteSpace: ShownSiteSpace, gitPath: string, signature: string): boolean =>
  signature.length === SIGNATURE &&
  timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(app, siteSpace.entry.id, gitPath)))

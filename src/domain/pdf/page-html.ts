/** Renders a page of a revision for print. Its links point into the book, and its pictures are files next to it. */
import { type ResolvedReference, resolveReference } from '../../content/resolve-reference.js'
import type { DocumentEntry, GeneratedEntry } from '../../content/types.js'
import { TextTooCostly, unlessTooCostly } from '../../content/work/text-work.js'
import { ORIGIN } from '../../printing/index.js'
import { renderSource, type RenderOrder, type Rendered, type TargetTable } from '../../render/index.js'
import type { App } from '../context/app.js'
import { generatedMarkdown } from '../revisions/computed.js'
import { anchorsOfLinks } from '../revisions/link-graph.js'
import { evaluate } from '../revisions/pages.js'
import { type OpenRevision, readDocument } from '../revisions/revisions.js'
import type { Pictures } from './pictures.js'
import type { PrintedEntry } from './selection.js'
import { defined } from '../../kernel/defined.js'

/** Maximum length in characters of a page that is printed as source. The rest is cut off. */
const MAX_SOURCE = 200_000

/** Replacement for a page that cannot be rendered and has conditional blocks, so its source must not be printed. */
const NOT_PRINTED = 'This page takes too much time or memory to be printed.'

/** The context that the pages of a book share. */
export interface PageSurroundings {
  app: App
  revision: OpenRevision
  pictures: Pictures
  /** Paths of all files of the revision. */
  paths: ReadonlySet<string>
  /** IDs of the pages in the book. */
  printed: ReadonlySet<string>
  lang: string
}

/** A rendered page of the book. */
interface PrintedPage extends Rendered {
  description?: string
}

/** Returns the ID of the element at the start of a page. */
export const anchorOfPage = (id: string): string => `p-${id}`

/** Returns the engine's address for an anchor in the book. `next` is the fallback if there is no such anchor. */
export const bookAddress = (anchor: string, next?: string): string =>
  `${ORIGIN}/book${next === undefined ? '' : `?page=${encodeURIComponent(next)}`}#${encodeURIComponent(anchor)}`

/** Renders a page in a thread. A page that takes too long is printed as source. */
export async function pageHtml(entry: PrintedEntry, around: PageSurroundings): Promise<PrintedPage> {
  const { app, revision } = around
  if (entry.type === 'generated') return generatedHtml(entry, around)
  const page = await readDocument(app, revision, entry)
  const { attributes, markdown: written } = page.source
  const markdown =
    page.hidden ?? page.large ?? (await evaluate(app, revision, entry.gitPath, written, attributes.variables))
  const rendered = await render(
    app,
    revision.space.doc.id,
    markdown,
    orderOf(entry, await targetsOf(markdown, entry, around)),
  )
  return { ...rendered, ...defined({ description: attributes.description }) }
}

const orderOf = ({ id }: PrintedEntry, targets: TargetTable): RenderOrder => ({
  targets,
  idPrefix: `${anchorOfPage(id)}-`,
  layOpen: true,
  conditional: 'hide',
  takeTitle: true,
})

/** Renders a page of a specification. Its links point to web addresses only. */
async function generatedHtml(entry: GeneratedEntry, { app, revision }: PageSurroundings): Promise<PrintedPage> {
  const owner = revision.space.doc.id
  const { markdown, limit } = await generatedMarkdown(app, owner, entry)
  return render(app, owner, limit ?? markdown, { ...orderOf(entry, { links: {}, images: {} }), takeTitle: false })
}

async function render(app: App, owner: string, markdown: string, order: RenderOrder): Promise<Rendered> {
  try {
    const bytes = Buffer.from(await app.texts.bytes(owner, 'render', [markdown, JSON.stringify(order)]))
    const end = bytes.indexOf(10)
    const known: Omit<Rendered, 'html'> = JSON.parse(bytes.subarray(0, end).toString())
    return { ...known, html: bytes.subarray(end + 1).toString() }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return renderSource(isConditional(markdown) ? NOT_PRINTED : markdown.slice(0, MAX_SOURCE))
  }
}

const isConditional = (markdown: string): boolean => /\{%-?\s*if\b/.test(markdown)

async function targetsOf(markdown: string, entry: DocumentEntry, around: PageSurroundings): Promise<TargetTable> {
  const { app, revision, paths, pictures } = around
  const links: [string, TargetTable['links'][string]][] = []
  const images: [string, string][] = []
  const resolved = new Map<string, ResolvedReference>()
  for (const { target } of await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), []))
    resolved.set(
      target,
      resolveReference(target, entry.gitPath, revision.structure, (path) => paths.has(path)),
    )
  const anchorIn = await anchorsOfLinks(app, revision, resolved.values())
  for (const [target, named] of resolved) {
    if (named.kind === 'anchor') {
      const anchor = anchorInBook(entry.id, anchorIn(entry.gitPath, named.anchor))
      links.push([target, { href: bookAddress(anchor, anchorOfPage(entry.id)) }])
    }
    if (named.kind === 'page' && around.printed.has(named.entry.id)) {
      const { id, title } = named.entry
      const top = anchorOfPage(id)
      const anchor = named.anchor === undefined ? undefined : anchorInBook(id, anchorIn(named.gitPath, named.anchor))
      links.push([target, { href: anchor === undefined ? bookAddress(top) : bookAddress(anchor, top), title }])
    }
    if (named.kind !== 'file') continue
    const picture = await pictures.address(named.gitPath)
    if (picture !== null) images.push([target, picture])
    const url = revision.space.doc.git?.fileURL
    if (url !== undefined)
      links.push([
        target,
        { href: `${url.replace(/\/$/, '')}/${named.gitPath.split('/').map(encodeURIComponent).join('/')}` },
      ])
  }
  return { links: Object.fromEntries(links), images: Object.fromEntries(images) }
}

/** Returns the ID in the book of an element of a page. */
const anchorInBook = (page: string, anchor: string): string => `${anchorOfPage(page)}-${anchor}`

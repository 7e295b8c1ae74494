/** Renders a page of a revision for print: its links lead into the book, its pictures are files beside it. */
import { resolveReference } from '../../content/resolve-reference.js'
import { anchorOf } from '../../content/outline/anchors.js'
import type { DocumentEntry, GeneratedEntry } from '../../content/types.js'
import { TextTooCostly, unlessTooCostly } from '../../content/work/text-work.js'
import { ORIGIN } from '../../printing/index.js'
import { renderSource, type RenderOrder, type Rendered, type TargetTable } from '../../render/index.js'
import type { App } from '../context/app.js'
import { generatedMarkdown } from '../revisions/computed.js'
import { evaluate } from '../revisions/pages.js'
import { type OpenRevision, readDocument } from '../revisions/revisions.js'
import type { Pictures } from './pictures.js'
import type { PrintedEntry } from './selection.js'

/** Longest source, in characters, of a page that cannot be rendered: the rest is left out. */
const MAX_SOURCE = 200_000

/** Instead of a page that could be printed as its source alone, but has blocks with a condition. */
const NOT_PRINTED = 'This page takes too much time or memory to be printed.'

/** What the pages of one book have in common. */
export interface PageSurroundings {
  app: App
  revision: OpenRevision
  pictures: Pictures
  /** Paths of all files of the revision. */
  paths: ReadonlySet<string>
  /** The pages of the book, by ID. */
  printed: ReadonlySet<string>
  lang: string
}

/** A page as it goes into the book. */
interface PrintedPage extends Rendered {
  description?: string
}

/** The ID of the element where a page begins. */
export const anchorOfPage = (id: string): string => `p-${id}`

/** The address by which the engine knows a place in the book; `next` is the place to go to if there is none of that ID. */
export const bookAddress = (anchor: string, next?: string): string =>
  `${ORIGIN}/book${next === undefined ? '' : `?page=${encodeURIComponent(next)}`}#${encodeURIComponent(anchor)}`

/** Renders a page in a thread; one that takes too long is printed as its source. */
export async function pageHtml(entry: PrintedEntry, around: PageSurroundings): Promise<PrintedPage> {
  const { app, revision } = around
  if (entry.type === 'generated') return generatedHtml(entry, around)
  const page = await readDocument(app, revision, entry)
  const { attributes, markdown: written } = page.source
  const unread = page.hidden ?? page.large
  const filled = /\{%|class="expression"/.test(written)
  const markdown =
    unread ?? (filled ? await evaluate(app, revision, entry.gitPath, written, attributes.variables) : written)
  const rendered = await render(
    app,
    revision.space.doc.id,
    markdown,
    orderOf(entry, await targetsOf(markdown, entry, around)),
  )
  return { ...rendered, ...(attributes.description === undefined ? {} : { description: attributes.description }) }
}

const orderOf = ({ id }: PrintedEntry, targets: TargetTable): RenderOrder => ({
  targets,
  idPrefix: `${anchorOfPage(id)}-`,
  layOpen: true,
  conditional: 'hide',
  takeTitle: true,
})

/** A page of a specification: its links lead to addresses alone. */
async function generatedHtml(entry: GeneratedEntry, { app, revision }: PageSurroundings): Promise<PrintedPage> {
  const owner = revision.space.doc.id
  const { markdown, limit } = await generatedMarkdown(app, owner, entry)
  return render(app, owner, limit ?? markdown, { ...orderOf(entry, { links: {}, images: {} }), takeTitle: false })
}

async function render(app: App, owner: string, markdown: string, order: RenderOrder): Promise<Rendered> {
  try {
    const bytes = Buffer.from(await app.texts.bytes(owner, 'render', [markdown, JSON.stringify(order)]))
    const end = bytes.indexOf(10)
    const known = JSON.parse(bytes.subarray(0, end).toString()) as Omit<Rendered, 'html'>
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
  for (const { target } of await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), [])) {
    const named = resolveReference(target, entry.gitPath, revision.structure, (path) => paths.has(path))
    if (named.kind === 'anchor')
      links.push([target, { href: bookAddress(anchorIn(entry.id, named.anchor), anchorOfPage(entry.id)) }])
    if (named.kind === 'page' && around.printed.has(named.entry.id)) {
      const { id, title } = named.entry
      const top = anchorOfPage(id)
      links.push([
        target,
        { href: named.anchor === undefined ? bookAddress(top) : bookAddress(anchorIn(id, named.anchor), top), title },
      ])
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

/** The ID of a heading in the book, by the anchor that a link names. */
const anchorIn = (page: string, anchor: string): string => `${anchorOfPage(page)}-${decoded(anchor)}`

function decoded(anchor: string): string {
  try {
    const plain = decodeURIComponent(anchor)
    return plain === plain.toLowerCase() ? plain : anchorOf(plain)
  } catch {
    return anchor
  }
}

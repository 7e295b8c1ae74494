/**
 * Turns the pages of a revision into the JSON that clients get: one page with its content, or a tree of pages without
 * content.
 */
import { namedTags } from '../../content/tags.js'
import { resolveReference } from '../../content/resolve-reference.js'
import type { DocumentEntry, GeneratedEntry, PageAttributes, PageEntry } from '../../content/types.js'
import type { App } from '../../domain/context/app.js'
import { type ContentVersion, pageAddress } from '../../domain/context/app-addresses.js'
import type { KnownPage, PageDates, ParsedPage } from '../../domain/context/content-cache.js'
import { generatedMarkdown } from '../../domain/revisions/computed.js'
import { documentJson, largeJson, markdownJson } from '../../domain/revisions/documents.js'
import { fileAtHost } from '../../domain/revisions/host-addresses.js'
import { datesAt, datesOf } from '../../domain/revisions/page-dates.js'
import { diagnosticsOf, tooCostly } from '../../domain/revisions/page-source.js'
import { evaluate } from '../../domain/revisions/pages.js'
import { filesOf, knownPages, type OpenRevision, readDocument } from '../../domain/revisions/revisions.js'
import { iso } from '../../kernel/clock.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { ContentReference, Format, Page } from '../../model/index.js'
import { defined, required } from '../../kernel/defined.js'

type Layout = Page['layout']

/** The default layout of a page. */
const usual: Layout = {
  width: 'default',
  cover: true,
  coverSize: 'full',
  coverMask: 'none',
  title: true,
  description: true,
  tableOfContents: true,
  outline: true,
  pagination: true,
  metadata: true,
  tags: true,
  actions: true,
  anchors: true,
}

/** Returns a layout with all members. An unknown width or size becomes the default. */
function presentLayout(written: PageAttributes['layout'] = {}): Layout {
  const { width, coverSize, coverMask, ...shown } = written
  return {
    ...usual,
    ...shown,
    width: width === 'wide' ? 'wide' : 'default',
    coverSize: coverSize === 'hero' ? 'hero' : 'full',
    coverMask: coverMask === 'radial' ? 'radial' : 'none',
  }
}

/** Options for presenting pages. */
export interface PageOptions {
  metadata: boolean
  computed: boolean
  /** Insert reusable content and the values of variables into the content. */
  evaluated?: boolean
}

/**
 * Returns content in the requested format. `limit` is the reason why a block tree contains only the source. `owner` is
 * the space that the work counts toward.
 */
export async function inFormat(
  app: App,
  owner: string,
  markdown: string,
  format: Format,
): Promise<{ content: object; limit: string | null }> {
  if (format === 'markdown') return { content: { markdown: await markdownJson(app, owner, markdown) }, limit: null }
  const { document, limit } = await documentJson(app, owner, markdown)
  return { content: { document }, limit }
}

/** The context for presenting the pages of one revision. */
export interface PageContext {
  app: App
  revision: OpenRevision
  /** The version that addresses of pages contain. */
  version: ContentVersion
  options: PageOptions
  dates: PageDates
  /** Returns the map from Git path to file ID. Computed on first use. */
  fileIds: () => Promise<Map<string, string>>
  /** Pages of a list that are presented without their texts, by file path. */
  listed: Map<string, { oid: string; page: KnownPage }>
}

/** Creates the context for presenting the pages of a revision. */
export async function pageContext(
  app: App,
  revision: OpenRevision,
  options: PageOptions,
  version: ContentVersion = {},
): Promise<PageContext> {
  let ids: Promise<Map<string, string>> | null = null
  const load = async () => new Map((await filesOf(app, revision)).map((file) => [file.gitPath, file.id]))
  return {
    app,
    revision,
    version,
    options,
    dates: await datesAt(app, revision.space, revision.snapshot.commit),
    fileIds: () => (ids ??= load()),
    listed: new Map(),
  }
}

/** Returns the location of a file at the Git provider, and its path from the root of that repository. */
export function gitPlace(
  context: Pick<PageContext, 'revision'>,
  oid: string,
  path: string,
): { oid: string; path: string; url?: string } {
  return { oid, ...fileAtHost(context.revision.space.doc.git, path) }
}

async function coverReference(
  context: PageContext,
  target: string | undefined,
  from: string,
): Promise<ContentReference | undefined> {
  if (target === undefined) return undefined
  const ids = await context.fileIds()
  const resolved = resolveReference(target, from, context.revision.structure, (path) => ids.has(path))
  const id = resolved.kind === 'file' && resolved.gitPath !== undefined ? ids.get(resolved.gitPath) : undefined
  return id === undefined ? { kind: 'url', url: target } : { kind: 'file', file: id }
}

async function cover(
  context: PageContext,
  attributes: PageAttributes,
  from: string,
): Promise<Page['cover'] | undefined> {
  if (!attributes.cover) return undefined
  const { ref, refDark, ...place } = attributes.cover
  const [light, dark] = await Promise.all([coverReference(context, ref, from), coverReference(context, refDark, from)])
  return { ...place, ...(light ? { ref: light } : {}), ...(dark ? { refDark: dark } : {}) }
}

/** Returns a document, with its content if there is a `format`. */
async function presentDocument(context: PageContext, entry: DocumentEntry, format?: Format): Promise<Partial<Page>> {
  if (format !== undefined) {
    const page = await readDocument(context.app, context.revision, entry)
    return {
      ...(await presentAttributes(context, entry, page.oid, page.source.attributes)),
      ...(await presentContent(context, entry, page, format)),
    }
  }
  const { oid, page } = context.listed.get(entry.gitPath) ?? (await knownPage(context, entry))
  const diagnostics = diagnosticsOf(page, entry.gitPath)
  return {
    ...(await presentAttributes(context, entry, oid, page.attributes)),
    ...(diagnostics.length > 0 ? { diagnostics } : {}),
  }
}

async function knownPage(
  { app, revision }: PageContext,
  entry: DocumentEntry,
): Promise<{ oid: string; page: KnownPage }> {
  const [known] = (await knownPages(app, revision, [entry])).values()
  return required(known)
}

async function presentAttributes(
  context: PageContext,
  { gitPath }: DocumentEntry,
  oid: string,
  all: PageAttributes,
): Promise<Partial<Page>> {
  const { title: _title, cover: _cover, layout, emoji, variables, tags, ...attributes } = all
  const dates = datesOf(context.dates, gitPath)
  const image = await cover(context, all, gitPath)
  return {
    ...attributes,
    tags: namedTags(tags, context.revision.structure.tags),
    ...defined({ emoji, variables }),
    layout: presentLayout(layout),
    ...(image ? { cover: image } : {}),
    ...(dates ? { createdAt: iso(dates.created), updatedAt: iso(dates.updated) } : {}),
    ...(context.options.metadata ? { git: gitPlace(context, oid, gitPath) } : {}),
  }
}

/**
 * Returns the text in the requested format and the diagnostics of the page. A hidden file has neither text nor tree.
 */
async function presentContent(
  { app, revision, options }: PageContext,
  { gitPath }: DocumentEntry,
  page: ParsedPage & { oid: string },
  format: Format,
): Promise<object> {
  const { markdown, attributes, diagnostics } = page.source
  const found = (all: readonly Diagnostic[]): object => (all.length > 0 ? { diagnostics: all } : {})
  if (page.hidden !== undefined && format === 'markdown') return found(diagnostics)
  const owner = revision.space.doc.id
  if (page.large !== undefined)
    return {
      ...found(diagnostics),
      ...(await largeJson(app, owner, revision.snapshot, { oid: page.oid, limit: page.large }, format)),
    }
  const written =
    page.hidden ??
    (options.evaluated ? await evaluate(app, revision, gitPath, markdown, attributes.variables) : markdown)
  const { content, limit } = await inFormat(app, owner, written, format)
  const known = limit === null || diagnostics.some((one) => one.code === 'too-costly')
  return { ...found(known ? diagnostics : [...diagnostics, tooCostly(gitPath, limit)]), ...content }
}

function presentLink(context: PageContext, entry: Extract<PageEntry, { type: 'link' }>): Partial<Page> {
  const page = entry.target && context.revision.structure.byGitPath.get(entry.target.gitPath)
  if (!page) return { href: entry.href, ...(entry.href === '' ? {} : { target: { kind: 'url', url: entry.href } }) }
  return {
    href: entry.href,
    target:
      entry.target?.anchor === undefined
        ? { kind: 'page', page: page.id }
        : { kind: 'anchor', page: page.id, anchor: entry.target.anchor },
  }
}

/** Returns a page that a computed entry generates, with its content if there is a `format`. */
async function presentGenerated(
  { app, revision }: PageContext,
  entry: GeneratedEntry,
  format?: Format,
): Promise<Partial<Page>> {
  const { about } = entry.shown
  const own = {
    type: 'document',
    computed: entry.computed,
    computedSeed: entry.id,
    ...(about === undefined ? {} : { description: firstLine(about) }),
  } as const
  if (format === undefined) return own
  const owner = revision.space.doc.id
  const { markdown, limit } = await generatedMarkdown(app, owner, entry)
  const shown = await inFormat(app, owner, markdown, format)
  const why = limit ?? shown.limit
  return {
    ...own,
    ...shown.content,
    ...(why === null
      ? {}
      : { diagnostics: [{ code: 'too-costly', message: `${entry.title} is not shown completely. ${why}` }] }),
  }
}

const firstLine = (text: string): string => (text.split(/[\r\n]/)[0] ?? '').slice(0, 500)

const kinds = { document: 'sheet', computed: 'sheet', generated: 'sheet', group: 'group', link: 'link' } as const

/** Returns the members that depend on the type of the page. */
async function presentKind(context: PageContext, entry: PageEntry, format?: Format): Promise<Partial<Page>> {
  if (entry.type === 'document') return presentDocument(context, entry, format)
  if (entry.type === 'generated') return presentGenerated(context, entry, format)
  return entry.type === 'link' ? presentLink(context, entry) : {}
}

/** Returns a page without its subpages. It has content only if there is a `format`. */
export async function presentOwn(
  context: PageContext,
  entry: PageEntry,
  format?: Format,
): Promise<Omit<Page, 'pages'>> {
  const { app, revision } = context
  const own = await presentKind(context, entry, format)
  return {
    id: entry.id,
    title: entry.title,
    type: entry.type,
    kind: kinds[entry.type],
    layout: presentLayout(),
    tags: [],
    slug: entry.slug,
    path: entry.path,
    urls: { app: pageAddress(app, revision.space.doc.id, entry.id, context.version) },
    ...own,
    ...(entry.type === 'computed' ? { computed: entry.computed, computedSeed: entry.id } : {}),
  } as Omit<Page, 'pages'>
}

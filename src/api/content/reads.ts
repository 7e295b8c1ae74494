/**
 * Declares the endpoints that read content once. The main content, change requests and revisions mount them under their
 * own paths.
 */
import { type ContentVersion, pagePath } from '../../domain/context/app-addresses.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { getFile, getPage, getPageByPath, loadFiles } from '../../domain/revisions/pages.js'
import { momentOf, withComputed } from '../../domain/revisions/computed.js'
import { blockChangesOf } from '../../domain/revisions/block-changes.js'
import { type Draft, renderBlocks } from '../../domain/revisions/rendered-blocks.js'
import { filesOf, type OpenRevision } from '../../domain/revisions/revisions.js'
import type { PageEntry } from '../../content/types.js'
import type { CommitId } from '../../kernel/ids.js'
import { paginate } from '../../kernel/paging.js'
import {
  ContentQuery,
  File,
  FileList,
  FilesQuery,
  Page,
  PageQuery,
  Pages,
  ReusableContent,
  PageBlockChanges,
  RenderDraft,
  RenderedPage,
  Revision,
} from '../../model/index.js'
import { endpoint, type Loaded, loadedBelow } from '../service.js'
import { presentFile, presentReusableContent, presentRevision } from './present.js'
import { pageRenewal } from './page-renewal.js'
import { pageContext } from './present-page.js'
import { presentBlockChanges, presentPage, presentPages } from './present-tree.js'
import { contentValidator, revisionValidator } from './validators.js'

type BelowSpace = `/v1/spaces/{spaceId}/${string}`

/** The source of the content. */
interface ContentSource<Path extends BelowSpace> {
  /** Path of the whole revision. Its parts are below this path. */
  path: Path
  /** The noun in summaries. */
  noun: string
  section: string
  /** Returns the commit that responses depend on. */
  head: (loaded: Loaded<Path>) => CommitId
  open: (loaded: Loaded<Path>) => OpenRevision | Promise<OpenRevision>
  /** Returns the version that addresses in responses contain. Absent = main. */
  version?: (loaded: Loaded<Path>) => ContentVersion
  /** Whether computed pages use the newest versions of specifications. */
  isNewest?: true
  /** Whether the content is at the head of main, so that page responses may be renewed when main moves. */
  isMain?: true
}

/** The context of every read, regardless of the source. */
interface ContentRequest {
  app: App
  space: LoadedSpace
}
/** The query of a read that may include computed pages. */
interface PresentOptions extends ContentRequest {
  query: { computed: boolean }
}
type Reads = ReturnType<typeof readsOf>

/** Declares all reads of a source. */
export function contentReads<const Path extends BelowSpace>(source: ContentSource<Path>) {
  const reads = readsOf(source)
  return { ...lists(reads), ...pageReads(reads), ...renderedReads(reads), ...items(reads) }
}

/** Returns a source without the types of its path, and the shared parts of its endpoints. */
function readsOf<Path extends BelowSpace>(source: ContentSource<Path>) {
  const { path, noun, section, head, open, isNewest, isMain } = source
  const version = (context: ContentRequest): ContentVersion => source.version?.(loadedBelow(context)) ?? {}
  const opened = async (context: ContentRequest) => open(loadedBelow(context))
  const show = async (context: PresentOptions): Promise<OpenRevision> => {
    const revision = await opened(context)
    return context.query.computed
      ? withComputed(context.app, revision, isNewest ? null : await momentOf(context.space, revision))
      : revision
  }
  return {
    path: path,
    noun,
    common: { method: 'GET', section, needs: 'space:view' } as const,
    head: (context: ContentRequest) => head(loadedBelow(context)),
    open: opened,
    version,
    /** Opens the revision with computed pages, unless the query excludes them. */
    show,
    validator: (context: ContentRequest) => contentValidator(context.app, context.space, head(loadedBelow(context))),
    /** Renders the blocks of a page for the app. */
    render: async (context: ContentRequest & { pageId: string }, draft?: Draft) => {
      const revision = await show({ ...context, query: { computed: true } })
      const linkTo = (page: PageEntry) => pagePath(context.space.doc.id, page.id, version(context))
      const rendered = await renderBlocks(context.app, revision, getPage(revision, context.pageId), linkTo, draft)
      return { object: 'rendered-page' as const, ...rendered }
    },
    /** Returns the data to renew a page response. */
    renewal: async (
      context: PresentOptions & { query: { evaluated: boolean } },
      find: (revision: OpenRevision) => PageEntry,
      body: Buffer,
    ) => {
      const revision = isMain ? await show(context) : null
      return (
        revision && pageRenewal(context.app, revision, find(revision), { evaluated: context.query.evaluated, body })
      )
    },
  }
}

/** Declares the reads of the whole revision, its pages and its files. */
function lists({ path, noun, common, head, open, show, version, validator }: Reads) {
  return {
    revision: endpoint({
      ...common,
      path,
      summary: `Get ${noun}: pages without their text, files, reusable content, variables and diagnostics`,
      query: ContentQuery,
      returns: Revision,
      validator: (context) => revisionValidator(context.app, context.space, head(context)),
      handle: async (context) => presentRevision(context.app, await show(context), context.query, version(context)),
    }),
    pages: endpoint({
      ...common,
      path: `${path}/pages`,
      summary: `List the pages of ${noun}`,
      query: ContentQuery,
      returns: Pages,
      validator,
      handle: async (context) => {
        const revision = await show(context)
        const presented = await pageContext(context.app, revision, context.query, version(context))
        return { pages: (await presentPages(presented, revision.structure.pages)).json }
      },
    }),
    files: endpoint({
      ...common,
      path: `${path}/files`,
      summary: `List the files of ${noun}`,
      description: 'Files below `.gitbook/assets` and files that a page references, ordered by path.',
      query: FilesQuery,
      returns: FileList,
      validator,
      handle: async (context) => {
        const revision = await open(context)
        const page = paginate(await filesOf(context.app, revision), context.query, (file) => [file.gitPath, file.id])
        const loaded = await loadFiles(context.app, revision, page.items)
        return { ...page, items: loaded.map((file) => presentFile(context.app, revision, file, context.query)) }
      },
    }),
  }
}

/** Declares the reads of one page of the revision. */
function pageReads({ path, noun, common, show, version, validator, renewal }: Reads) {
  return {
    page: endpoint({
      ...common,
      path: `${path}/page/{pageId}`,
      summary: `Get a page of ${noun} by ID, with its content`,
      query: PageQuery,
      returns: Page,
      validator,
      renewal: (context, body) => renewal(context, (revision) => getPage(revision, context.pageId), body),
      handle: async (context) => {
        const revision = await show(context)
        return presentPage(
          await pageContext(context.app, revision, context.query, version(context)),
          getPage(revision, context.pageId),
          context.query.format,
        )
      },
    }),
    pageByPath: endpoint({
      ...common,
      path: `${path}/path/{pagePath*}`,
      summary: `Get a page of ${noun} by its path, with its content`,
      description:
        'Follows redirects in the configuration of the space. A page takes precedence over a redirect from the same path.',
      query: PageQuery,
      returns: Page,
      validator,
      renewal: (context, body) => renewal(context, (revision) => getPageByPath(revision, context.pagePath), body),
      handle: async (context) => {
        const revision = await show(context)
        return presentPage(
          await pageContext(context.app, revision, context.query, version(context)),
          getPageByPath(revision, context.pagePath),
          context.query.format,
        )
      },
    }),
  }
}

/** Declares the reads of one page as HTML. */
function renderedReads({ path, noun, common, render, open, validator }: Reads) {
  return {
    blockChanges: endpoint({
      ...common,
      path: `${path}/page/{pageId}/block-changes`,
      summary: `Get the last change of each block of a page of ${noun}`,
      description:
        'Compares the page with its versions before its last 40 changes. A block is as old as its text: moves do not change it. Empty for a page without a file, and for one that takes too long.',
      returns: PageBlockChanges,
      validator,
      handle: async (context) => {
        const revision = await open(context)
        return presentBlockChanges(await blockChangesOf(context.app, revision, getPage(revision, context.pageId)))
      },
    }),
    renderedPage: endpoint({
      ...common,
      path: `${path}/page/{pageId}/rendered`,
      summary: `Get the text of a page of ${noun} as HTML, block by block`,
      description:
        'Reusable content and variables are filled in, and conditional blocks are shown with their condition. A page whose rendering takes too long is one block of source.',
      returns: RenderedPage,
      validator,
      handle: (context) => render(context),
    }),
    renderedDraft: endpoint({
      ...common,
      method: 'POST',
      path: `${path}/page/{pageId}/rendered`,
      summary: `Render a text as if it were a page of ${noun}`,
      description: 'Returns the HTML of an unsaved text, block by block, for previews. Changes nothing.',
      audited: false,
      body: RenderDraft,
      returns: RenderedPage,
      handle: (context) => render(context, { text: context.body.markdown }),
    }),
  }
}

/** Declares the reads of one file or reusable content of the revision. */
function items({ path, noun, common, open, show, validator }: Reads) {
  return {
    file: endpoint({
      ...common,
      path: `${path}/files/{fileId}`,
      summary: `Get a file of ${noun}`,
      query: ContentQuery,
      returns: File,
      validator,
      handle: async (context) => {
        const revision = await open(context)
        return presentFile(context.app, revision, await getFile(context.app, revision, context.fileId), context.query)
      },
    }),
    reusableContent: endpoint({
      ...common,
      path: `${path}/reusable-contents/{reusableContentId}`,
      summary: `Get reusable content of ${noun}`,
      query: PageQuery,
      returns: ReusableContent,
      validator,
      handle: async (context) =>
        presentReusableContent(context.app, await show(context), context.reusableContentId, context.query),
    }),
  }
}

/**
 * Renders a page for the app, block by block, with the lines of its file. Writers see all of it, including hidden
 * content.
 */
import { randomUUID } from 'node:crypto'
import { defined } from '../../kernel/defined.js'
import { type ResolvedReference, resolveReference } from '../../content/resolve-reference.js'
import type { FileEntry, PageEntry } from '../../content/types.js'
import { TextTooCostly, unlessTooCostly } from '../../content/work/text-work.js'
import {
  type PageBlock,
  type RenderedRange,
  type RenderOrder,
  renderSource,
  type TargetTable,
} from '../../render/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { generatedMarkdown } from './computed.js'
import { downloadUrl } from './downloads.js'
import { anchorsOfLinks } from './link-graph.js'
import { evaluate, KnownFiles, loadFiles } from './pages.js'
import { type OpenRevision, readDocument } from './revisions.js'

/** Maximum length in characters of a page that is shown as source. The rest is cut off. */
const MAX_SOURCE = 200_000
/** Maximum number of pictures and files of a page that get an address. */
const MAX_FILES = 200
const LINE = /\r\n|\n|\r/g

/** A rendered top-level block of a page. */
export interface RenderedBlock extends Omit<PageBlock, 'start' | 'end'> {
  html: string
}

/** A rendered page. */
export interface RenderedBlocks {
  blocks: RenderedBlock[]
  headings: { id: string; level: number; text: string }[]
}

/** The text of a page that is not saved. */
export interface Draft {
  /** The whole file, with its front matter. */
  text: string
}

/** The text of a page, and its position in the file. */
export interface PageText {
  markdown: string
  variables?: Readonly<Record<string, string>>
  /** The lines of the file before the markdown. */
  linesBefore: number
  gitPath?: string
  /** The markdown is a message, or exceeds a limit. */
  isPlain: boolean
}

/**
 * Renders the blocks of a page, or of a text that is not saved. Includes and variables are filled in, and conditional
 * blocks are shown with their condition. A text that takes too long is one block of source. Throws 404.
 * @param linkTo returns the address of a page for links
 */
export async function renderBlocks(
  app: App,
  revision: OpenRevision,
  entry: PageEntry,
  linkTo: (page: PageEntry) => string,
  draft?: Draft,
): Promise<RenderedBlocks> {
  const owner = revision.space.doc.id
  const source = await pageTextOf(app, revision, entry, draft)
  if (source.isPlain) return asSource(source)
  try {
    const blocks = await blocksOf(app, owner, source.markdown)
    const filled = await fill(app, revision, source, blocks)
    const order = orderOf(revision.space, await targetsOf(app, revision, entry, filled.markdown, linkTo))
    const starts = JSON.stringify(filled.starts)
    const bytes = await app.texts.bytes(owner, 'ranges', [filled.markdown, starts, JSON.stringify(order)])
    const shown: { blocks: RenderedRange[] } & Pick<RenderedBlocks, 'headings'> = JSON.parse(text(bytes))
    return { blocks: joined(blocks, shown.blocks, source.linesBefore), headings: shown.headings }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return asSource(source)
  }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

/** Returns the options of the renderer for texts that writers see: with hidden content, and broken links marked. */
export const orderOf = ({ doc }: LoadedSpace, targets: TargetTable): RenderOrder => ({
  targets,
  idPrefix: '',
  medium: 'site',
  conditional: 'show',
  site: { markBroken: true },
  ...defined({ lang: doc.language ?? undefined }),
})

/** Returns the top-level blocks of a text. Throws `TextTooCostly`. */
export const blocksOf = async (app: App, owner: string, markdown: string): Promise<PageBlock[]> =>
  JSON.parse(text(await app.texts.bytes(owner, 'blocks', [markdown])))

const countLines = (written: string): number => written.match(LINE)?.length ?? 0

/** Reads the text of a page, or of a draft. */
export async function pageTextOf(app: App, revision: OpenRevision, entry: PageEntry, draft?: Draft): Promise<PageText> {
  const owner = revision.space.doc.id
  if (draft) {
    const gitPath = entry.type === 'document' ? entry.gitPath : ''
    const { attributes, bodyStart } = await app.texts.for(owner).page(draft.text, gitPath)
    const markdown = draft.text.slice(bodyStart)
    const limit = await unlessTooCostly(app.texts.for(owner).limit(markdown), 'too costly')
    return {
      markdown,
      linesBefore: countLines(draft.text.slice(0, bodyStart)),
      gitPath,
      isPlain: limit !== null,
      ...defined({ variables: attributes.variables }),
    }
  }
  if (entry.type === 'generated') {
    const { markdown, limit } = await generatedMarkdown(app, owner, entry)
    return { markdown: limit ?? markdown, linesBefore: 0, isPlain: limit !== null }
  }
  if (entry.type !== 'document') return { markdown: '', linesBefore: 0, isPlain: false }
  const page = await readDocument(app, revision, entry)
  const unread = page.hidden ?? page.large
  return {
    markdown: unread ?? page.source.markdown,
    linesBefore: unread === undefined ? await linesBefore(revision, entry.gitPath, page.source.bodyStart) : 0,
    gitPath: entry.gitPath,
    isPlain: unread !== undefined,
    ...defined({ variables: page.source.attributes.variables }),
  }
}

/** Counts the lines of the front matter. */
async function linesBefore({ snapshot }: OpenRevision, gitPath: string, bodyStart: number): Promise<number> {
  if (bodyStart === 0) return 0
  const file = await snapshot.entry(gitPath)
  // UTF-8 needs at most three bytes for a UTF-16 unit.
  return file
    ? countLines(
        (await snapshot.read(file.oid))
          .subarray(0, bodyStart * 3)
          .toString()
          .slice(0, bodyStart),
      )
    : 0
}

const asSource = ({ markdown, linesBefore: before }: PageText): RenderedBlocks => {
  const shown = markdown.slice(0, MAX_SOURCE)
  return {
    blocks: [
      {
        node: '',
        type: 'source',
        digest: '',
        occurrence: 0,
        lines: [before + 1, before + 1 + countLines(shown)],
        html: renderSource(shown).html,
      },
    ],
    headings: [],
  }
}

/** Fills in includes and variables. Returns the text, and the start offset of each block in it. */
async function fill(
  app: App,
  revision: OpenRevision,
  { markdown, gitPath, variables }: PageText,
  blocks: readonly PageBlock[],
): Promise<{ markdown: string; starts: number[] }> {
  const starts = blocks.map(({ start }) => start)
  if (gitPath === undefined || !/\{%|class="expression"/.test(markdown)) return { markdown, starts }
  // A comment that no text can contain marks the start of each block, regardless of changes in the blocks before it.
  const mark = `\n\n<!-- ${randomUUID()} -->\n\n`
  const pieces = starts.map((start, at) => markdown.slice(at === 0 ? 0 : start, starts[at + 1] ?? markdown.length))
  const evaluated = (await evaluate(app, revision, gitPath, pieces.join(mark), variables)).split(mark)
  if (evaluated.length !== pieces.length) return { markdown, starts }
  let length = 0
  const filledStarts = evaluated.map((piece) => {
    const at = length
    length += piece.length
    return at
  })
  return { markdown: evaluated.join(''), starts: filledStarts }
}

/** Assigns the HTML to its blocks. Blocks without output, such as link definitions, have none. */
function joined(blocks: readonly PageBlock[], html: readonly RenderedRange[], before: number): RenderedBlock[] {
  const byBlock = new Map<number, string>()
  for (const { range, html: one } of html) byBlock.set(range, (byBlock.get(range) ?? '') + one)
  const shown = blocks.map(({ start: _start, end: _end, lines, ...block }, at): RenderedBlock => {
    return { ...block, lines: [lines[0] + before, lines[1] + before], html: byBlock.get(at) ?? '' }
  })
  const notes = byBlock.get(blocks.length)
  const last = shown.at(-1)
  if (notes !== undefined && last)
    shown.push({
      node: '',
      type: 'footnotes',
      digest: '',
      occurrence: 0,
      lines: [last.lines[1], last.lines[1]],
      html: notes,
    })
  return shown
}

/** Returns the targets of a page's links and pictures. */
export async function targetsOf(
  app: App,
  revision: OpenRevision,
  entry: PageEntry,
  markdown: string,
  linkTo: (page: PageEntry) => string,
): Promise<TargetTable> {
  if (entry.type !== 'document') return { links: {}, images: {} }
  const owner = revision.space.doc.id
  const exists = new KnownFiles(revision.snapshot)
  const named = new Map<string, ResolvedReference>()
  for (const { target } of await unlessTooCostly(app.texts.for(owner).references(markdown), []))
    named.set(target, await exists.during((has) => resolveReference(target, entry.gitPath, revision.structure, has)))
  const anchorIn = await anchorsOfLinks(app, revision, named.values())
  const links: [string, TargetTable['links'][string]][] = []
  const files = new Map<string, string>()
  for (const [target, to] of named) {
    if (to.kind === 'anchor') links.push([target, { href: `#${anchorIn(entry.gitPath, to.anchor)}` }])
    if (to.kind === 'page') {
      const anchor = to.anchor === undefined ? '' : `#${anchorIn(to.gitPath, to.anchor)}`
      links.push([target, { href: linkTo(to.entry) + anchor, title: to.entry.title }])
    }
    if (to.kind === 'file' && to.gitPath !== undefined && files.size < MAX_FILES) files.set(target, to.gitPath)
  }
  const wanted = [...new Set(files.values())].map((gitPath): FileEntry => {
    return { id: '', key: '', name: gitPath.slice(gitPath.lastIndexOf('/') + 1), gitPath }
  })
  const loaded = new Map((await loadFiles(app, revision, wanted)).map((file) => [file.place.gitPath, file]))
  const images: [string, string][] = []
  const sizes: [string, { width: number; height: number }][] = []
  for (const [target, path] of files) {
    const file = loaded.get(path)
    if (!file) continue
    const href = downloadUrl(app, owner, file.oid, file.place.name)
    images.push([target, href])
    links.push([target, { href, size: file.size }])
    if (file.dimensions) sizes.push([target, file.dimensions])
  }
  return { links: Object.fromEntries(links), images: Object.fromEntries(images), sizes: Object.fromEntries(sizes) }
}

/** The blocks of a page that a reader may change, and the text of a page with one block replaced. */
import { hash } from 'node:crypto'
import { keepLineEnds } from '../../content/edit/line-ends.js'
import { encodingOf, MAX_TEXT_BYTES } from '../../content/text.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { conflict } from '../../kernel/errors.js'
import type { SourcePlace, SuggestibleBlock } from '../../render/index.js'
import type { App } from '../context/app.js'
import { readPageSource } from '../commits/page-source.js'
import { type OpenRevision, readDocument } from '../revisions/revisions.js'
import { readPageText, renderOrderOf } from '../sites/visitor-page.js'
import type { ReadPage } from '../sites/visitor-paths.js'
import type { Visitor } from '../sites/visitor.js'

/** A block that a reader may change. */
export interface OfferedBlock {
  /** Identifies the block as long as its source is the same. */
  id: string
  /** Its number on the page, as in `data-b`. */
  number: number
  source: string
  occurrence: number
}

const idOf = (source: string, occurrence: number): string =>
  `${hash('sha256', source, 'base64url').slice(0, 22)}.${occurrence}`

/**
 * Returns the blocks of a page that a visitor may change. Their source contains nothing that the page does not show the
 * visitor. Empty for a page without a file, and for one that is too costly to parse.
 * @param base the path of the site, without a trailing slash
 */
export async function offeredBlocks(app: App, visitor: Visitor, page: ReadPage, base: string): Promise<OfferedBlock[]> {
  const { entry, pages } = page
  if (entry.type !== 'document') return []
  const { source, hidden, large } = await readDocument(app, pages.revision, entry)
  if (hidden !== undefined || large !== undefined) return []
  const text = await readPageText(app, page)
  const order = await renderOrderOf(app, visitor, page, text, base)
  try {
    const args = [source.markdown, text.markdown, JSON.stringify(order)]
    const json = await app.texts.bytes(pages.revision.space.doc.id, 'suggestible', args)
    const found: SuggestibleBlock[] = JSON.parse(Buffer.from(json).toString())
    return found.map(({ number, start, end, occurrence }) => {
      const written = source.markdown.slice(start, end)
      return { id: idOf(written, occurrence), number, source: written, occurrence }
    })
  } catch (error) {
    if (error instanceof TextTooCostly) return []
    throw error
  }
}

/** A block of a page, with its new source. */
export interface BlockChange {
  page: string
  before: string
  occurrence: number
  after: string
}

/** The message about a block that has changed or was removed since the reader read it. */
export const STALE = 'This part of the page has changed in the meantime.'

/**
 * Returns the text of the file of a page with one block replaced. All other characters, and the line ends, stay. Throws
 * 409 if the block has changed, 404 if the page no longer exists.
 */
export async function replaceBlock(
  app: App,
  revision: OpenRevision,
  { page, before, occurrence, after }: BlockChange,
): Promise<{ markdown: string; oid: string; path: string }> {
  const { file, markdown: text } = await readPageSource(revision, page)
  const entry = revision.structure.byId.get(page)
  if (entry?.type !== 'document') throw conflict(STALE)
  const { source } = await readDocument(app, revision, entry)
  const json = await app.texts.bytes(revision.space.doc.id, 'sources', [source.markdown])
  const places: SourcePlace[] = JSON.parse(Buffer.from(json).toString())
  const same = places.filter(({ start, end }) => source.markdown.slice(start, end) === before)
  const block = same[occurrence]
  const isWhole = text.slice(source.bodyStart) === source.markdown
  if (!block || !isWhole) throw conflict(STALE)
  const start = source.bodyStart + block.start
  const changed = text.slice(0, start) + withPrefix(after, block.prefix) + text.slice(start + before.length)
  // A character that Latin-1 does not have would change the encoding of the whole file.
  const isUtf8 = encodingOf(await revision.snapshot.read(file.oid, MAX_TEXT_BYTES)) === 'utf-8'
  if (!isUtf8 && /[^\0-\xff]/.test(after))
    throw conflict(`${file.path} is encoded in Latin-1, and the text has characters that Latin-1 does not have.`)
  return { markdown: keepLineEnds(text, changed), oid: file.oid, path: file.path }
}

/** Adds the prefix of a block in a list or quote to the lines after the first one, so that they stay in it. */
const withPrefix = (text: string, prefix: string): string =>
  text
    .split('\n')
    .map((line, number) => (number === 0 ? line : line === '' ? prefix.trimEnd() : prefix + line))
    .join('\n')

/**
 * Returns the form of a reader's text that is stored: with line feeds, without control characters and blank lines around
 * it.
 */
export const cleanedBlock = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()

// Reads the file of a page: its text, front matter and diagnostics, cached by blob.
import { readSource } from '../../content/page-source.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../content/text.js'
import { type LargePage, TextTooCostly, type TextWork } from '../../content/work/text-work.js'
import type { Snapshot } from '../../git/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { App } from '../context/app.js'
import type { ParsedPage } from '../context/content-cache.js'

/** Shorter pages are hardly ever beyond the limits of `content/blocks/weight.ts`, so those are checked only when the page is parsed. */
const MAY_BE_HEAVY = 8 * 1024

/** Reads and parses a page. The work of the threads is charged to `space`. */
export async function parsePage(app: App, space: string, snapshot: Pick<Snapshot, 'read'>, oid: string, path: string): Promise<ParsedPage> {
  const known = app.content.pages.get(oid)
  if (known) return namedBy(path, known)
  const bytes = await readBounded(snapshot, oid, MAX_TEXT_BYTES)
  const work = app.texts.for(space)
  const page = bytes === null ? await work.large(() => readLarge(work, snapshot, oid, path)) : await readText(work, decodeText(bytes), path)
  app.content.pages.set(oid, page)
  return page
}

/** Makes the diagnostics of a cached page name the file that was asked for: several files may have the same bytes. */
function namedBy(path: string, page: ParsedPage): ParsedPage {
  const { source } = page
  if (source.diagnostics.every((one) => one.file === path)) return page
  return { ...page, source: { ...source, diagnostics: source.diagnostics.map((one) => ({ ...one, file: path })) } }
}

/** The diagnostic of a page that is not parsed because of a limit. `limit`: which one, as a sentence that begins with "It". */
export const tooCostly = (file: string, limit: string): Diagnostic => ({ code: 'too-costly', message: `${file} is shown as source only. ${limit}`, file })

/** A page that is too large to be held as a text. If it can be shown from its file, `large` says why its text is missing; else `hidden` does. */
async function readLarge(work: TextWork, snapshot: Pick<Snapshot, 'read'>, oid: string, path: string): Promise<ParsedPage> {
  const diagnostic = (message: string): Diagnostic => ({ code: 'too-costly', message, file: path })
  const file = await readBounded(snapshot, oid, MAX_EDITED_BYTES)
  if (file === null) {
    const hidden = `${path} is not shown: it has more than ${MAX_EDITED_BYTES} bytes. Split it into smaller files.`
    return { text: '', source: { attributes: {}, markdown: '', bodyStart: 0, diagnostics: [diagnostic(hidden)] }, hidden }
  }
  const { limit, attributes, diagnostics } = await largePage(work, file, path)
  const message = `${path} is shown as source only, and its links are not updated when their targets are moved. ${limit}`
  return { text: '', source: { attributes, markdown: '', bodyStart: 0, diagnostics: [...diagnostics, diagnostic(message)] }, large: limit }
}

async function largePage(work: TextWork, file: Uint8Array, path: string): Promise<LargePage> {
  try {
    return await work.largePage(file, path)
  } catch (error) {
    if (error instanceof TextTooCostly) return { limit: error.message, attributes: {}, diagnostics: [] }
    throw error
  }
}

async function readText(work: TextWork, text: string, path: string): Promise<ParsedPage> {
  const source = await readSource(work, text, path)
  const limit = source.markdown.length < MAY_BE_HEAVY ? null : await limitOf(work, source.markdown)
  return { text, source: limit === null ? source : { ...source, diagnostics: [...source.diagnostics, tooCostly(path, limit)] } }
}

async function limitOf(work: TextWork, markdown: string): Promise<string | null> {
  try {
    return await work.limit(markdown)
  } catch (error) {
    if (error instanceof TextTooCostly) return error.message
    throw error
  }
}

import { readSource } from '../../content/page-source.js'
import { readBounded } from '../../content/read.js'
import { decodeText } from '../../content/text.js'
import { TextTooCostly, type TextWork } from '../../content/work/text-work.js'
import type { Snapshot } from '../../git/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { App } from '../app.js'
import type { ParsedPage } from './content-cache.js'

/** Bytes of a file whose text is shown as a page's: what is larger is not even read. */
export const MAX_TEXT_BYTES = 10 * 1024 * 1024
/** Shorter pages are hardly ever beyond the limits of `content/blocks/weight.ts`: that is looked at when they are taken apart. */
const MAY_BE_HEAVY = 8 * 1024

/** A page's text and what is to be known of it, by blob. `space` is whose turn it costs. */
export async function parsePage(app: App, space: string, snapshot: Pick<Snapshot, 'read'>, oid: string, path: string): Promise<ParsedPage> {
  const known = app.content.pages.get(oid)
  if (known) return at(path, known)
  const bytes = await readBounded(snapshot, oid, MAX_TEXT_BYTES)
  const page = bytes === null ? tooLarge(path) : await readText(app.texts.for(space), decodeText(bytes), path)
  app.content.pages.set(oid, page)
  return page
}

/** The same bytes may be several files: diagnostics name the one that was asked for. */
function at(path: string, page: ParsedPage): ParsedPage {
  const { source } = page
  if (source.diagnostics.every((one) => one.file === path)) return page
  return { ...page, source: { ...source, diagnostics: source.diagnostics.map((one) => ({ ...one, file: path })) } }
}

/** A page that is not taken apart for a limit, as a diagnostic. `limit`: which one, as a sentence that begins with "It". */
export const tooCostly = (file: string, limit: string): Diagnostic => ({ code: 'too-costly', message: `${file} is shown as its source alone. ${limit}`, file })

function tooLarge(file: string): ParsedPage {
  const message = `${file} is not shown: it has more than ${MAX_TEXT_BYTES} bytes. Divide it.`
  return { text: '', source: { attributes: {}, markdown: '', bodyStart: 0, diagnostics: [{ code: 'too-costly', message, file }] }, hidden: message }
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

/** Reads the file of a page: its text, front matter and diagnostics. */
import { required } from '../../kernel/defined.js'
import { readBounded } from '../../content/read-file.js'
import { decodeText, MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../content/text.js'
import type { Snapshot } from '../../git/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import type { App } from '../context/app.js'
import type { KnownPage, ParsedPage } from '../context/content-cache.js'

/** Reads a page. The thread time is charged to `space`. */
export async function parsePage(
  app: App,
  space: string,
  snapshot: Pick<Snapshot, 'read'>,
  oid: string,
  path: string,
): Promise<ParsedPage> {
  const known = required((await app.pages.pages(space, snapshot, [oid])).get(oid))
  const found = { attributes: known.attributes, diagnostics: diagnosticsOf(known, path) }
  if (known.size === 'hidden')
    return { text: '', source: { ...found, markdown: '', bodyStart: 0 }, hidden: hiddenBecause(path) }
  if (known.size === 'large')
    return { text: '', source: { ...found, markdown: '', bodyStart: 0 }, large: required(known.limit) }
  const text =
    app.content.texts.get(oid) ?? decodeText((await readBounded(snapshot, oid, MAX_TEXT_BYTES)) ?? new Uint8Array())
  app.content.texts.set(oid, text)
  return { text, source: { ...found, markdown: text.slice(known.bodyStart), bodyStart: known.bodyStart } }
}

/**
 * Returns the diagnostics of a page with the name of the requested file, since several files may have the same content.
 */
export function diagnosticsOf({ diagnostics, limit, size }: KnownPage, file: string): Diagnostic[] {
  const named = diagnostics.map((one): Diagnostic => ({ ...one, file }))
  if (size === 'hidden') return [...named, { code: 'too-costly', message: hiddenBecause(file), file }]
  if (limit === null) return named
  if (size === undefined) return [...named, tooCostly(file, limit)]
  const message = `${file} is shown as source only, and its links are not updated when their targets move. ${limit}`
  return [...named, { code: 'too-costly', message, file }]
}

const hiddenBecause = (file: string): string =>
  `${file} is not shown: it has more than ${MAX_EDITED_BYTES} bytes. Split it into smaller files.`

/**
 * Returns the diagnostic of a page that is not parsed because of a limit. `limit` is a sentence that starts with "It".
 */
export const tooCostly = (file: string, limit: string): Diagnostic => ({
  code: 'too-costly',
  message: `${file} is shown as source only. ${limit}`,
  file,
})

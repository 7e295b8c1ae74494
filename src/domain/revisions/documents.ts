// Converts texts and block trees to JSON for splicing into a response. Worker threads convert large ones.
import { TextTooCostly } from '../../content/work/text-work.js'
import type { Snapshot } from '../../git/index.js'
import { RawJson } from '../../kernel/raw-json.js'
import type { Format } from '../../model/index.js'
import type { App } from '../context/app.js'

/** Length in characters above which a worker thread converts a text to JSON. */
const LONG = 64 * 1024

/** Converts a text to a part of a response. */
export async function markdownJson(app: App, owner: string, markdown: string): Promise<string | RawJson> {
  if (markdown.length <= LONG) return markdown
  try {
    return new RawJson([await app.texts.bytes(owner, 'quote', [markdown])])
  } catch (error) {
    if (error instanceof TextTooCostly) return markdown
    throw error
  }
}

/**
 * A block tree as part of a response. `limit` is a sentence with the reason why the tree is only a code block with the
 * source, or null.
 */
interface DocumentJson {
  document: RawJson
  limit: string | null
}

/** Converts markdown to a block tree. Beyond a limit, the tree is one code block with the source. */
export async function documentJson(app: App, owner: string, markdown: string): Promise<DocumentJson> {
  try {
    return split(await app.texts.bytes(owner, 'document', [markdown]))
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return sourceJson(app, owner, markdown, error.message)
  }
}

/**
 * Returns the body of a file that is too large to keep as text, in the requested format. Empty if even its source is
 * too large for a response. `limit` is a sentence with the reason why it is not parsed.
 */
export async function largeJson(
  app: App,
  owner: string,
  snapshot: Pick<Snapshot, 'read'>,
  { oid, limit }: { oid: string; limit: string },
  format: Format,
): Promise<{ markdown?: RawJson } | { document: RawJson }> {
  const [task, more] = format === 'markdown' ? ['quoteFile', []] : ['verbatimFile', [limit]]
  try {
    const bytes = await app.texts.large.run(async () =>
      app.texts.bytes(owner, task, [await snapshot.read(oid), ...more], oid),
    )
    return format === 'markdown' ? { markdown: new RawJson([bytes]) } : { document: split(bytes).document }
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    return format === 'markdown' ? {} : sourceJson(app, owner, '', limit)
  }
}

async function sourceJson(app: App, owner: string, markdown: string, limit: string): Promise<DocumentJson> {
  try {
    return split(await app.texts.bytes(owner, 'verbatim', [markdown, limit]))
  } catch (error) {
    if (!(error instanceof TextTooCostly)) throw error
    // Even the source is too large for a response.
    return split(await app.texts.bytes(owner, 'verbatim', ['', limit]))
  }
}

/** Splits the result of a thread: a line of JSON with the limit, then the tree. */
function split(bytes: Uint8Array): DocumentJson {
  const end = bytes.indexOf(10)
  const { limit }: { limit: string | null } = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString())
  return { limit, document: new RawJson([bytes.subarray(end + 1)]) }
}

/** Converts one fetched file (HTML, markdown or Word) to a page. */
import type { ConvertedPage, PageOptions, ContainerPart } from '../../conversion/index.js'
import { ConversionRefused } from '../context/conversions.js'
import { ResourceFailure } from './failure.js'
import type { Gathering } from './gathering.js'
import { archiveUrl, type SourcePage, titled } from './source-page.js'

/** A source file with its metadata. */
export interface SourceFile {
  url: string
  content: Uint8Array
  /** The `Content-Type` of its response; '' if there is none. */
  contentType: string
  /** File name without the extension, for pages without a title. */
  name: string
}

/** A page and the files that were embedded in it, by address. */
export interface ReadDocument {
  page: SourcePage
  files: Map<string, Uint8Array>
  facts: ConvertedPage | null
}

const MAX_TITLE = 250

/** Normalizes a title: one line, limited length, never empty. */
export const cleanTitle = (title: string, otherwise: string): string =>
  [
    ...title
      .slice(0, MAX_TITLE * 10)
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
  ]
    .slice(0, MAX_TITLE)
    .join('')
    .trim() ||
  [...otherwise.replace(/\p{Cc}/gu, '')].slice(0, MAX_TITLE).join('').trim() ||
  'Untitled'

/** Waits for a conversion. Throws `ResourceFailure` if the file cannot be converted. */
export async function converted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ConversionRefused) throw new ResourceFailure(error.message, { cause: error })
    throw error
  }
}

const textOf = (parts: readonly ContainerPart[]): string => Buffer.from(parts[0]?.content ?? []).toString()

let attached = 0
/** Returns an address prefix for the embedded files of a page. It is unique in this process. */
const attachment = (): string => `${archiveUrl(`.attached/${++attached}`)}-`

/** Limits for unpacking a Word document, which is an archive. */
const docxLimits = ({ app }: Gathering) => ({
  maxFiles: 5_000,
  maxBytes: app.settings.imports.maxBytes,
  maxFileBytes: app.settings.imports.maxBytes,
})

/**
 * Reads an HTML page or a Word document. `whole` means a complete document, such as an export. Throws
 * `ResourceFailure`.
 */
export async function readConverted(
  gathering: Gathering,
  kind: 'html' | 'docx',
  file: SourceFile,
  whole: boolean,
): Promise<ReadDocument> {
  const options: PageOptions = { url: file.url, contentType: file.contentType, whole, attach: attachment() }
  const args = [
    file.content,
    JSON.stringify(options),
    ...(kind === 'docx' ? [JSON.stringify(docxLimits(gathering))] : []),
  ]
  const { facts, parts } = await converted(
    gathering.app.conversions.run<ConvertedPage>(gathering.spaceId, kind === 'docx' ? 'docx' : 'page', args),
  )
  const body = textOf(parts)
  const title = cleanTitle(facts.title, file.name)
  const text = titled(title, body)
  const page: SourcePage = {
    url: file.url,
    aliases: facts.canonical === '' ? [] : [facts.canonical],
    title,
    name: title,
    text: body.trim() === '' ? '' : text,
    children: [],
  }
  return { page, facts, files: new Map(parts.slice(1).map(({ name, content }) => [name, content])) }
}

/**
 * Reads markdown. The text stays unchanged. The title is the first heading, the title in the front matter, or the file
 * name.
 */
export async function readMarkdown(gathering: Gathering, file: SourceFile): Promise<ReadDocument> {
  const { parts } = await converted(
    gathering.app.conversions.run(gathering.spaceId, 'text', [file.content, file.contentType]),
  )
  const text = textOf(parts)
  const work = gathering.app.texts.for(gathering.spaceId)
  const { attributes, bodyStart } = text.startsWith('---')
    ? await work.page(text, file.name)
    : { attributes: { title: undefined }, bodyStart: 0 }
  const heading = await work.heading(text.slice(bodyStart))
  const title = cleanTitle(heading || attributes.title || '', file.name)
  return {
    page: { url: file.url, aliases: [], title, name: heading ? title : file.name || title, text, children: [] },
    facts: null,
    files: new Map(),
  }
}

/** Whether a content type is that of a web page. */
export const isHtml = (contentType: string): boolean => /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType)

/** Whether the bytes start like a ZIP archive. */
export const isZip = (bytes: Uint8Array): boolean =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 3 || bytes[2] === 5)

/** Returns the last segment of a URL's path, decoded and without its extension. */
export function nameFrom(url: string): string {
  const last = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? new URL(url).hostname
  try {
    return decodeURIComponent(last).replace(/\.[A-Za-z0-9]{1,8}$/, '')
  } catch {
    return last
  }
}

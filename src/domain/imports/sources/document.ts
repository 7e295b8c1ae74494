/** The sources that are one document: HTML, markdown, Word, Google Docs. */
import { ImportRefused } from '../failure.js'
import { orRefuse } from '../fetcher.js'
import type { Gathering } from '../gathering.js'
import {
  isHtml,
  isZip,
  nameFrom,
  type ReadDocument,
  readConverted,
  readMarkdown,
  type SourceFile,
} from '../read-document.js'
import type { SourceContent } from '../source-page.js'

const asContent = ({ page, files }: ReadDocument): SourceContent => ({ pages: [page], files })

/** Fetches the file at the import's URL. Throws `ImportRefused`. */
export async function fetchDocument(
  gathering: Gathering,
  url: string,
  maxBytes = gathering.app.settings.maxFileBytes,
): Promise<SourceFile> {
  const {
    body,
    headers,
    url: from,
  } = await orRefuse(
    gathering.fetcher.body(url, { maxBytes }),
    (reason) => `Nothing can be read from ${url}: ${reason}`,
  )
  if (body.length === 0) throw new ImportRefused(`${url} returned an empty file.`)
  return { url: from, content: body, contentType: headers['content-type'] ?? '', name: nameFrom(from) }
}

const refuse = (url: string, reason: string): never => {
  throw new ImportRefused(`Nothing can be read from ${url}: ${reason}`)
}

/** Reads one HTML page. */
export async function readHtmlDocument(gathering: Gathering): Promise<SourceContent> {
  const file = await fetchDocument(gathering, gathering.url)
  if (!isHtml(file.contentType) && !/^\s*(text\/plain|application\/octet-stream|$)/i.test(file.contentType))
    refuse(gathering.url, `it is not an HTML page, but ${file.contentType}. Choose the source that fits it.`)
  const read = await orRefuse(
    readConverted(gathering, 'html', file, false),
    (reason) => `${gathering.url} cannot be converted. ${reason}`,
  )
  if (read.page.text === '') refuse(gathering.url, 'the page has no text, or shows it by scripts alone.')
  return asContent(read)
}

/** The address of the file itself, where people copy that of the page that shows it. */
const rawMarkdown = (url: string): string => {
  const [, owner, rest] = /^https:\/\/github\.com\/([^/]+\/[^/]+)\/blob\/(.+)$/.exec(url) ?? []
  return owner === undefined ? url : `https://raw.githubusercontent.com/${owner}/${rest}`
}

/** Reads one markdown file. */
export async function readMarkdownDocument(gathering: Gathering): Promise<SourceContent> {
  const file = await fetchDocument(gathering, rawMarkdown(gathering.url))
  if (isHtml(file.contentType))
    refuse(
      gathering.url,
      'it is a web page that shows markdown or something else; use the address of the file itself, or the source html.',
    )
  if (file.content.includes(0) && !(file.content[0] === 0xff || file.content[0] === 0xfe))
    refuse(gathering.url, 'it is not a text.')
  return asContent(await readMarkdown(gathering, file))
}

/** Reads one Word document. */
export async function readWordDocument(gathering: Gathering, url = gathering.url): Promise<SourceContent> {
  const file = await fetchDocument(gathering, url)
  if (!isZip(file.content))
    refuse(
      url,
      isHtml(file.contentType)
        ? 'it is a web page; use the address from which the document itself is downloaded.'
        : 'it is not a Word document (.docx).',
    )
  const read = await orRefuse(
    readConverted(gathering, 'docx', file, true),
    (reason) => `${url} cannot be converted. ${reason}`,
  )
  if (read.page.text === '') refuse(url, 'the document has no text.')
  return asContent(read)
}

/** Reads a document of Google Docs by its export, which exists if everybody with the link may read it. */
export async function readGoogleDocument(gathering: Gathering): Promise<SourceContent> {
  const { origin, pathname } = new URL(gathering.url)
  const [, id] = /\/document\/(?:u\/\d+\/)?d\/([\w-]{10,200})(?:\/|$)/.exec(pathname) ?? []
  if (id === undefined)
    refuse(
      gathering.url,
      'it is not the address of a Google document (…/document/d/<id>/…). Open the document and copy its address; spreadsheets and folders cannot be imported.',
    )
  try {
    return await readWordDocument(gathering, `${origin}/document/d/${id}/export?format=docx`)
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error
    throw new ImportRefused(
      `${error.message} Share the document with everybody who has the link, or download it as .docx and import that.`,
      { cause: error },
    )
  }
}

/** Reads sources that consist of one document: HTML, markdown, Word, Google Docs. */
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

/** Returns the file that was sent, or fetches the one at the import's URL. Throws `ImportRefused`. */
export async function fetchDocument(
  gathering: Gathering,
  url: string,
  maxBytes = gathering.app.settings.maxFileBytes,
): Promise<SourceFile> {
  if (gathering.file) return { url, content: gathering.file.content, contentType: '', name: nameFrom(url) }
  const {
    body,
    headers,
    url: from,
  } = await orRefuse(gathering.fetcher.body(url, { maxBytes }), (reason) => `${url} cannot be read: ${reason}`)
  if (body.length === 0) throw new ImportRefused(`${url} returned an empty file.`)
  return { url: from, content: body, contentType: headers['content-type'] ?? '', name: nameFrom(from) }
}

const refuse = (url: string, reason: string): never => {
  throw new ImportRefused(`${url} cannot be read: ${reason}`)
}

/** Reads one HTML page. */
export async function readHtmlDocument(gathering: Gathering): Promise<SourceContent> {
  const file = await fetchDocument(gathering, gathering.url)
  if (!isHtml(file.contentType) && !/^\s*(text\/plain|application\/octet-stream|$)/i.test(file.contentType))
    refuse(gathering.shown, `it is not an HTML page, but ${file.contentType}. Choose the source for that format.`)
  const read = await orRefuse(
    readConverted(gathering, 'html', file, false),
    (reason) => `${gathering.shown} cannot be converted. ${reason}`,
  )
  if (read.page.text === '') refuse(gathering.shown, 'the page has no text, or only scripts show it.')
  return asContent(read)
}

/** Returns the address of the raw file for a page of GitHub that shows it. */
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
      'it is a web page and not a markdown file. Use the address of the file itself, or the source html.',
    )
  if (file.content.includes(0) && !(file.content[0] === 0xff || file.content[0] === 0xfe))
    refuse(gathering.shown, 'it is not a text file.')
  return asContent(await readMarkdown(gathering, file))
}

/** Reads one Word document. */
export async function readWordDocument(gathering: Gathering, url = gathering.url): Promise<SourceContent> {
  const file = await fetchDocument(gathering, url)
  const shown = gathering.file?.name ?? url
  if (!isZip(file.content))
    refuse(
      shown,
      isHtml(file.contentType)
        ? 'it is a web page. Use the download address of the document itself.'
        : 'it is not a Word document (.docx).',
    )
  const read = await orRefuse(
    readConverted(gathering, 'docx', file, true),
    (reason) => `${shown} cannot be converted. ${reason}`,
  )
  if (read.page.text === '') refuse(shown, 'the document has no text.')
  return asContent(read)
}

/** Reads a Google document through its export, which works if anyone with the link may read the document. */
export async function readGoogleDocument(gathering: Gathering): Promise<SourceContent> {
  const { origin, pathname } = new URL(gathering.url)
  const [, id] = /\/document\/(?:u\/\d+\/)?d\/([\w-]{10,200})(?:\/|$)/.exec(pathname) ?? []
  if (id === undefined)
    refuse(
      gathering.url,
      'it is not the address of a Google document (…/document/d/<id>/…). Open the document and copy its address. Spreadsheets and folders cannot be imported.',
    )
  try {
    return await readWordDocument(gathering, `${origin}/document/d/${id}/export?format=docx`)
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error
    throw new ImportRefused(
      `${error.message} Share the document with anyone who has the link, or download it as .docx and import that.`,
      { cause: error },
    )
  }
}

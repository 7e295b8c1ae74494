/** Reads a ZIP archive of pages, such as a Notion or Confluence export. */
import { required } from '../../../kernel/defined.js'
import type { UnpackFacts, UnpackLimits } from '../../../conversion/index.js'
import { ImportRefused, ResourceFailure } from '../failure.js'
import { orRefuse } from '../fetcher.js'
import type { Gathering } from '../gathering.js'
import { converted, isHtml, isZip, readConverted, readMarkdown, type ReadDocument } from '../read-document.js'
import { archiveUrl, type SourceContent } from '../source-page.js'
import { arrange, type FilePage, isPrivate, kindOfFile, nameOfFile } from './archive-tree.js'
import { fetchDocument } from './document.js'

const MAX_FILES = 20_000

/** Instructions for getting an archive from a service whose page address cannot be read. */
const EXPORT_HINTS: Partial<Record<Gathering['source'], string>> = {
  notion:
    'Export the page in Notion (Export, as Markdown & CSV or HTML, with subpages), and use the download address of the ZIP archive.',
  confluence:
    'Export the space in Confluence (Space settings, Export, as HTML), and use the download address of the ZIP archive.',
}

/** Reads a ZIP archive. Throws `ImportRefused`. */
export async function readArchive(gathering: Gathering): Promise<SourceContent> {
  const { url, shown, app } = gathering
  const hint = EXPORT_HINTS[gathering.source]
  const remedy = hint ?? (gathering.file ? 'Choose a .zip file.' : 'Use the download address of the archive itself.')
  const file = await fetchDocument(gathering, url, app.settings.imports.maxBytes).catch((error: unknown) => {
    throw error instanceof ImportRefused && hint !== undefined
      ? new ImportRefused(`${error.message} ${hint}`, { cause: error })
      : error
  })
  if (!isZip(file.content))
    throw new ImportRefused(
      `${shown} cannot be read: it is ${isHtml(file.contentType) ? 'a web page' : 'not a ZIP archive'}. ${remedy}`,
    )
  const limits: UnpackLimits = {
    maxFiles: MAX_FILES,
    maxBytes: app.settings.imports.maxBytes,
    maxFileBytes: app.settings.maxFileBytes,
  }
  const unpacked = converted(
    app.conversions.run<UnpackFacts>(gathering.spaceId, 'unpack', [file.content, JSON.stringify(limits)]),
  )
  const { facts, parts } = await orRefuse(unpacked, (reason) => `The archive ${shown} cannot be unpacked. ${reason}`)
  for (const { name, reason } of facts.leftOut) gathering.fail(name, `It was not unpacked: ${reason}.`)
  const files = new Map(parts.map(({ name, content }) => [name, content]))
  const content = await readFiles(gathering, files)
  if (content.pages.length === 0)
    throw new ImportRefused(`The archive ${shown} contains no readable page. Add markdown, HTML or Word files.`)
  return content
}

/** Converts the files of an archive or repository to pages. The remaining files may be referenced by pages. */
export async function readFiles(
  gathering: Gathering,
  files: ReadonlyMap<string, Uint8Array>,
  name?: (path: string) => string,
): Promise<SourceContent> {
  const pages: FilePage[] = []
  const others = new Map<string, Uint8Array>()
  const paths = [...files.keys()].filter((path) => kindOfFile(path) !== undefined)
  const { maxPages } = gathering.app.settings.imports
  for (const [path, content] of files)
    if (kindOfFile(path) === undefined && !isPrivate(path)) others.set(archiveUrl(path), content)
  for (const [at, path] of paths.entries()) {
    if (pages.length >= maxPages || gathering.late) {
      gathering.fail(
        path,
        `It and ${paths.length - at - 1} more files were not read: ${gathering.late ? 'the time limit for reading was reached' : `the limit is ${maxPages} pages per import`}.`,
      )
      break
    }
    try {
      const read = await readFile(gathering, path, required(files.get(path)), name)
      for (const [url, content] of read.files) others.set(url, content)
      pages.push({ path, page: read.page })
    } catch (error) {
      if (!(error instanceof ResourceFailure)) throw error
      gathering.fail(path, error.message)
    }
    await gathering.progress('reading', pages.length, paths.length)
  }
  return { pages: await arrange(gathering, pages, files), files: others }
}

async function readFile(
  gathering: Gathering,
  path: string,
  content: Uint8Array,
  name = nameOfFile,
): Promise<ReadDocument> {
  const file = { url: archiveUrl(path), content, contentType: '', name: name(path) }
  const kind = kindOfFile(path)
  return kind === 'markdown'
    ? readMarkdown(gathering, file)
    : readConverted(gathering, kind === 'docx' ? 'docx' : 'html', file, true)
}

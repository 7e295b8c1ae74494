/** Reads the content of an import: the pages of its source, then the files that they reference. */
import type { ContentImportSource } from '../../model/index.js'
import { fetchFiles, type ImportedFile } from './page-files.js'
import type { Gathering } from './gathering.js'
import { readReferences, type ReferencesOf } from './page-references.js'
import { allPages, type SourceContent, type SourcePage } from './source-page.js'
import { readArchive } from './sources/archive.js'
import { readGoogleDocument, readHtmlDocument, readMarkdownDocument, readWordDocument } from './sources/document.js'
import { readWiki } from './sources/github-wiki.js'
import { readWebsite } from './sources/website.js'

const sources: Readonly<Record<ContentImportSource, (gathering: Gathering) => Promise<SourceContent>>> = {
  website: readWebsite,
  html: readHtmlDocument,
  markdown: readMarkdownDocument,
  docx: (gathering) => readWordDocument(gathering),
  'google-docs': readGoogleDocument,
  zip: readArchive,
  notion: readArchive,
  confluence: readArchive,
  'github-wiki': readWiki,
}

/** The content to write: pages, their references, and the referenced files. */
export interface Gathered {
  pages: SourcePage[]
  references: ReferencesOf
  /** Files by the key of their address. */
  files: ReadonlyMap<string, ImportedFile>
  ignoresQueries: boolean
}

/** Reads an import's source. Throws `ImportRefused` if it cannot be read, `Interrupted` if the service stops. */
export async function gather(gathering: Gathering): Promise<Gathered> {
  const content = await sources[gathering.source](gathering)
  const pages = allPages(content.pages)
  const references = await readReferences(gathering, pages)
  const files = await fetchFiles(gathering, content, references, pages.length)
  return { pages: content.pages, references, files, ignoresQueries: content.ignoresQueries === true }
}

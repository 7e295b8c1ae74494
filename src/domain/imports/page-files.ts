/**
 * Collects the files of imported pages: images that they show, and files of an archive that they link to. Each is
 * fetched once.
 */
import { createHash } from 'node:crypto'
import { extension, lookup } from 'mime-types'
import { nameFault } from '../../kernel/file-names.js'
import { ResourceFailure } from './failure.js'
import type { Gathering } from './gathering.js'
import { isShown, type PageReference, type ReferencesOf } from './page-references.js'
import { keyOf, type SourceContent } from './source-page.js'

/** Maximum number of files per import. */
const MAX_FILES = 5_000
const MAX_NAME_BYTES = 100

/** An imported file. Files with equal content are stored once. */
export interface ImportedFile {
  name: string
  content: Uint8Array
  digest: string
}

/**
 * Finds or fetches the files of pages. A file that cannot be fetched is recorded as a failure, and its link stays
 * unchanged.
 */
export async function fetchFiles(
  gathering: Gathering,
  content: SourceContent,
  all: ReferencesOf,
  pages: number,
): Promise<Map<string, ImportedFile>> {
  const own = new Map([...content.files].map(([url, bytes]) => [keyOf(url), bytes]))
  const referenced = referencedFiles(all, own)
  const files = new Map<string, ImportedFile>()
  const late = 'The time limit for reading was reached.'
  const work = gathering.app.texts.for(gathering.spaceId)
  let done = 0
  for (const [key, { url }] of referenced) {
    if (done >= MAX_FILES) {
      gathering.fail(
        url,
        `It and ${referenced.size - done - 1} more files were not imported. The limit is ${MAX_FILES} files per import.`,
      )
      break
    }
    done++
    await work.pause()
    try {
      const bytes = own.get(key)
      if (bytes === undefined && gathering.late) throw new ResourceFailure(late)
      files.set(key, bytes === undefined ? await fetchImage(gathering, url) : fileOf(url, bytes, ''))
    } catch (error) {
      if (!(error instanceof ResourceFailure)) throw error
      gathering.fail(url, error.message)
    }
    await gathering.progress('files', pages + files.size, pages + referenced.size + gathering.failed)
  }
  return files
}

/** Collects the references to files, one per address: files of the archive that are not pages, and images elsewhere. */
function referencedFiles(all: ReferencesOf, own: ReadonlyMap<string, Uint8Array>): Map<string, PageReference> {
  const referenced = new Map<string, PageReference>()
  for (const { references } of all.values()) {
    for (const reference of references) {
      const key = keyOf(reference.url)
      const isFetched = isShown(reference) && !reference.url.startsWith('archive:')
      if ((own.has(key) || isFetched) && !referenced.has(key)) referenced.set(key, reference)
    }
  }
  return referenced
}

async function fetchImage(gathering: Gathering, url: string): Promise<ImportedFile> {
  const { body, headers } = await gathering.fetcher.body(url)
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const named = lookup(new URL(url).pathname)
  const isImage =
    type.startsWith('image/') ||
    ((type === '' || type === 'application/octet-stream') && named !== false && named.startsWith('image/'))
  if (!isImage) throw new ResourceFailure(`It is not an image. Its type is ${type || 'unknown'}.`)
  if (body.length === 0) throw new ResourceFailure('It is empty.')
  return fileOf(url, body, type)
}

function fileOf(url: string, content: Uint8Array, type: string): ImportedFile {
  return {
    name: assetName(url, type),
    content,
    digest: createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'),
  }
}

/** Derives a file name from an address, without characters that are special in paths or on some systems. */
function assetName(url: string, type: string): string {
  const { pathname } = new URL(url)
  let last = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    last = decodeURIComponent(last)
  } catch {
    // Not percent-encoded: use the name as written.
  }
  if (pathname.startsWith('/.attached/')) last = last.replace(/^\d+-(?:word-)?/, 'image-')
  const plain = last
    .normalize('NFC')
    .replace(/[/\\:*?"<>|#%\p{Cc}\ufffd]+/gu, '-')
    .replace(/^[.\s-]+|[.\s]+$/g, '')
  const dot = plain.lastIndexOf('.')
  const known = dot > 0 && lookup(plain) !== false
  const ending = known ? plain.slice(dot).toLowerCase() : type === '' ? '' : `.${extension(type) || 'bin'}`
  let stem = known ? plain.slice(0, dot) : plain
  while (Buffer.byteLength(stem) > MAX_NAME_BYTES) stem = [...stem].slice(0, -1).join('')
  const name = `${stem || 'image'}${ending}`
  return nameFault(name) === null ? name : `image${ending}`
}

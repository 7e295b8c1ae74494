/** Downloads the files that a content change names by URL, within limits of time and size, before any lock is taken. */
import { extension, lookup } from 'mime-types'
import { ServiceError } from '../../kernel/errors.js'
import type { ChangeOf, ContentChange } from '../../model/content-changes.js'
import { OutboundError } from '../../outbound/index.js'
import type { App } from '../context/app.js'

type FileInput = ChangeOf<'insert_files'>['files'][number]

/** A file that was fetched, and the name that it gets. */
export interface FetchedFile {
  name: string
  content: Buffer
}

/** The files by their entries in the changes. */
export type FetchedFiles = ReadonlyMap<FileInput, FetchedFile>

const FILE_MS = 30_000
const BATCH_MS = 120_000
const AT_ONCE = 4
/** All files of a request together may have this many times the bytes of one file: they are held in memory. */
const BATCH_FILES = 4

interface Download {
  file: FileInput & { url: string }
  /** JSON pointer of its URL in the body. */
  path: string
  change: number
}

/**
 * Fetches the files that the changes name by URL. This happens before the space is locked, so a slow server does not hold up other writes. Stops
 * at the first file that cannot be fetched: throws 400 with the change's index and the reason.
 */
export async function fetchFiles(app: App, changes: readonly ContentChange[]): Promise<FetchedFiles> {
  const wanted = changes.flatMap((change, index) =>
    change.operation !== 'insert_files'
      ? []
      : change.files.flatMap((file, at) =>
          file.url === undefined || file.base64 !== undefined || file.part !== undefined
            ? []
            : [{ file: file as Download['file'], path: `/changes/${index}/files/${at}/url`, change: index }],
        ),
  )
  const fetched = new Map<FileInput, FetchedFile>()
  if (wanted.length === 0) return fetched
  const stop = new AbortController()
  const late = AbortSignal.timeout(BATCH_MS)
  const queue = [...wanted]
  let bytes = 0
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const file = await fetchFile(app, next, stop.signal, late)
      bytes += file.content.length
      if (bytes > BATCH_FILES * app.settings.maxFileBytes)
        throw refusal(
          next,
          `the files of one request have more than ${BATCH_FILES * app.settings.maxFileBytes} bytes together`,
        )
      fetched.set(next.file, file)
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    stop.abort()
  }
  return fetched
}

async function fetchFile(app: App, wanted: Download, stop: AbortSignal, late: AbortSignal): Promise<FetchedFile> {
  const { name, url, contentType } = wanted.file
  try {
    const { status, headers, body } = await app.http.send({
      url,
      timeoutMs: FILE_MS,
      maxBytes: app.settings.maxFileBytes,
      signal: AbortSignal.any([stop, late]),
    })
    if (status < 200 || status > 299 || status === 204) throw refusal(wanted, `its URL returned status ${status}`)
    const declared = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
    const type = contentType ?? declared
    // A common mistake: the link of a page that shows the file, or of a sign-in page.
    if (declared === 'text/html' && contentType !== 'text/html' && !['text/html', false].includes(lookup(name)))
      throw refusal(wanted, `its URL returned a web page, not ${name}; use the address of the file itself`)
    const ending = lookup(name) === false && type !== undefined ? extension(type) : false
    return { content: body, name: ending && type !== 'application/octet-stream' ? `${name}.${ending}` : name }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw refusal(
      wanted,
      late.aborted ? `the files of the request did not arrive within ${BATCH_MS / 1000} seconds` : error.message,
      error,
    )
  }
}

const refusal = ({ file, path, change }: Download, reason: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'bad-request',
    `Change ${change} cannot be made: the file ${file.name} cannot be fetched: ${reason.replace(/\.$/, '')}. Nothing was changed.`,
    {
      details: [{ path, message: reason }],
      cause,
    },
  )

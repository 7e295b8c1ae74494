/** Downloads the files that content changes refer to by URL, with time and size limits, before any lock is taken. */
import { extension, lookup } from 'mime-types'
import { ServiceError } from '../../kernel/errors.js'
import type { ChangeOf, ContentChange } from '../../model/content-changes.js'
import { OutboundError } from '../../outbound/index.js'
import type { App } from '../context/app.js'

type FileInput = ChangeOf<'insert_files'>['files'][number]

/** A downloaded or uploaded file, with its name in the space. */
export interface FetchedFile {
  name: string
  content: Buffer
}

/** The files, by their entries in the changes. */
export type FetchedFiles = ReadonlyMap<FileInput, FetchedFile>

const FILE_MS = 30_000
const BATCH_MS = 120_000
const AT_ONCE = 4
/** Total size limit per request, as a multiple of the limit per file. All files are held in memory. */
const BATCH_FILES = 4

interface Download {
  file: FileInput & { url: string }
  /** JSON pointer to the file's URL in the request body. */
  path: string
  change: number
}

/**
 * Downloads the files that the changes refer to by URL. This happens before the space is locked, so a slow server does
 * not delay other writes. Stops at the first file that fails: throws 400 with the change's index and the reason.
 */
export async function fetchFiles(app: App, changes: readonly ContentChange[]): Promise<FetchedFiles> {
  const pending = changes.flatMap((change, index) =>
    change.operation !== 'insert_files'
      ? []
      : change.files.flatMap((file, at) =>
          file.url === undefined || file.base64 !== undefined || file.part !== undefined
            ? []
            : [{ file: file as Download['file'], path: `/changes/${index}/files/${at}/url`, change: index }],
        ),
  )
  const fetched = new Map<FileInput, FetchedFile>()
  if (pending.length === 0) return fetched
  const stop = new AbortController()
  const deadline = AbortSignal.timeout(BATCH_MS)
  const queue = [...pending]
  let bytes = 0
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const file = await fetchFile(app, next, stop.signal, deadline)
      bytes += file.content.length
      if (bytes > BATCH_FILES * app.settings.maxFileBytes)
        throw downloadError(
          next,
          `the files of one request exceed ${BATCH_FILES * app.settings.maxFileBytes} bytes in total`,
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

async function fetchFile(app: App, pending: Download, stop: AbortSignal, deadline: AbortSignal): Promise<FetchedFile> {
  const { name, url, contentType } = pending.file
  try {
    const { status, headers, body } = await app.http.send({
      url,
      timeoutMs: FILE_MS,
      maxBytes: app.settings.maxFileBytes,
      signal: AbortSignal.any([stop, deadline]),
    })
    if (status < 200 || status > 299 || status === 204)
      throw downloadError(pending, `its URL returned status ${status}`)
    const declared = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
    const type = contentType ?? declared
    // A common mistake is the URL of a page that shows the file, or of a sign-in page.
    if (declared === 'text/html' && contentType !== 'text/html' && !['text/html', false].includes(lookup(name)))
      throw downloadError(pending, `its URL returned a web page, not ${name}; use the URL of the file itself`)
    const ending = lookup(name) === false && type !== undefined ? extension(type) : false
    return { content: body, name: ending && type !== 'application/octet-stream' ? `${name}.${ending}` : name }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw downloadError(
      pending,
      deadline.aborted ? `the files of the request did not arrive within ${BATCH_MS / 1000} seconds` : error.message,
      error,
    )
  }
}

const downloadError = ({ file, path, change }: Download, reason: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'bad-request',
    `Change ${change} cannot be applied: the file ${file.name} cannot be downloaded: ${reason.replace(/\.$/, '')}. Nothing was changed.`,
    {
      details: [{ path, message: reason }],
      cause,
    },
  )

// Signs and verifies URLs for downloading files without a token.
import type { Readable } from 'node:stream'
import type { Snapshot } from '../../git/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { expiryOf, isSigned, signatureOf } from '../context/signed-url.js'
import { type LfsFile, lfsFileOf } from './lfs-files.js'
import { isMissing } from './revisions.js'

/** The content of a signed download URL. */
interface Download {
  space: string
  oid: string
  /** File name, which determines the content type and the name for saving. */
  name: string
  /** Seconds since 1970. */
  expires: number
}

const partsOf = ({ space, oid, name }: Download): string[] => [space, oid, name]

/** Returns a URL of a blob that works without a token for one to two days. */
export function downloadUrl(app: App, space: string, oid: string, name: string): string {
  const expires = expiryOf(app)
  const signature = signatureOf(app, partsOf({ space, oid, name, expires }), expires)
  return `${app.settings.publicUrl}/v1/files/${space}/${oid}/${encodeURIComponent(name)}?expires=${expires}&signature=${signature}`
}

/** Whether this server signed a download URL that has not expired. */
const isValidDownload = (app: App, download: Download, signature: string): boolean =>
  isSigned(app, partsOf(download), download.expires, signature)

/** A file that is opened for sending. */
export interface OpenedFile {
  /** Bytes. */
  size: number
  /** Identifies the bytes: a Git object ID, or the SHA-256 of a Git LFS object. */
  oid: string
  read(range?: { start: number; end: number }): Promise<Buffer> | Readable
  /** Whether it is read from the disk while it is sent. */
  streamed: boolean
  /** Whether the same URL may return other bytes later. */
  changes: boolean
}

/**
 * Opens the file of a download URL. Throws 404 if the signature is invalid, the URL has expired, or the space or the
 * file is gone. Also throws 404, with the reason, if Git LFS stores the file and it is not available.
 */
export async function openDownload(app: App, download: Download, signature: string): Promise<OpenedFile> {
  const space = isValidDownload(app, download, signature) ? await app.store.get(spaces, download.space) : null
  const repo = space && space.deletedAt === undefined ? await app.git.open(repositoryName(space.id)) : null
  const head = repo?.refs.head(MAIN)
  if (!repo || !head) throw notFound('This download')
  try {
    return await openBlob(app, download.space, await repo.objects.snapshot(head), download.oid)
  } catch (error) {
    // No commit contains the file anymore, and Git pruned it.
    if (isMissing(error)) throw notFound('This download')
    throw error
  }
}

/**
 * Opens a blob of a space, or the Git LFS object that it points to. Throws 404 with the reason if the object is not
 * available, and `MissingObject`.
 */
export async function openBlob(
  app: App,
  space: string,
  snapshot: Pick<Snapshot, 'read' | 'sizes'>,
  oid: string,
): Promise<OpenedFile> {
  const [size] = (await snapshot.sizes([oid])) as [number]
  const lfs = await lfsFileOf(app, space, snapshot, oid, size)
  if (lfs && lfs.state !== 'local') return openObject(app, lfs)
  const read = async (range?: { start: number; end: number }): Promise<Buffer> => {
    const content = await snapshot.read(oid)
    return range ? content.subarray(range.start, range.end + 1) : content
  }
  return { size, oid, read, streamed: false, changes: lfs !== null }
}

async function openObject(app: App, { oid, size, state, problem }: LfsFile): Promise<OpenedFile> {
  if (state !== 'present')
    throw new ServiceError(
      'not-found',
      `The file is stored in Git LFS and is not available here. ${problem ?? ''}`.trim(),
    )
  // The object may be missing if the data folder was restored without it. It is then fetched again.
  if (!(await app.lfsFiles.has({ oid, size })))
    throw new ServiceError(
      'not-found',
      'The file is stored in Git LFS and is not available here. It will be fetched again.',
    )
  return { size, oid, read: (range) => app.lfsFiles.stream(oid, range), streamed: true, changes: false }
}

import { notFound } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { expiryOf, isSigned, signatureOf } from '../context/signed-url.js'
import { isMissing } from './revisions.js'

/** What a signed download URL stands for. */
export interface Download {
  space: string
  oid: string
  /** File name: gives the content type and the name to save it under. */
  name: string
  /** Seconds since 1970. */
  expires: number
}

const partsOf = ({ space, oid, name }: Download): string[] => [space, oid, name]

/** A URL of a blob that works without a token for one to two days. */
export function downloadUrl(app: App, space: string, oid: string, name: string): string {
  const expires = expiryOf(app)
  const signature = signatureOf(app, partsOf({ space, oid, name, expires }), expires)
  return `${app.settings.publicUrl}/v1/files/${space}/${oid}/${encodeURIComponent(name)}?expires=${expires}&signature=${signature}`
}

/** Whether a download URL was made here and has not expired. */
export const isValidDownload = (app: App, download: Download, signature: string): boolean => isSigned(app, partsOf(download), download.expires, signature)

/** Opens the file of a download URL. Throws 404 if the signature is wrong, the URL has expired, or the space or the file is gone. */
export async function openDownload(app: App, download: Download, signature: string): Promise<{ size: number; read: () => Promise<Buffer> }> {
  const space = isValidDownload(app, download, signature) ? await app.store.get(spaces, download.space) : null
  const repo = space && space.deletedAt === undefined ? await app.git.open(repositoryName(space.id)) : null
  const head = repo?.head(MAIN)
  if (!repo || !head) throw notFound('This download')
  try {
    const snapshot = await repo.at(head)
    const [size] = (await snapshot.sizes([download.oid])) as [number]
    return { size, read: () => snapshot.read(download.oid) }
  } catch (error) {
    // No commit has the file any more, and Git pruned it.
    if (isMissing(error)) throw notFound('This download')
    throw error
  }
}

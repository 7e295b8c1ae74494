import { createHmac, timingSafeEqual } from 'node:crypto'
import { notFound } from '../../kernel/errors.js'
import { spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { isMissing } from './revisions.js'

/** Expiry times are rounded up to multiples of this, so that responses with URLs (and their ETags) stay the same for a day. */
const GRID_MS = 24 * 60 * 60 * 1000

/** What a signed download URL stands for. */
export interface Download {
  space: string
  oid: string
  /** File name: gives the content type and the name to save it under. */
  name: string
  /** Seconds since 1970. */
  expires: number
}

const sign = (app: App, { space, oid, name, expires }: Download): string =>
  createHmac('sha256', app.settings.signingKey).update([space, oid, name, expires].join('\n')).digest('base64url')

/** A URL of a blob that works without a token for one to two days. */
export function downloadUrl(app: App, space: string, oid: string, name: string): string {
  const expires = (Math.floor(app.clock.now().getTime() / GRID_MS) + 2) * (GRID_MS / 1000)
  const signature = sign(app, { space, oid, name, expires })
  return `${app.settings.publicUrl}/v1/files/${space}/${oid}/${encodeURIComponent(name)}?expires=${expires}&signature=${signature}`
}

/** Whether a download URL was made here and has not expired. */
export function isValidDownload(app: App, download: Download, signature: string): boolean {
  const expected = Buffer.from(sign(app, download))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected) && download.expires * 1000 > app.clock.now().getTime()
}

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

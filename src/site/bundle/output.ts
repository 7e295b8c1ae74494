/** Responds to downloads of a site: with the bundle, or with a page that waits for it. */
import { createReadStream } from 'node:fs'
import { openBundle } from '../../domain/sites/bundles.js'
import type { SharedAssets } from '../assets.js'
import { HTML, type SiteResponse } from '../exchange.js'
import { servesAgents } from '../markdown-output.js'
import { plainPage } from '../plain-page.js'
import type { Visit } from '../visit.js'
import { fileName } from './file-names.js'

export const BUNDLE = '/~bundle'

/** Seconds until the page polls again. */
const RETRY_SECONDS = '3'

/** Whether readers can download the site. */
export const hasBundle = (visit: Visit): boolean => !visit.preview && servesAgents(visit)

/** Makes the response for a download of the site. Null if the team does not let programs read it. */
export async function bundleOutput(visit: Visit, assets: SharedAssets): Promise<SiteResponse | null> {
  const { app, visitor, audience, request } = visit
  if (!hasBundle(visit)) return null
  const opened = await openBundle(app, visitor)
  if (!('file' in opened))
    return {
      status: 202,
      type: HTML,
      body: plainPage('preparing', { locale: request.language(), assets }, { progress: opened.progress }),
      audience: 'no one',
      headers: { Refresh: RETRY_SECONDS, 'Retry-After': RETRY_SECONDS },
    }
  const bundle = opened.file
  const { title } = await visit.look()
  const file = {
    name: `${fileName(title ?? visitor.site.doc.title)}.zip`,
    contentType: 'application/zip',
    size: bundle.bytes,
    oid: bundle.digest,
    read: (range?: { start: number; end: number }) => createReadStream(bundle.path, range),
    streamed: true,
    changes: true,
  }
  return { status: 200, type: '', body: '', audience, file }
}

/** Offline bundles of sites: ZIP files with the pages that one visitor sees in lists. */
import { createHash } from 'node:crypto'
import { conflict, notFound } from '../../kernel/errors.js'
import type { Shelved } from '../../kernel/file-shelf.js'
import { type BundleOrder, isJob, siteCustomizations } from '../../model/index.js'
import type { App } from '../context/app.js'
import { BundleFailure, type BundleFacts } from '../context/bundler.js'
import { progressOf, queueFile } from '../context/queue-file.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { specStamp } from '../openapi/spec-at.js'
import { lfsStamp } from '../revisions/lfs-files.js'
import { publishedSite } from './addresses.js'
import { shownSiteSpaces } from './view.js'
import { openForBundle, type Visitor } from './visitor.js'

/** Version of the layout. Increase it if the same content yields another bundle, so that stored ones are replaced. */
const BUNDLE_VERSION = 1
/** Maximum number of waiting bundles per organization and per site. */
const MAX_WAITING = 20
const MAX_WAITING_OF_SITE = 4
/** Maximum number of times that a bundle starts over because the site has changed. */
const MAX_STARTS = 3
const WRITE_BUNDLE = 'write-bundle'

/** A stored bundle, or the finished part of one that is being written, from 0 to 1; null = it has not started. */
export type OpenedBundle = { file: Shelved<BundleFacts> } | { progress: number | null }

/**
 * Returns the bundle of a site for a visitor, or its progress while it is being written. Throws 404 if the team does not let
 * programs read the site, 409 with the reason if it cannot be written, and 503 if too many wait.
 */
export async function openBundle(app: App, visitor: Visitor): Promise<OpenedBundle> {
  const { doc: site } = visitor.site
  if (site.agentsContext !== 'included') throw notFound('The bundle')
  const order = orderFor(visitor)
  const key = await keyFor(app, visitor)
  const stored = await app.bundles.find(site.id, key)
  if (stored) return { file: stored }
  const job = await queueFile(app, {
    kind: WRITE_BUNDLE,
    id: `${WRITE_BUNDLE}:${site.id}:${key}`,
    lane: `${WRITE_BUNDLE}:${site.organization}`,
    organization: site.organization,
    payload: order,
    isFull: (waiting) =>
      waiting.length >= MAX_WAITING ||
      waiting.filter((job) => isJob(job, WRITE_BUNDLE) && job.payload.site === site.id).length >= MAX_WAITING_OF_SITE,
    full: 'Too many bundles are being written. Try again later.',
  })
  if (job.state === 'failed')
    throw conflict(`The bundle could not be written: ${job.error ?? 'the server log contains the reason.'}`)
  return { progress: job.progress ?? null }
}

/** Returns the inputs of the gate for a visitor, so that a job can open the site for them. */
const orderFor = ({ site, claims, view }: Visitor): BundleOrder => ({
  site: site.doc.id,
  claims,
  spaces: [...new Set(shownSiteSpaces(view).map(({ entry }) => entry.space))].sort(),
})

/** Returns the key of a bundle: a digest of everything that it depends on. */
async function keyFor(app: App, visitor: Visitor): Promise<string> {
  const { site, claims, view } = visitor
  const { organization } = site.doc
  const spaces: unknown[] = []
  for (const { entry, space } of shownSiteSpaces(view)) {
    const { id, version } = space.doc
    const head = (await app.git.open(repositoryName(id))).refs.head(MAIN)
    spaces.push([entry.id, id, version, head, await lfsStamp(app, id)])
  }
  const { organization: above } = view.address
  const looks = await app.store.find(siteCustomizations, 'site', site.doc.id)
  const parts = [
    [BUNDLE_VERSION, app.settings.version, publishedSite({ app, organization: above, site: site.doc })],
    [above.hostname, above.customHostname, site.doc.id, site.doc.version],
    looks.map(({ id, version }) => `${id} ${version}`).sort(),
    claims,
    spaces,
    await specStamp(app, organization),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)
}

/**
 * Writes and stores the bundle of an order, unless it exists. Returns the reason why it cannot be written, as a sentence,
 * or null. If the site changes in the meantime, the bundle starts over, so that it never mixes two versions of the site.
 */
export async function writeBundle(
  app: App,
  job: string,
  order: BundleOrder,
  signal: AbortSignal,
): Promise<string | null> {
  const stateNow = async (): Promise<string | null> => {
    const visitor = await openForBundle(app, order)
    return visitor && keyFor(app, visitor)
  }
  const progress = progressOf(app, job)
  for (let starts = 0; starts < MAX_STARTS; starts++) {
    const key = await stateNow()
    if (key === null) return 'The site is no longer published.'
    if (await app.bundles.find(order.site, key)) return null
    const folder = await app.bundles.workFolder(job)
    try {
      const facts = await app.bundler.write(app, order, folder, { signal, progress })
      if (key !== (await stateNow())) continue
      await app.bundles.keep(order.site, key, folder, facts)
      app.log.info({ site: order.site, pages: facts.pages, bytes: facts.bytes }, 'A bundle was written.')
      return null
    } catch (error) {
      if (error instanceof BundleFailure) return error.message
      throw error
    } finally {
      await app.bundles.discard(folder)
    }
  }
  return 'The site changes too often. Try again later.'
}

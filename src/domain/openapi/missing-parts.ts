/** Makes the parts of versions that an earlier release stored without. */
import { openApiSpecs, openApiVersions } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { rebuildFiles } from './processing.js'
import { queueSpreading } from './queue.js'

/**
 * Makes the parts of a version from its document, so that pages and blocks show it. Can be interrupted and run again: what counts is what the
 * returned function writes. A document that cannot be read any more stays without.
 */
export async function makeMissingParts(app: App, id: string): Promise<(tx: Transaction) => Promise<void>> {
  const version = await app.store.get(openApiVersions, id)
  const made = version && !version.index ? await rebuildFiles(app, version) : null
  return async (tx) => {
    const stored = await tx.get(openApiVersions, id)
    if (!stored || !made) return
    await tx.replace(openApiVersions, { ...stored, ...made })
    const spec = await tx.get(openApiSpecs, stored.spec)
    if (spec?.lastVersion === id) await queueSpreading(app, tx, spec)
  }
}

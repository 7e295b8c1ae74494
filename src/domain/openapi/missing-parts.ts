/** Creates the parts of versions that an earlier release stored without them. */
import { openApiSpecs, openApiVersions } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { rebuildFiles } from './processing.js'
import { queueSpreading } from './queue.js'

/**
 * Creates the parts of a version from its document, so that pages and blocks show it. It may be interrupted and run
 * again; only the returned function writes. A document that can no longer be read gets no parts.
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

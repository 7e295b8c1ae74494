/** Reports refs that an admin moved by hand in the repository of a space on one of several nodes. */
import type { SetAside } from '../../git/index.js'
import { spaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { emit } from './events.js'

/**
 * Writes an event for each ref that was restored. The server log already has it, so a failure here is logged and not
 * retried.
 */
export async function tellSetAside(app: App, space: string, found: readonly SetAside[]): Promise<void> {
  try {
    await app.store.transact(async (tx) => {
      const doc = await tx.get(spaces, space)
      if (!doc) return
      for (const { ref, found: commit, put, kept } of found)
        await emit(app, tx, {
          type: 'space.ref_set_aside',
          organization: doc.organization,
          subject: { space },
          data: { ref, found: commit, put, kept },
        })
    })
  } catch (error) {
    app.log.error({ error, space }, 'The event of a ref that was moved by hand could not be written.')
  }
}

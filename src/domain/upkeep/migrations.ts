// Migrations of the stored documents, in order.
import type { Migration } from '../../store/index.js'

/** Version of the documents in release 0.1.0. The versions before it belong to development builds and are no longer read. */
const FIRST_VERSION = 4

/** Rejects a data folder of a development build. A new data folder passes: it has no documents. */
const rejectDevelopmentData = (version: number): Migration => ({
  version,
  name: 'documents before 0.1.0',
  run(view) {
    if (view.tables().length > 0)
      throw new Error(
        'The data folder was written by a development build before 0.1.0. Start with an empty data folder.',
      )
  },
})

/** Migrates the stored documents of earlier releases. A released step is never renumbered or changed. */
export const migrations: readonly Migration[] = Array.from({ length: FIRST_VERSION }, (_, index) =>
  rejectDevelopmentData(index + 1),
)

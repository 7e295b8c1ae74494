/** Reads a revision before the first request for it. */
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { eachDocument, filesOf, knownPages, openRevision } from './revisions.js'

/**
 * Derives the facts of all pages of a new revision, so that its first reader does not wait. Never throws: missing facts
 * are derived on demand.
 */
export async function readAhead(app: App, space: LoadedSpace, commit: CommitId): Promise<void> {
  try {
    const revision = await openRevision(app, space, commit)
    await knownPages(app, revision, eachDocument(revision.structure.pages))
    await filesOf(app, revision)
  } catch (error) {
    app.log.warn({ err: error, space: space.doc.id, commit }, 'A revision could not be read ahead.')
  }
}

/** Reads a revision before somebody asks for it. */
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { eachDocument, filesOf, knownPages, openRevision } from './revisions.js'

/**
 * Makes the facts of all pages of a revision that has just arrived, so that its first reader does not wait for them. Never throws:
 * what cannot be made now is made when it is asked for.
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

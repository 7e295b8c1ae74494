// Opens the current content of a space.
import { notFound } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { type OpenRevision, openRevision } from './revisions.js'

/**
 * Returns the head of main, read from the disk, so that a push with plain Git shows at once. Throws 404 if the branch
 * was removed.
 */
export function headOf(space: LoadedSpace): CommitId {
  const head = space.repo.refs.head(MAIN)
  if (!head) throw notFound('The branch main of the space')
  return head
}

/** Opens the newest revision of main. */
export const openMain = (app: App, space: LoadedSpace): Promise<OpenRevision> => openRevision(app, space, headOf(space))

/** The previews of a connection, for those who may see its space. */
import { type ConnectionDoc, type PullPreviewDoc, previewId, pullPreviews } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'

/** All previews of a connection; there are at most 100. */
export const listPreviews = (app: App, { id }: ConnectionDoc): Promise<Document<PullPreviewDoc>[]> =>
  app.store.find(pullPreviews, 'connection', id)

/** The preview of a pull request by its number; null if there is none. */
export async function findPreview(
  app: App,
  { id }: ConnectionDoc,
  number: string,
): Promise<Document<PullPreviewDoc> | null> {
  return /^[1-9][0-9]{0,9}$/.test(number) ? app.store.get(pullPreviews, previewId(id, Number(number))) : null
}

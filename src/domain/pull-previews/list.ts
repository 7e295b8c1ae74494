/** Lists the previews of a connection for users who may see its space. */
import { type ConnectionDoc, type PullPreviewDoc, previewId, pullPreviews } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'

/** Lists all previews of a connection, of which there are at most 100. */
export const listPreviews = (app: App, { id }: ConnectionDoc): Promise<Document<PullPreviewDoc>[]> =>
  app.store.find(pullPreviews, 'connection', id)

/** Finds the preview of a pull request by its number. Null if there is none. */
export async function findPreview(
  app: App,
  { id }: ConnectionDoc,
  number: string,
): Promise<Document<PullPreviewDoc> | null> {
  return /^[1-9][0-9]{0,9}$/.test(number) ? app.store.get(pullPreviews, previewId(id, Number(number))) : null
}

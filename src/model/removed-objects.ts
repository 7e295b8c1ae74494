/** The objects that were removed from the history of a space for good. The service does not take them in again. */
import { table } from '../kernel/documents.js'

/** Maximum number of objects in one document. */
export const OBJECTS_PER_DOCUMENT = 5_000

/** A part of the objects that one removal removed, as stored. */
export interface RemovedObjectsDoc {
  id: string
  space: string
  at: string
  /** Names of files, and of commits whose message or people were changed. */
  objects: string[]
}

export const removedObjects = table<RemovedObjectsDoc>()({
  name: 'removed-objects',
  indexes: { space: (one) => one.space },
  owner: 'space',
})

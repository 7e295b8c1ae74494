/** Provides a space's Git LFS objects to Git clients. */
import type { Readable } from 'node:stream'
import type { LfsObject } from '../../lfs/index.js'
import { lfsObjectId, lfsObjects, lfsSpaces } from '../../model/index.js'
import type { App } from '../context/app.js'

/**
 * Returns the reason why a space cannot provide an object, as a sentence, or null if it can. The space itself must have
 * the object, so that knowing a hash gives no access.
 */
export async function whyNotHeld(app: App, space: string, { oid, size }: LfsObject): Promise<string | null> {
  const doc = await app.store.get(lfsObjects, lfsObjectId(space, oid))
  if (doc?.state === 'present') {
    if (doc.size !== size)
      return `Its pointer states ${size} bytes, but the file with that hash has ${doc.size}. Correct the pointer.`
    return (await app.lfsFiles.has({ oid, size }))
      ? null
      : 'The file is gone from the service and will be fetched again. Try again later.'
  }
  const about = await app.store.get(lfsSpaces, space)
  if (!about) return 'The space was not imported from a repository that has the file.'
  return doc?.problem ?? about.problem ?? 'The service has not fetched the file yet. Try again later.'
}

/** Opens an object of a space. Null if the space does not have it. */
export async function openHeldObject(
  app: App,
  space: string,
  oid: string,
): Promise<{ size: number; stream: Readable } | null> {
  const doc = await app.store.get(lfsObjects, lfsObjectId(space, oid))
  if (doc?.state !== 'present' || !(await app.lfsFiles.has(doc))) return null
  return { size: doc.size, stream: app.lfsFiles.stream(oid) }
}

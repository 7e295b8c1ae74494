/** Limits the nesting depth of collections. */
import type { Document } from '../../kernel/documents.js'
import { badRequest, conflict } from '../../kernel/errors.js'
import { type CollectionDoc, collections } from '../../model/index.js'
import type { Reader } from '../../store/index.js'

/** Maximum nesting depth of collections. Access to a space is computed from all collections above it. */
const MAX_DEPTH = 32

/** Lists the collection `id` and its ancestors, innermost first. */
export async function collectionsFrom(reader: Reader, id: string | undefined): Promise<Document<CollectionDoc>[]> {
  const found: Document<CollectionDoc>[] = []
  for (
    let at = id === undefined ? null : await reader.get(collections, id);
    at;
    at = at.parent === undefined ? null : await reader.get(collections, at.parent)
  )
    found.push(at)
  return found
}

/** Throws 400 if collections would be nested deeper than `MAX_DEPTH`. `height` is the number of added levels. */
export async function checkDepth(reader: Reader, parent: string | undefined, height: number): Promise<void> {
  if ((await collectionsFrom(reader, parent)).length + height > MAX_DEPTH)
    throw badRequest('The collections would be nested too deeply.', [
      { path: '/parent', message: `collections can be nested at most ${MAX_DEPTH} levels deep` },
    ])
}

/** Returns the number of collection levels from this one down, including itself. */
async function heightOf(reader: Reader, collection: string): Promise<number> {
  let height = 0
  for (let open = [collection]; open.length > 0; height++) {
    const next = await Promise.all(open.map((id) => reader.find(collections, 'parent', id)))
    open = next.flat().map(({ id }) => id)
  }
  return height
}

/**
 * Throws 400 if the collection would contain itself or be nested too deeply, and 409 if the parent is inside the
 * collection.
 */
export async function checkNesting(reader: Reader, id: string, parent: string | undefined): Promise<void> {
  if (id === parent)
    throw badRequest('A collection cannot be in itself.', [{ path: '/parent', message: 'must be another collection' }])
  if ((await collectionsFrom(reader, parent)).some((above) => above.id === id))
    throw conflict('A collection cannot be moved into a collection that it contains. Move that one out first.')
  await checkDepth(reader, parent, await heightOf(reader, id))
}

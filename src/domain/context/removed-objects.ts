/** Finds the objects that were removed from a space for good, for the checks of fetches and pushes. */
import { removedObjects } from '../../model/index.js'
import type { App } from './app.js'

/** Returns the limit on a fetch or push into a space: the objects that it must not bring back. */
export async function withoutRemoved(
  { store }: Pick<App, 'store'>,
  space: string,
): Promise<{ removed?: ReadonlySet<string> }> {
  const found = await store.find(removedObjects, 'space', space)
  return found.length === 0 ? {} : { removed: new Set(found.flatMap(({ objects }) => objects)) }
}

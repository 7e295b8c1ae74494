/** Removes objects of Git LFS that nothing refers to any more. */
import { lfsObjects, lfsSpaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { isMissing } from '../revisions/revisions.js'

/** Pointers that are looked for at a time. */
const AT_ONCE = 500

/** Removes the files of objects that no space has. One that is just being fetched stays: it is younger than an hour. */
export const sweepLfsFiles = (app: App): Promise<number> =>
  app.lfsFiles.sweep(async (oid) => (await app.store.find(lfsObjects, 'oid', oid)).some(({ state }) => state === 'present'))

/** Forgets the objects of a space whose pointers Git has forgotten: no revision that is kept has them. Their files go with the next sweep. */
export async function forgetPruned(app: App, space: string): Promise<void> {
  const repo = await app.git.open(repositoryName(space))
  const main = repo.head(MAIN)
  if (main === null || !(await app.store.get(lfsSpaces, space))) return
  const snapshot = await repo.at(main)
  const has = async (blobs: readonly string[]): Promise<boolean> => {
    try {
      await snapshot.sizes(blobs)
      return true
    } catch (error) {
      if (isMissing(error)) return false
      throw error
    }
  }
  const all = await app.store.find(lfsObjects, 'space', space)
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE)
    if (await has(some.map(({ blob }) => blob))) continue
    const gone: string[] = []
    for (const { id, blob } of some) if (!(await has([blob]))) gone.push(id)
    await app.store.transact(async (tx) => {
      for (const id of gone) await tx.remove(lfsObjects, id)
      const about = await tx.get(lfsSpaces, space)
      if (about) await tx.replace(lfsSpaces, { ...about, at: app.clock.now().toISOString() })
    })
  }
}

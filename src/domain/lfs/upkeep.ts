/** Removes objects of Git LFS that nothing refers to any more. */
import { lfsObjects, lfsSpaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'

/** Objects that are forgotten in one transaction. */
const AT_ONCE = 500

/** Removes the files of objects that no space has. One that is just being fetched stays: it is younger than an hour. */
export const sweepLfsFiles = (app: App): Promise<number> =>
  app.lfsFiles.sweep(async (oid) =>
    (await app.store.find(lfsObjects, 'oid', oid)).some(({ state }) => state === 'present'),
  )

/** Forgets the objects of a space whose pointers Git has forgotten: no revision that is kept has them. Their files go with the next sweep. */
export async function forgetPruned(app: App, space: string): Promise<void> {
  const all = await app.store.find(lfsObjects, 'space', space)
  if (all.length === 0) return
  const repo = await app.git.open(repositoryName(space))
  const absent = new Set(await repo.absent(all.map(({ blob }) => blob)))
  const gone = all.filter(({ blob }) => absent.has(blob))
  for (let at = 0; at < gone.length; at += AT_ONCE)
    await app.store.transact(async (tx) => {
      for (const { id, blob } of gone.slice(at, at + AT_ONCE))
        if ((await tx.get(lfsObjects, id))?.blob === blob) await tx.remove(lfsObjects, id)
      const about = await tx.get(lfsSpaces, space)
      if (about) await tx.replace(lfsSpaces, { ...about, at: app.clock.now().toISOString() })
    })
}

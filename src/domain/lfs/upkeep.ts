/** Removes Git LFS objects that nothing refers to anymore. */
import { lfsObjects, lfsSpaces } from '../../model/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'

/** Number of objects that are removed in one transaction. */
const REMOVE_BATCH = 500

/**
 * Deletes the files of objects that no space has. Files younger than an hour stay, since they may belong to a running
 * download.
 */
export const sweepLfsFiles = (app: App): Promise<number> =>
  app.lfsFiles.sweep(async (oid) =>
    (await app.store.find(lfsObjects, 'oid', oid)).some(({ state }) => state === 'present'),
  )

/** Removes the records of objects whose pointers Git has pruned. The next sweep deletes their files. */
export async function forgetPruned(app: App, space: string): Promise<void> {
  const all = await app.store.find(lfsObjects, 'space', space)
  if (all.length === 0) return
  const repo = await app.git.open(repositoryName(space))
  const absent = new Set(await repo.objects.absent(all.map(({ blob }) => blob)))
  const gone = all.filter(({ blob }) => absent.has(blob))
  for (let at = 0; at < gone.length; at += REMOVE_BATCH)
    await app.store.transact(async (tx) => {
      for (const { id, blob } of gone.slice(at, at + REMOVE_BATCH))
        if ((await tx.get(lfsObjects, id))?.blob === blob) await tx.remove(lfsObjects, id)
      const spaceDoc = await tx.get(lfsSpaces, space)
      if (spaceDoc) await tx.replace(lfsSpaces, { ...spaceDoc, at: app.clock.now().toISOString() })
    })
}

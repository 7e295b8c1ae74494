/**
 * Lists stored previews, and releases those of closed pull requests and of connections without previews. Git removes
 * their commits later.
 */
import { type ConnectionDoc, previewId, type PullPreviewDoc, pullPreviews } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { repositoryName } from '../context/refs.js'
import { previewPrefix } from './poll-context.js'

/** Returns the stored previews of a connection, by number. */
export async function previewsOf(app: App, connection: string): Promise<Map<number, Document<PullPreviewDoc>>> {
  return new Map((await app.store.find(pullPreviews, 'connection', connection)).map((doc) => [doc.number, doc]))
}

/**
 * Releases all previews of a connection except some numbers. Refs without a document, which a crash may leave, are also
 * removed.
 */
export async function releaseOthers(
  app: App,
  place: { connection: string; space: string },
  wanted: ReadonlySet<number>,
): Promise<void> {
  const name = repositoryName(place.space)
  if (await app.git.exists(name)) {
    const repo = await app.git.open(name)
    await app.locks.run(place.space, async (lease) => {
      const prefix = previewPrefix(place.connection)
      const refs = [...(await repo.refs.list(prefix))].filter(([ref]) => !wanted.has(Number(ref.slice(prefix.length))))
      const moves = refs.map(([ref, from]) => ({ ref, from, to: null }))
      if (moves.length > 0) await repo.refs.move(moves, 'release previews of pull requests', lease)
    })
  }
  const gone = [...(await previewsOf(app, place.connection)).values()].filter(({ number }) => !wanted.has(number))
  if (gone.length === 0) return
  await app.store.transact(async (tx) => {
    for (const { id } of gone) if (await tx.get(pullPreviews, id)) await tx.remove(pullPreviews, id)
  })
}

/** Removes the documents of a space's previews, in the transaction that purges it. */
export async function removePreviews(tx: Transaction, space: string): Promise<void> {
  for (const { id } of await tx.find(pullPreviews, 'space', space)) await tx.remove(pullPreviews, id)
}

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

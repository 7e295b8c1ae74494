import { commenters, comments, reactions, replies } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'

/** Removes all that was said in a space and its change requests, with the space. */
export async function removeComments(tx: Transaction, space: string): Promise<void> {
  for (const doc of await tx.find(comments, 'space', space)) await tx.remove(comments, doc.id)
  for (const doc of await tx.find(replies, 'space', space)) await tx.remove(replies, doc.id)
  for (const doc of await tx.find(reactions, 'space', space)) await tx.remove(reactions, doc.id)
  for (const doc of await tx.find(commenters, 'space', space)) await tx.remove(commenters, doc.id)
}

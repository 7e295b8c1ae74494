import type { Signature } from '../git/index.js'
import type { App, LoadedSpace } from './app.js'
import type { LoadedChangeRequest } from './change-requests.js'
import { headOf } from './main-content.js'
import { spanOf } from './merge-span.js'

/** Everybody who authored commits of the change request's branch that main did not have, once per e-mail address, by name. */
export async function contributorsOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<Signature[]> {
  const not = changeRequest.doc.status === 'merged' ? (await spanOf(app, space, changeRequest)).before : headOf(space)
  const commits = await space.repo.history({ from: changeRequest.head, not: [not] })
  // Newest first: the name that is written first is the present one.
  const authors = new Map<string, Signature>()
  for (const { author } of commits) if (!authors.has(author.email.toLowerCase())) authors.set(author.email.toLowerCase(), author)
  return [...authors.values()]
}

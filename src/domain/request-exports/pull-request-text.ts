/** Title, text and reviewers of a pull request. */
import { createHash } from 'node:crypto'
import { type ConnectionDoc, requestedReviews, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Export } from './poll-context.js'
import { titleOf } from './export-commit.js'
import { MAX_REVIEWERS } from './schedule.js'

/** Addresses that GitHub gives to those who hide theirs say their login. */
const NOREPLY = /^(?:\d+\+)?([A-Za-z0-9-]{1,39})@users\.noreply\.github\.com$/i

interface Reviewers {
  /** Logins at the host. */
  logins: string[]
  /** Those whose login is not known. */
  unknown: Document<UserDoc>[]
  /** The users of the logins. */
  userOf: Map<string, Document<UserDoc>>
}

/** The users whose review is requested, by their logins: those that the connection lists, or that a GitHub address says. */
export async function reviewersOf({ app, request, through }: Export): Promise<Reviewers> {
  const { documents } = await app.store.page(requestedReviews, 'requestedAt', request.id, {
    limit: MAX_REVIEWERS,
    direction: 'asc',
  })
  const found: Reviewers = { logins: [], unknown: [], userOf: new Map() }
  for (const { user } of documents) {
    const doc = await app.store.get(users, user)
    if (!doc) continue
    const login = loginOf(doc, through)
    if (login === undefined) found.unknown.push(doc)
    else found.logins.push(login)
    if (login !== undefined) found.userOf.set(login, doc)
  }
  return found
}

function loginOf(user: Document<UserDoc>, { provider, pullRequests }: ConnectionDoc): string | undefined {
  const listed = pullRequests.logins?.find((one) => one.user === user.id)?.login
  return listed ?? (provider === 'github' ? NOREPLY.exec(user.email)?.[1] : undefined)
}

/** Title and text. `named`: those who cannot be asked by their login. */
export function wordsOf({ app, request, space }: Export, named: readonly UserDoc[]): { title: string; body: string } {
  const url = `${app.settings.publicUrl}/v1/spaces/${space.doc.id}/change-requests/${request.number}`
  const review =
    named.length === 0
      ? ''
      : `A review is requested from ${named.map(({ displayName }) => plain(displayName)).join(', ')}.`
  const origin = `Exported from change request #${request.number}: ${url}`
  return {
    title: titleOf(request).replaceAll(/\s+/g, ' '),
    body: [request.description?.trim() ?? '', review, origin].filter((part) => part !== '').join('\n\n'),
  }
}

/** On one line, and nobody of that name is notified by it. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('@', '@\u200b').trim()

export const digestOf = (words: { title: string; body: string }): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22)

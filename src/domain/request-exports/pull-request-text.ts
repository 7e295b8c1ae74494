/** Builds the title, text and reviewers of a pull request. */
import { createHash } from 'node:crypto'
import { type ConnectionDoc, requestedReviews, type UserDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Export } from './poll-context.js'
import { titleOf } from './export-commit.js'
import { MAX_REVIEWERS } from './schedule.js'
import { changeRequestAddress } from '../context/app-addresses.js'

/** GitHub's noreply addresses, which contain the login. */
const NOREPLY = /^(?:\d+\+)?([A-Za-z0-9-]{1,39})@users\.noreply\.github\.com$/i

interface Reviewers {
  /** Logins at the host. */
  logins: string[]
  /** Users whose login is unknown. */
  unknown: Document<UserDoc>[]
  /** Users by login. */
  userOf: Map<string, Document<UserDoc>>
}

/** Finds the logins of the requested reviewers: from the list of the connection, or from a GitHub noreply address. */
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

/** Returns title and text. `named` lists the reviewers without a known login. */
export function wordsOf({ app, request, space }: Export, named: readonly UserDoc[]): { title: string; body: string } {
  const url = changeRequestAddress(app, space.doc.id, request.number)
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

/** Puts a name on one line and prevents a mention of a user with that name. */
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('@', '@\u200b').trim()

export const digestOf = (words: { title: string; body: string }): string =>
  createHash('sha256').update(JSON.stringify(words)).digest('base64url').slice(0, 22)

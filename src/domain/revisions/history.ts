/** Lists the revisions of main and finds the users behind their authors. */
import type { CommitInfo } from '../../git/index.js'
import { badRequest } from '../../kernel/errors.js'
import { type CommitId, isOid } from '../../kernel/ids.js'
import type { Page } from '../../kernel/paging.js'
import type { RevisionsQuery, UserDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { addressOfMember, memberOfAddress } from '../accounts/authors.js'
import { headOf } from './main-content.js'
import { pageHistory } from './page-history.js'

/**
 * Lists the revisions of main along its first parents, newest first. `query` restricts them to one page, one author, or
 * both. The cursor is the last commit on a page of the list, so new revisions do not shift later pages.
 */
export async function listRevisions(app: App, space: LoadedSpace, query: RevisionsQuery): Promise<Page<CommitInfo>> {
  const ids = await idsOf(app, space, query)
  const from = query.page === undefined ? 0 : indexAfter(ids, query.page)
  const shown = ids.slice(from, from + query.limit)
  const last = shown.at(-1)
  const more = last !== undefined && from + shown.length < ids.length
  return {
    items: await Promise.all(shown.map((id) => space.repo.objects.commit(id))),
    count: ids.length,
    ...(more ? { next: { page: Buffer.from(last, 'hex').toString('base64url') } } : {}),
  }
}

function indexAfter(ids: readonly CommitId[], cursor: string): number {
  const id = Buffer.from(cursor, 'base64url').toString('hex')
  const at = isOid(id) ? ids.indexOf(id) : -1
  if (at < 0)
    throw badRequest('`page` is not a cursor of this list.', [
      { path: 'query/page', message: 'must be the value of next.page, or be omitted' },
    ])
  return at + 1
}

async function idsOf(app: App, space: LoadedSpace, { pageId, author }: RevisionsQuery): Promise<readonly CommitId[]> {
  const head = headOf(space)
  const written = author === undefined ? null : await idsOfAuthor(app, space, head, author)
  if (pageId === undefined) return written ?? space.repo.history.firstParents(head)
  const touched = (await pageHistory(app, space, head, pageId)).map(({ id }) => id)
  if (!written) return touched
  const both = new Set(written)
  return touched.filter((id) => both.has(id))
}

async function idsOfAuthor(app: App, space: LoadedSpace, head: CommitId, author: string): Promise<CommitId[]> {
  const email = author.includes('@') ? author : await addressOfMember(app.store, space.doc.organization, author)
  return email === null ? [] : space.repo.history.ids({ from: head, firstParent: true, author: email })
}

/**
 * Returns the users behind e-mail addresses from Git, by lowercase address. Only members of the space's organization
 * are returned: an imported history must not reveal which addresses have an account.
 */
export async function membersByEmail(
  app: App,
  space: LoadedSpace,
  emails: Iterable<string>,
): Promise<Map<string, Document<UserDoc>>> {
  const members = new Map<string, Document<UserDoc>>()
  for (const email of new Set([...emails].map((one) => one.toLowerCase()))) {
    const user = await memberOfAddress(app.store, space.doc.organization, email)
    if (user) members.set(email, user)
  }
  return members
}

import { type Page, pageOf, paginate } from '../../kernel/paging.js'
import { type CommentDoc, type CommentsQuery, commentList, comments } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { keyOf, type LoadedDiscussion } from './discussion.js'

/** A page of a discussion's comments, by when they were posted. Costs a page, however many there are. */
export async function listComments(app: App, discussion: LoadedDiscussion, query: CommentsQuery): Promise<Page<Document<CommentDoc>>> {
  const page = query.targetPage === undefined ? {} : { page: query.targetPage }
  const filter = { ...page, ...(query.status === 'all' ? {} : { status: query.status }) }
  const listOf = (author?: string): string => commentList(keyOf(discussion), author === undefined ? filter : { ...filter, author })
  const [first, ...others] = query.authors ?? [undefined]
  if (others.length === 0) return pageOf(app.store, comments, 'posted', listOf(first), query)
  // Everybody's comments are a list of their own: the page is among the first ones of each, one more tells whether there are further ones.
  const wanted = { ...query, limit: query.limit + 1 }
  const pages = await Promise.all([first, ...others].map((author) => pageOf(app.store, comments, 'posted', listOf(author), wanted)))
  const merged = paginate(
    pages.flatMap(({ items }) => items),
    query,
    ({ postedAt, id }) => [postedAt, id],
    query.order,
  )
  return { ...merged, count: pages.reduce((sum, { count }) => sum + count, 0) }
}

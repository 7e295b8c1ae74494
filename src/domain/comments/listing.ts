// Lists the comments of a discussion in pages.
import { type Page, pageOf, paginate } from '../../kernel/paging.js'
import { type CommentDoc, type CommentsQuery, commentList, comments } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { discussionKeyOf, type LoadedDiscussion } from './discussion.js'

/**
 * Lists a page of a discussion's comments, in the order in which they were posted. The cost does not depend on their
 * number.
 */
export async function listComments(
  app: App,
  discussion: LoadedDiscussion,
  query: CommentsQuery,
): Promise<Page<Document<CommentDoc>>> {
  const page = query.targetPage === undefined ? {} : { page: query.targetPage }
  const filter = { ...page, ...(query.status === 'all' ? {} : { status: query.status }) }
  const listOf = (author?: string): string =>
    commentList(discussionKeyOf(discussion), author === undefined ? filter : { ...filter, author })
  const [first, ...others] = query.authors ?? [undefined]
  if (others.length === 0) return pageOf(app.store, comments, 'posted', listOf(first), query)
  // Each author's comments are a sorted list. Merge the first ones of each, with one more than the limit to detect a
  // next page.
  const extended = { ...query, limit: query.limit + 1 }
  const pages = await Promise.all(
    [first, ...others].map((author) => pageOf(app.store, comments, 'posted', listOf(author), extended)),
  )
  const merged = paginate(
    pages.flatMap(({ items }) => items),
    query,
    ({ postedAt, id }) => [postedAt, id],
    query.order,
  )
  return { ...merged, count: pages.reduce((sum, { count }) => sum + count, 0) }
}

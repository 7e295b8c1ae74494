import { findCommentTarget, type CommentTarget } from '../../content/blocks/comment-targets.js'
import { badRequest, type ServiceError } from '../../kernel/errors.js'
import type { CommentDoc, CreateComment, SeenPage, SeenPlace } from '../../model/index.js'
import type { Sight } from './sight.js'

const invalid = (path: string, message: string): ServiceError => badRequest(`The target of the comment is invalid: ${path} ${message}.`, [{ path, message }])

/** What a comment is made on, as it is now. Throws 400 naming what is not in the content. */
export async function takeTarget(sight: Sight, input: CreateComment): Promise<Pick<CommentDoc, 'page' | 'place'>> {
  if (input.page === undefined) {
    if (input.node !== undefined || input.tableCell !== undefined) throw invalid('/page', 'is required with node and tableCell')
    return {}
  }
  const page = await sight.page(input.page)
  if (!page) throw invalid('/page', 'must be the ID of a page of the content that is commented on')
  if (input.node === undefined && input.tableCell === undefined) return { page }
  return { page, place: choosePlace(await sight.places(page.id), input) }
}

function choosePlace(places: readonly CommentTarget[], { node, tableCell }: CreateComment): SeenPlace {
  const atNode = places.filter((place) => node === undefined || place.node === node)
  if (atNode.length === 0 && node !== undefined) throw invalid('/node', 'must be the key of a node of the page’s document as it is now')
  const found = atNode.filter((place) => place.record === tableCell?.record && place.definition === tableCell?.definition)
  if (found.length === 0) throw invalid('/tableCell', 'must name a record and a column of a table of the page')
  if (found.length > 1) throw invalid('/node', 'is required here, since the page has several tables: the key of the table')
  return found[0] as CommentTarget
}

/** What a comment was made on, as it is now. */
export interface PresentTarget {
  page?: Omit<SeenPage, 'content'> & { outdated: boolean; deleted?: true }
  place?: SeenPlace
}

/** Looks where the target of a comment is now: a page is followed by its ID, a place in it by what it says. */
export async function presentTarget(sight: Sight, { page: seen, place }: Pick<CommentDoc, 'page' | 'place'>): Promise<PresentTarget> {
  if (!seen) return {}
  const { content: was, ...last } = seen
  const found = await sight.page(seen.id)
  if (!found) return { page: { ...last, outdated: true, deleted: true }, ...(place ? { place } : {}) }
  const { content, ...page } = found
  if (!place) return { page: { ...page, outdated: content !== was } }
  if (content === was) return { page: { ...page, outdated: false }, place }
  const now = findCommentTarget(await sight.places(seen.id), place)
  return { page: { ...page, outdated: now === null }, place: now ?? place }
}

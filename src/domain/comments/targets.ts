// Resolves the target of a comment: a page, and a part of it (a node, or a cell of a table).
import { required } from '../../kernel/defined.js'
import { findCommentTarget, type CommentTarget } from '../../content/blocks/comment-targets.js'
import { badRequest, type ServiceError } from '../../kernel/errors.js'
import type { CommentDoc, CreateComment, SeenPage, CommentLocation } from '../../model/index.js'
import { topBlockOf } from './suggested-text.js'
import type { CommentedContent } from './commented-content.js'

const invalid = (path: string, message: string): ServiceError =>
  badRequest(`The target of the comment is invalid: ${path} ${message}.`, [{ path, message }])

/** Finds the target of a new comment in the current content. Throws 400 naming the missing part. */
export async function readTarget(
  commented: CommentedContent,
  input: CreateComment,
): Promise<Pick<CommentDoc, 'page' | 'place'>> {
  if (input.page === undefined) {
    if (input.node !== undefined || input.tableCell !== undefined)
      throw invalid('/page', 'is required with node and tableCell')
    return {}
  }
  const page = await commented.page(input.page)
  if (!page) throw invalid('/page', 'must be the ID of a page of the commented content')
  if (input.node === undefined && input.tableCell === undefined) return { page }
  return { page, place: choosePlace(await commented.places(page.id), input) }
}

function choosePlace(places: readonly CommentTarget[], { node, tableCell }: CreateComment): CommentLocation {
  const atNode = places.filter((place) => node === undefined || place.node === node)
  if (atNode.length === 0 && node !== undefined)
    throw invalid('/node', 'must be the key of a node in the page’s current document')
  const found = atNode.filter(
    (place) => place.record === tableCell?.record && place.definition === tableCell?.definition,
  )
  if (found.length === 0) throw invalid('/tableCell', 'must refer to a record and a column of a table of the page')
  if (found.length > 1)
    throw invalid('/node', 'is required, since the page has several tables; set it to the key of the table')
  return required(found[0])
}

/** The current target of a stored comment. */
interface PresentTarget {
  page?: Omit<SeenPage, 'content'> & { outdated: boolean; deleted?: true }
  /** `changed`: the text of the node has changed, but it is still the same block. */
  place?: CommentLocation & { changed?: true }
}

/** Finds the current target of a comment: a page by its ID, and a part of it by its text. */
export async function presentTarget(
  commented: CommentedContent,
  { page: seen, place, revision }: Pick<CommentDoc, 'page' | 'place' | 'revision'>,
): Promise<PresentTarget> {
  if (!seen) return {}
  const { content: was, ...last } = seen
  const found = await commented.page(seen.id)
  if (!found) return { page: { ...last, outdated: true, deleted: true }, ...(place ? { place } : {}) }
  const { content, ...page } = found
  if (!place) return { page: { ...page, outdated: content !== was } }
  if (content === was) return { page: { ...page, outdated: false }, place }
  const now = findCommentTarget(await commented.places(seen.id), place)
  if (now) return { page: { ...page, outdated: false }, place: now }
  const block = await commented.follow(seen.id, topBlockOf(place.node), revision)
  return { page: { ...page, outdated: true }, place: block === null ? place : { ...place, node: block, changed: true } }
}

/** Reads the block of a page that a suggestion replaces. */
import { badRequest } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { CommentDoc, StoredSuggestion } from '../../model/index.js'
import type { PageBlock } from '../../render/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { blocksOf } from '../revisions/rendered-blocks.js'
import { openRevision, readDocument } from '../revisions/revisions.js'
import type { LoadedDiscussion } from './discussion.js'

const invalid = (message: string) =>
  badRequest(`The suggestion is invalid: /suggestion ${message}.`, [{ path: '/suggestion', message }])

/** Returns the key of the top-level block that contains a node. */
export const topBlockOf = (node: string): string => /^n\d+/.exec(node)?.[0] ?? ''

/** The text of a page, and the blocks in it. */
interface PageBlocks {
  markdown: string
  blocks: readonly PageBlock[]
}

/** Reads a page and its blocks. Null if it has no text that can be parsed. */
export async function readBlocks(
  app: App,
  space: LoadedSpace,
  head: CommitId,
  pageId: string,
): Promise<PageBlocks | null> {
  const revision = await openRevision(app, space, head)
  const entry = revision.structure.byId.get(pageId)
  if (entry?.type !== 'document') return null
  const { source, large, hidden } = await readDocument(app, revision, entry)
  if (large !== undefined || hidden !== undefined) return null
  return { markdown: source.markdown, blocks: await blocksOf(app, space.doc.id, source.markdown) }
}

/**
 * Returns the stored form of a new comment's suggestion, with the source of the block that it replaces. Throws 400 if
 * the comment is not about a block of a change request.
 */
export async function readSuggestion(
  app: App,
  { space, changeRequest }: LoadedDiscussion,
  markdown: string,
  { page, place }: Pick<CommentDoc, 'page' | 'place'>,
): Promise<StoredSuggestion> {
  if (!changeRequest) throw invalid('is only possible in a change request')
  if (!page || !place) throw invalid('requires page and node')
  const found = await readBlocks(app, space, changeRequest.head, page.id)
  const block = found?.blocks.find(({ node }) => node === topBlockOf(place.node))
  if (!found || !block) throw invalid('requires a block of a page that can be parsed')
  return { markdown, original: found.markdown.slice(block.start, block.end) }
}

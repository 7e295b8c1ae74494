/** Accepts suggestions: comments that propose another text for their block. */
import { conflict } from '../../kernel/errors.js'
import { type CommentDoc, comments, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest } from '../context/loaded.js'
import { coAuthors } from '../commits/credits.js'
import { commitMessage } from '../commits/make-commit.js'
import { writeToChangeRequest } from '../commits/write-content.js'
import { getComment } from './comments.js'
import { countOpen, emitCommentEvent, type LoadedDiscussion, writeInDiscussion } from './discussion.js'
import { readBlocks, topBlockOf } from './suggested-text.js'

/**
 * Writes a suggestion into the change request, with its author as co-author, and resolves the comment. Throws 409 if
 * the comment has no open suggestion, or if the text of the block has changed.
 */
export async function acceptSuggestion(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion & { changeRequest: LoadedChangeRequest },
  comment: Document<CommentDoc>,
): Promise<Document<CommentDoc>> {
  const { space, changeRequest } = discussion
  const { suggestion, page, place } = comment
  if (!suggestion || !page || !place) throw conflict('The comment has no suggestion.')
  if (suggestion.acceptedAt !== undefined) throw conflict('The suggestion was already accepted.')
  const found = await readBlocks(app, space, changeRequest.head, page.id)
  const sameText = found?.blocks.filter(({ start, end }) => found.markdown.slice(start, end) === suggestion.original)
  const block = sameText?.find(({ node }) => node === topBlockOf(place.node)) ?? sameText?.[0]
  if (!found || !block)
    throw conflict('The text of the block has changed. Read it again, and edit it in the change request.')
  const markdown = found.markdown.slice(0, block.start) + suggestion.markdown + found.markdown.slice(block.end)
  const { revision } = await writeToChangeRequest(
    {
      app,
      actor,
      space,
      input: {
        changes: [{ operation: 'update_page', page: page.id, document: { markdown } }],
        message: await messageOf(app, actor, comment, page.title),
      },
      uploads: new Map(),
    },
    changeRequest,
    changeRequest.head,
  )
  return writeInDiscussion(app, actor, discussion, async (writing) => {
    const stored = await getComment(writing, comment.id)
    const doc = await writing.tx.replace(comments, {
      ...stored,
      status: 'resolved',
      resolvedAt: stored.resolvedAt ?? writing.now,
      resolvedBy: stored.resolvedBy ?? actor.user.id,
      suggestion: { ...suggestion, acceptedAt: writing.now, acceptedBy: actor.user.id, revision },
    })
    await countOpen(writing, stored.status === 'open' ? -1 : 0)
    await emitCommentEvent(writing, 'comment.updated', doc, { changed: ['status', 'suggestion'], status: doc.status })
    return doc
  })
}

const MAX_TITLE = 50

async function messageOf(app: App, actor: Actor, { postedBy }: CommentDoc, title: string): Promise<string> {
  const reviewer = await app.store.get(users, postedBy)
  const others = reviewer ? coAuthors([reviewer], actor.user) : []
  const shown = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title
  return commitMessage(`Accept a suggestion for ${shown}`, { 'Co-authored-by': others })
}

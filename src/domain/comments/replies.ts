/** Lists, creates, edits and deletes replies to comments. */
import { notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type CommentDoc,
  type CreateReply,
  comments,
  type ReplyDoc,
  replies,
  type UpdateReply,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { readWrittenText } from '../revisions/written-text.js'
import { checkBoth, checkMayDelete, edit, getComment } from './comments.js'
import {
  countPosts,
  type LoadedDiscussion,
  discussionIds,
  emitCommentEvent,
  notifyOfPost,
  writeInDiscussion,
} from './discussion.js'
import { react, readReactions, removeReactions } from './reactions.js'

/** Finds a reply to a comment. Null if there is none. */
export async function findReply(
  app: App,
  comment: Pick<CommentDoc, 'id'>,
  id: string,
): Promise<Document<ReplyDoc> | null> {
  const doc = await app.store.get(replies, id)
  return doc && doc.comment === comment.id ? doc : null
}

/** Lists a page of the replies to a comment, in the order in which they were posted. */
export const listReplies = (
  app: App,
  comment: Pick<CommentDoc, 'id'>,
  query: PageQuery,
): Promise<Page<Document<ReplyDoc>>> => pageOf(app.store, replies, 'posted', comment.id, query)

/** Creates a reply. Throws 400 if its body is invalid, and 404 if the comment was deleted in the meantime. */
export async function createReply(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  comment: Pick<CommentDoc, 'id'>,
  input: CreateReply,
): Promise<Document<ReplyDoc>> {
  const markdown = await readWrittenText(app, discussion.space.doc.id, input.body)
  return writeInDiscussion(app, actor, discussion, async (writing) => {
    const { tx, now } = writing
    const stored = await getComment(writing, comment.id)
    const reply = await tx.insert(replies, {
      id: newId(),
      ...discussionIds(discussion),
      comment: stored.id,
      postedBy: actor.user.id,
      postedAt: now,
      markdown,
    })
    await tx.replace(comments, { ...stored, replies: stored.replies + 1 })
    await countPosts(writing, actor.user.id, 1)
    await emitCommentEvent(writing, 'reply.created', stored, { reply: reply.id })
    await notifyOfPost(writing, 'reply', stored)
    return reply
  })
}

/**
 * Edits a reply (its author may) and changes the caller's reactions (all users who may comment). Throws 403; nothing is
 * then changed.
 */
export async function updateReply(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  reply: Pick<ReplyDoc, 'id'>,
  input: UpdateReply,
): Promise<Document<ReplyDoc>> {
  const [markdown, reactions] = await checkBoth(
    () => input.body && readWrittenText(app, discussion.space.doc.id, input.body),
    () => readReactions(input),
  )
  return writeInDiscussion(app, actor, discussion, async (writing) => {
    const stored = await writing.tx.get(replies, reply.id)
    if (!stored) throw notFound('The reply')
    const next = edit(writing, stored, markdown)
    const reacted = await react(writing, stored.id, reactions)
    const doc = next === stored ? stored : await writing.tx.replace(replies, next)
    const changed = [...(next === stored ? [] : ['body']), ...(reacted ? ['reactions'] : [])]
    if (changed.length > 0)
      await emitCommentEvent(writing, 'reply.updated', { id: doc.comment }, { reply: doc.id, changed })
    return doc
  })
}

/** Deletes a reply. Does nothing if it no longer exists. */
export async function deleteReply(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  reply: Pick<ReplyDoc, 'id'>,
): Promise<void> {
  await writeInDiscussion(app, actor, discussion, async (writing) => {
    const { tx } = writing
    const stored = await tx.get(replies, reply.id)
    if (!stored) return
    checkMayDelete(writing, stored)
    const comment = await getComment(writing, stored.comment)
    await removeReactions(tx, stored.id)
    await tx.remove(replies, stored.id)
    await tx.replace(comments, { ...comment, replies: comment.replies - 1 })
    await countPosts(writing, stored.postedBy, -1)
    await emitCommentEvent(writing, 'reply.deleted', comment, { reply: stored.id })
  })
}

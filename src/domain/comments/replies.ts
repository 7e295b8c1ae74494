import { notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import { type CommentDoc, type CreateReply, comments, type ReplyDoc, replies, type UpdateReply } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import { readBody } from './body.js'
import { checkMayDelete, edit, getComment } from './comments.js'
import { countPosts, type LoadedDiscussion, partsOf, tell, write } from './discussion.js'
import { react, readReactions, removeReactions } from './reactions.js'
import { together } from './together.js'

/** A reply to a comment; null where there is none. */
export async function findReply(app: App, comment: Pick<CommentDoc, 'id'>, id: string): Promise<Document<ReplyDoc> | null> {
  const doc = await app.store.get(replies, id)
  return doc && doc.comment === comment.id ? doc : null
}

/** A page of the replies to a comment, in the order in which they were posted. */
export const listReplies = (app: App, comment: Pick<CommentDoc, 'id'>, query: PageQuery): Promise<Page<Document<ReplyDoc>>> =>
  pageOf(app.store, replies, 'posted', comment.id, query)

/** A new reply. Throws 400 where its body is none, 404 where the comment went meanwhile. */
export async function createReply(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  comment: Pick<CommentDoc, 'id'>,
  input: CreateReply,
): Promise<Document<ReplyDoc>> {
  const markdown = await readBody(app, discussion.space.doc.id, input.body)
  return write(app, actor, discussion, async (writing) => {
    const { tx, now } = writing
    const stored = await getComment(writing, comment.id)
    const reply = await tx.insert(replies, { id: newId(), ...partsOf(discussion), comment: stored.id, postedBy: actor.user.id, postedAt: now, markdown })
    await tx.replace(comments, { ...stored, replies: stored.replies + 1 })
    await countPosts(writing, actor.user.id, 1)
    await tell(writing, 'reply.created', stored, { reply: reply.id })
    return reply
  })
}

/** Edits a reply (its author) and reacts to it (everybody who may comment). Throws 403; then nothing is done. */
export async function updateReply(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  reply: Pick<ReplyDoc, 'id'>,
  input: UpdateReply,
): Promise<Document<ReplyDoc>> {
  const [markdown, reactions] = await together(
    () => input.body && readBody(app, discussion.space.doc.id, input.body),
    () => readReactions(input),
  )
  return write(app, actor, discussion, async (writing) => {
    const stored = await writing.tx.get(replies, reply.id)
    if (!stored) throw notFound('The reply')
    const next = edit(writing, stored, markdown)
    const reacted = await react(writing, stored.id, reactions)
    const doc = next === stored ? stored : await writing.tx.replace(replies, next)
    const changed = [...(next === stored ? [] : ['body']), ...(reacted ? ['reactions'] : [])]
    if (changed.length > 0) await tell(writing, 'reply.updated', { id: doc.comment }, { reply: doc.id, changed })
    return doc
  })
}

/** Removes a reply. One that is gone already is no error. */
export async function deleteReply(app: App, actor: Actor, discussion: LoadedDiscussion, reply: Pick<ReplyDoc, 'id'>): Promise<void> {
  await write(app, actor, discussion, async (writing) => {
    const { tx } = writing
    const stored = await tx.get(replies, reply.id)
    if (!stored) return
    checkMayDelete(writing, stored)
    const comment = await getComment(writing, stored.comment)
    await removeReactions(tx, stored.id)
    await tx.remove(replies, stored.id)
    await tx.replace(comments, { ...comment, replies: comment.replies - 1 })
    await countPosts(writing, stored.postedBy, -1)
    await tell(writing, 'reply.deleted', comment, { reply: stored.id })
  })
}

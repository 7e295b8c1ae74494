/**
 * Runs writes in a discussion (the comments of a space or change request), updates its counters and emits its events.
 */
import { required } from '../../kernel/defined.js'
import { allows } from '../../access/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import {
  changeRequests,
  commenterId,
  commenters,
  type CommentDoc,
  discussionKey,
  replies,
  type EventType,
  type Role,
  type SpaceDoc,
  spaces,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { spaceRole } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'

/** The subject of comments: a space, or one of its change requests. */
export interface LoadedDiscussion {
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
}

/** Returns the IDs by which documents refer to a discussion. */
export const discussionIds = ({ space, changeRequest }: LoadedDiscussion) => ({
  space: space.doc.id,
  ...(changeRequest === undefined ? {} : { changeRequest: changeRequest.doc.id }),
})
export const discussionKeyOf = (discussion: LoadedDiscussion): string => discussionKey(discussionIds(discussion))

/** A write in a discussion: its transaction, the stored space, and the caller's role. */
export interface DiscussionWrite {
  app: App
  tx: Transaction
  actor: Actor
  discussion: LoadedDiscussion
  space: Document<SpaceDoc>
  role: Role
  now: string
}

/**
 * Runs a write in a discussion as one transaction. Throws 404 if the space was deleted or the caller may no longer see
 * it, and 403 if they may not comment.
 */
export async function writeInDiscussion<R>(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  work: (writing: DiscussionWrite) => Promise<R>,
): Promise<R> {
  const written = await app.store.transact(async (tx) => {
    const space = await tx.get(spaces, discussion.space.doc.id)
    const role = space && space.deletedAt === undefined ? await spaceRole(tx, actor.user.id, space) : null
    if (!space || role === null) throw notFound('The space')
    if (!allows('space:comment', role))
      throw new ServiceError('forbidden', 'You are not allowed to comment here. This needs the role comment.')
    return work({ app, tx, actor, discussion, space, role, now: app.clock.now().toISOString() })
  })
  app.wakes.jobs()
  return written
}

/** Changes the number of open comments of the space or the change request. */
export async function countOpen({ tx, discussion, space }: DiscussionWrite, by: number): Promise<void> {
  if (by === 0) return
  if (discussion.changeRequest === undefined) {
    const stored = required(await tx.get(spaces, space.id))
    await tx.replace(spaces, { ...stored, comments: stored.comments + by })
    return
  }
  const stored = await tx.get(changeRequests, discussion.changeRequest.doc.id)
  if (!stored) throw notFound('The change request')
  await tx.replace(changeRequests, { ...stored, comments: stored.comments + by })
}

/** Changes the number of a user's comments and replies in the discussion. */
export async function countPosts({ tx, discussion }: DiscussionWrite, user: string, by: number): Promise<void> {
  const key = discussionKeyOf(discussion)
  const stored = await tx.get(commenters, commenterId(key, user))
  const posts = (stored?.posts ?? 0) + by
  if (posts <= 0) await tx.remove(commenters, commenterId(key, user))
  else if (stored) await tx.replace(commenters, { ...stored, posts })
  else
    await tx.insert(commenters, {
      id: commenterId(key, user),
      space: discussion.space.doc.id,
      discussion: key,
      user,
      posts,
    })
}

/**
 * Notifies users of a new comment or reply: the author of the change request, and others who wrote in it. Of comments
 * on a space, only those who wrote in the same thread.
 */
export async function notifyOfPost(
  { app, tx, actor, discussion, space }: DiscussionWrite,
  type: 'comment' | 'reply',
  comment: Pick<CommentDoc, 'id' | 'page' | 'postedBy'>,
): Promise<void> {
  const request = discussion.changeRequest?.doc
  const wrote =
    type === 'reply'
      ? (await tx.find(replies, 'comment', comment.id)).map(({ postedBy }) => postedBy)
      : request
        ? (await tx.find(commenters, 'discussion', discussionKeyOf(discussion))).map(({ user }) => user)
        : []
  const { page } = comment
  const news = {
    type,
    organization: space.organization,
    ...discussionIds(discussion),
    actor: actor.user.id,
    comment: comment.id,
    ...(page ? { page: { id: page.id, title: page.title } } : {}),
  }
  await notify(app, tx, news, [...(request ? [request.createdBy] : []), comment.postedBy, ...wrote])
}

/** Emits an event about a comment, or a reply to it. */
export async function emitCommentEvent(
  { app, tx, actor, discussion, space }: DiscussionWrite,
  type: EventType,
  comment: Pick<CommentDoc, 'id'>,
  data = {},
): Promise<void> {
  const subject = { ...discussionIds(discussion), comment: comment.id }
  await emit(app, tx, { type, organization: space.organization, actor: actor.user.id, subject, data })
}

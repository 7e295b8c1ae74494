/** Turns comments and replies into the JSON that clients get, and builds their paths. */
import { presentCommentPermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedDiscussion } from '../../domain/comments/discussion.js'
import { reactionsTo } from '../../domain/comments/reactions.js'
import { type CommentedContent, commentedContent } from '../../domain/comments/commented-content.js'
import { presentTarget } from '../../domain/comments/targets.js'
import {
  type CommentDoc,
  type Format,
  MAX_REACTION_USERS,
  replies,
  type ReplyDoc,
  type StoredSuggestion,
  users,
} from '../../model/index.js'
import { pageOf } from '../../kernel/paging.js'
import { inFormat } from '../content/present-page.js'
import { formerUser, presentUser } from '../users/present.js'
import { defined } from '../../kernel/defined.js'

/** Maximum number of replies that are read to list the users who replied. */
const MAX_READ_REPLIES = 200

/** The context for the comments and replies of one response. */
export interface CommentContext {
  app: App
  actor: Actor
  discussion: LoadedDiscussion
  format: Format
  commented: CommentedContent
  /** Returns a user. Reads each user only once per response. */
  user(id: string): Promise<ReturnType<typeof presentUser>>
}

export function commentContext(app: App, actor: Actor, discussion: LoadedDiscussion, format: Format): CommentContext {
  const known = new Map<string, ReturnType<CommentContext['user']>>()
  const read = async (id: string) => {
    const found = await app.store.get(users, id)
    return found ? presentUser(app, found) : formerUser(app, id)
  }
  const user = (id: string) => {
    let found = known.get(id)
    if (!found) known.set(id, (found = read(id)))
    return found
  }
  return { app, actor, discussion, format, commented: commentedContent(app, discussion), user }
}

/** Returns the path of the comments of a space or a change request. */
const commentsPath = ({ space, changeRequest }: LoadedDiscussion): string =>
  `/v1/spaces/${space.doc.id}${changeRequest === undefined ? '' : `/change-requests/${changeRequest.doc.id}`}/comments`

async function presentReactions({ app, user }: CommentContext, post: string) {
  const byEmoji = [...(await reactionsTo(app.store, post))]
  return Promise.all(
    byEmoji.map(async ([emoji, all]) => {
      const named = all.slice(0, MAX_REACTION_USERS)
      return {
        emoji,
        count: all.length,
        users: await Promise.all(named.map(async (one) => ({ user: await user(one.user), reactedAt: one.reactedAt }))),
      }
    }),
  )
}

async function presentPost(context: CommentContext, doc: CommentDoc | ReplyDoc, path: string) {
  const { app, actor, discussion, format } = context
  return {
    id: doc.id,
    postedBy: await context.user(doc.postedBy),
    postedAt: doc.postedAt,
    ...defined({ editedAt: doc.editedAt }),
    reactions: await presentReactions(context, doc.id),
    body: (await inFormat(app, discussion.space.doc.id, doc.markdown, format)).content,
    urls: { location: `${app.settings.publicUrl}${commentsPath(discussion)}/${path}` },
    permissions: presentCommentPermissions(
      { role: discussion.space.role, readOnly: app.readOnly },
      doc.postedBy === actor.user.id,
    ),
  }
}

async function presentCommentTarget({ commented }: CommentContext, doc: CommentDoc) {
  const { page, place } = await presentTarget(commented, doc)
  const { record, definition } = place ?? {}
  return {
    space: doc.space,
    ...defined({ changeRequest: doc.changeRequest, review: doc.review }),
    revision: doc.revision,
    ...(page ? { page } : {}),
    ...(place ? { node: { id: place.node, preview: place.preview, ...defined({ changed: place.changed }) } } : {}),
    ...(record === undefined || definition === undefined ? {} : { tableCell: { record, definition } }),
  }
}

/** Lists the users who replied, in order of their first reply. In a long discussion, only its first replies count. */
async function presentRepliers({ app, user }: CommentContext, doc: CommentDoc) {
  if (doc.replies === 0) return []
  const { items } = await pageOf(app.store, replies, 'posted', doc.id, { limit: MAX_READ_REPLIES, order: 'asc' })
  return Promise.all([...new Set(items.map(({ postedBy }) => postedBy))].map((id) => user(id)))
}

async function presentSuggestion({ user }: CommentContext, { acceptedBy, ...rest }: StoredSuggestion) {
  return { ...rest, ...(acceptedBy === undefined ? {} : { acceptedBy: await user(acceptedBy) }) }
}

/** Returns a comment, with its page, node and cell in their current state. */
export async function presentComment(context: CommentContext, doc: CommentDoc) {
  return {
    object: 'comment' as const,
    ...(await presentPost(context, doc, doc.id)),
    replies: doc.replies,
    repliers: await presentRepliers(context, doc),
    target: await presentCommentTarget(context, doc),
    status: doc.status,
    ...defined({ resolvedAt: doc.resolvedAt }),
    ...(doc.resolvedBy === undefined ? {} : { resolvedBy: await context.user(doc.resolvedBy) }),
    ...(doc.suggestion ? { suggestion: await presentSuggestion(context, doc.suggestion) } : {}),
  }
}

export async function presentReply(context: CommentContext, doc: ReplyDoc) {
  return { object: 'comment-reply' as const, ...(await presentPost(context, doc, `${doc.comment}/replies/${doc.id}`)) }
}

/** Presents the items of a list one after another, so that each can use values that were loaded for earlier ones. */
export async function presentEach<T, R>(items: readonly T[], present: (item: T) => Promise<R>): Promise<R[]> {
  const presented: R[] = []
  for (const item of items) presented.push(await present(item))
  return presented
}

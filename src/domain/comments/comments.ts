// Creates, changes and deletes comments.
import { mayResolve, presentCommentPermissions } from '../../access/index.js'
import { badRequest, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CommentDoc,
  commenters,
  commentList,
  comments,
  type CommentsQuery,
  type CreateComment,
  reactions,
  replies,
  type UpdateComment,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { readWrittenText } from '../revisions/written-text.js'
import {
  countOpen,
  countPosts,
  discussionIds,
  discussionKeyOf,
  type DiscussionWrite,
  emitCommentEvent,
  type LoadedDiscussion,
  notifyOfPost,
  writeInDiscussion,
} from './discussion.js'
import { react, readReactions, removeReactions } from './reactions.js'
import { commentedContent } from './commented-content.js'
import { readTarget } from './targets.js'
import { type Page, pageOf, paginate } from '../../kernel/paging.js'

const isInvalid = (reason: unknown): reason is ServiceError =>
  reason instanceof ServiceError && reason.code === 'bad-request'

/** Runs two checks of one request and returns both results, or throws one 400 with the violations of both. */
export async function checkBoth<A, B>(first: () => A | Promise<A>, second: () => B | Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([(async () => first())(), (async () => second())()])
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value]
  const reasons: unknown[] = [a, b].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of reasons) if (!isInvalid(reason)) throw reason
  const invalid = reasons.filter(isInvalid)
  throw badRequest(
    invalid.map(({ message }) => message).join(' '),
    invalid.flatMap(({ extra }) => extra.details ?? []),
  )
}

/** Finds a comment on the space itself or, with a change request, on that. Null if there is none. */
export async function findComment(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest | undefined,
  id: string,
): Promise<Document<CommentDoc> | null> {
  const doc = await app.store.get(comments, id)
  return doc && doc.space === space.doc.id && doc.changeRequest === changeRequest?.doc.id ? doc : null
}

/** Creates a comment. Throws 400 if its body is invalid or its target is not in the content. */
export async function createComment(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  input: CreateComment,
): Promise<Document<CommentDoc>> {
  const commented = commentedContent(app, discussion)
  const [markdown, target] = await checkBoth(
    () => readWrittenText(app, discussion.space.doc.id, input.body),
    () => readTarget(commented, input),
  )
  return writeInDiscussion(app, actor, discussion, (writing) =>
    insertComment(writing, { markdown, revision: commented.head ?? '', ...target }),
  )
}

/** Creates a comment as part of another write in the discussion. */
export async function insertComment(
  writing: DiscussionWrite,
  input: Pick<CommentDoc, 'markdown' | 'revision' | 'page' | 'place' | 'review'>,
): Promise<Document<CommentDoc>> {
  const { tx, actor, discussion, now } = writing
  const comment = await tx.insert(comments, {
    id: newId(),
    ...discussionIds(discussion),
    postedBy: actor.user.id,
    postedAt: now,
    status: 'open',
    replies: 0,
    ...input,
  })
  await countOpen(writing, 1)
  await countPosts(writing, actor.user.id, 1)
  await emitCommentEvent(writing, 'comment.created', comment)
  // A review is reported with its comment.
  if (input.review === undefined) await notifyOfPost(writing, 'comment', comment)
  return comment
}

/**
 * Edits a comment (its author may), resolves or reopens it (its author, or the role edit), and changes the caller's
 * reactions (all users who may comment). Throws 403 if the caller may not do one of these; nothing is then changed.
 */
export async function updateComment(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  comment: Pick<CommentDoc, 'id'>,
  input: UpdateComment,
): Promise<Document<CommentDoc>> {
  const [markdown, reactions] = await checkBoth(
    () => input.body && readWrittenText(app, discussion.space.doc.id, input.body),
    () => readReactions(input),
  )
  return writeInDiscussion(app, actor, discussion, async (writing) => {
    const stored = await getComment(writing, comment.id)
    const edited = edit(writing, stored, markdown)
    const next = input.resolved === undefined ? edited : resolve(writing, edited, input.resolved)
    const reacted = await react(writing, stored.id, reactions)
    const doc = next === stored ? stored : await writing.tx.replace(comments, next)
    await countOpen(writing, Number(doc.status === 'open') - Number(stored.status === 'open'))
    const changed = [
      ...(edited === stored ? [] : ['body']),
      ...(next.status === stored.status ? [] : ['status']),
      ...(reacted ? ['reactions'] : []),
    ]
    if (changed.length > 0) await emitCommentEvent(writing, 'comment.updated', doc, { changed, status: doc.status })
    return doc
  })
}

/** Returns the comment as it is currently stored. Throws 404. */
export async function getComment({ tx }: DiscussionWrite, id: string): Promise<Document<CommentDoc>> {
  const stored = await tx.get(comments, id)
  if (!stored) throw notFound('The comment')
  return stored
}

/** Returns a comment or reply with a new text. Throws 403 if the caller is not its author. */
export function edit<T extends { postedBy: string; markdown: string; editedAt?: string }>(
  { role, actor, now }: DiscussionWrite,
  stored: T,
  markdown?: string,
): T {
  if (markdown === undefined) return stored
  if (!presentCommentPermissions({ role, readOnly: false }, stored.postedBy === actor.user.id).edit)
    throw new ServiceError('forbidden', 'Only its author may edit a comment or reply.')
  return stored.markdown === markdown ? stored : { ...stored, markdown, editedAt: now }
}

function resolve(
  { role, actor, now }: DiscussionWrite,
  stored: Document<CommentDoc>,
  resolved: boolean,
): Document<CommentDoc> {
  if (!mayResolve(role, stored.postedBy === actor.user.id))
    throw new ServiceError('forbidden', 'Only its author or a user with the role edit may resolve or reopen a comment.')
  if (resolved === (stored.status === 'resolved')) return stored
  const { resolvedAt: _at, resolvedBy: _by, ...rest } = stored
  return resolved
    ? { ...rest, status: 'resolved', resolvedAt: now, resolvedBy: actor.user.id }
    : { ...rest, status: 'open' }
}

/** Throws 403 unless the caller is the author of the comment or reply, or an admin. */
export function checkMayDelete({ role, actor }: DiscussionWrite, { postedBy }: { postedBy: string }): void {
  if (!presentCommentPermissions({ role, readOnly: false }, postedBy === actor.user.id).delete)
    throw new ServiceError('forbidden', 'Only its author or an admin may delete a comment or reply.')
}

/** Deletes a comment with its replies. Does nothing if it no longer exists. */
export async function deleteComment(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  comment: Pick<CommentDoc, 'id'>,
): Promise<void> {
  await writeInDiscussion(app, actor, discussion, async (writing) => {
    const { tx } = writing
    const stored = await tx.get(comments, comment.id)
    if (!stored) return
    checkMayDelete(writing, stored)
    for (const reply of await tx.find(replies, 'comment', stored.id)) {
      await removeReactions(tx, reply.id)
      await tx.remove(replies, reply.id)
      await countPosts(writing, reply.postedBy, -1)
    }
    await removeReactions(tx, stored.id)
    await tx.remove(comments, stored.id)
    await countPosts(writing, stored.postedBy, -1)
    await countOpen(writing, stored.status === 'open' ? -1 : 0)
    await emitCommentEvent(writing, 'comment.deleted', stored)
  })
}

/** Removes all comments, replies and reactions in a space and its change requests, in the transaction that purges the space. */
export async function removeComments(tx: Transaction, space: string): Promise<void> {
  for (const doc of await tx.find(comments, 'space', space)) await tx.remove(comments, doc.id)
  for (const doc of await tx.find(replies, 'space', space)) await tx.remove(replies, doc.id)
  for (const doc of await tx.find(reactions, 'space', space)) await tx.remove(reactions, doc.id)
  for (const doc of await tx.find(commenters, 'space', space)) await tx.remove(commenters, doc.id)
}

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

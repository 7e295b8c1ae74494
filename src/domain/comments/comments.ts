import { mayResolve, presentCommentPermissions } from '../../access/index.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type CommentDoc, type CreateComment, comments, replies, type UpdateComment } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import { readBody } from './body.js'
import { countOpen, countPosts, type LoadedDiscussion, partsOf, tell, type Writing, write } from './discussion.js'
import { react, readReactions, removeReactions } from './reactions.js'
import { sightOf } from './sight.js'
import { takeTarget } from './targets.js'
import { together } from './together.js'

/** A comment on the space itself or, with a change request, on that; null where there is none. */
export async function findComment(
  app: App,
  space: LoadedSpace,
  changeRequest: LoadedChangeRequest | undefined,
  id: string,
): Promise<Document<CommentDoc> | null> {
  const doc = await app.store.get(comments, id)
  return doc && doc.space === space.doc.id && doc.changeRequest === changeRequest?.doc.id ? doc : null
}

/** A new comment. Throws 400 where its body is none or its target is not in the content. */
export async function createComment(app: App, actor: Actor, discussion: LoadedDiscussion, input: CreateComment): Promise<Document<CommentDoc>> {
  const sight = sightOf(app, discussion)
  const [markdown, target] = await together(
    () => readBody(app, discussion.space.doc.id, input.body),
    () => takeTarget(sight, input),
  )
  return write(app, actor, discussion, (writing) => insertComment(writing, { markdown, revision: sight.head ?? '', ...target }))
}

/** A new comment, in a write under way. */
export async function insertComment(
  writing: Writing,
  input: Pick<CommentDoc, 'markdown' | 'revision' | 'page' | 'place' | 'review'>,
): Promise<Document<CommentDoc>> {
  const { tx, actor, discussion, now } = writing
  const comment = await tx.insert(comments, {
    id: newId(),
    ...partsOf(discussion),
    postedBy: actor.user.id,
    postedAt: now,
    status: 'open',
    replies: 0,
    ...input,
  })
  await countOpen(writing, 1)
  await countPosts(writing, actor.user.id, 1)
  await tell(writing, 'comment.created', comment)
  return comment
}

/**
 * Edits (its author), resolves or opens again (its author, or with the role edit), and reacts (everybody who may comment).
 * What is so already stays as it is. Throws 403 where one of these is not the caller's to do; then nothing is done.
 */
export async function updateComment(
  app: App,
  actor: Actor,
  discussion: LoadedDiscussion,
  comment: Pick<CommentDoc, 'id'>,
  input: UpdateComment,
): Promise<Document<CommentDoc>> {
  const [markdown, reactions] = await together(
    () => input.body && readBody(app, discussion.space.doc.id, input.body),
    () => readReactions(input),
  )
  return write(app, actor, discussion, async (writing) => {
    const stored = await getComment(writing, comment.id)
    const edited = edit(writing, stored, markdown)
    const next = input.resolved === undefined ? edited : resolve(writing, edited, input.resolved)
    const reacted = await react(writing, stored.id, reactions)
    const doc = next === stored ? stored : await writing.tx.replace(comments, next)
    await countOpen(writing, Number(doc.status === 'open') - Number(stored.status === 'open'))
    const changed = [...(edited === stored ? [] : ['body']), ...(next.status === stored.status ? [] : ['status']), ...(reacted ? ['reactions'] : [])]
    if (changed.length > 0) await tell(writing, 'comment.updated', doc, { changed, status: doc.status })
    return doc
  })
}

/** The comment as it is stored now. Throws 404. */
export async function getComment({ tx }: Writing, id: string): Promise<Document<CommentDoc>> {
  const stored = await tx.get(comments, id)
  if (!stored) throw notFound('The comment')
  return stored
}

/** A comment or reply with another text. Throws 403 where it is somebody else's. */
export function edit<T extends { postedBy: string; markdown: string; editedAt?: string }>({ role, actor, now }: Writing, stored: T, markdown?: string): T {
  if (markdown === undefined) return stored
  if (!presentCommentPermissions(role, stored.postedBy === actor.user.id).edit) throw new ServiceError('forbidden', 'Only its author may edit it.')
  return stored.markdown === markdown ? stored : { ...stored, markdown, editedAt: now }
}

function resolve({ role, actor, now }: Writing, stored: Document<CommentDoc>, resolved: boolean): Document<CommentDoc> {
  if (!mayResolve(role, stored.postedBy === actor.user.id))
    throw new ServiceError('forbidden', 'A comment is resolved, or opened again, by its author or by who has the role edit.')
  if (resolved === (stored.status === 'resolved')) return stored
  const { resolvedAt: _at, resolvedBy: _by, ...rest } = stored
  return (resolved ? { ...rest, status: 'resolved', resolvedAt: now, resolvedBy: actor.user.id } : { ...rest, status: 'open' }) as Document<CommentDoc>
}

/** Throws 403 where a comment or reply is not the caller's to delete: its author's, or an admin's. */
export function checkMayDelete({ role, actor }: Writing, { postedBy }: { postedBy: string }): void {
  if (!presentCommentPermissions(role, postedBy === actor.user.id).delete) throw new ServiceError('forbidden', 'Only its author or an admin may delete it.')
}

/** Removes a comment with its replies. One that is gone already is no error. */
export async function deleteComment(app: App, actor: Actor, discussion: LoadedDiscussion, comment: Pick<CommentDoc, 'id'>): Promise<void> {
  await write(app, actor, discussion, async (writing) => {
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
    await tell(writing, 'comment.deleted', stored)
  })
}

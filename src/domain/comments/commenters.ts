import { commenters, type MembershipDoc, membershipId, memberships } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../app.js'
import { keyOf, type LoadedDiscussion } from './discussion.js'

/** Those who wrote comments or replies in a discussion that are there, once each, as far as they are members of the space's organization now. */
export async function listCommenters(app: App, discussion: LoadedDiscussion): Promise<Document<MembershipDoc>[]> {
  const { organization } = discussion.space.doc
  const wrote = await app.store.find(commenters, 'discussion', keyOf(discussion))
  const found = await Promise.all(wrote.map(({ user }) => app.store.get(memberships, membershipId(organization, user))))
  return found.filter((member): member is Document<MembershipDoc> => member !== null && !member.disabled)
}

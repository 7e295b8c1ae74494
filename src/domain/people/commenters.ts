// Lists the members who take part in a discussion.
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import { commenters, membershipId, memberships, users } from '../../model/index.js'
import type { App } from '../context/app.js'
import { type CountedMember, countMembers, type LoadedMember } from './members.js'
import { discussionKeyOf, type LoadedDiscussion } from '../comments/discussion.js'

/**
 * Lists the authors of the comments and replies of a discussion, in the order in which they joined the organization.
 * Only current, active members are listed.
 */
export async function listCommenters(
  app: App,
  discussion: LoadedDiscussion,
  query: PageQuery,
): Promise<Page<CountedMember>> {
  const { organization } = discussion.space.doc
  const wrote = await app.store.find(commenters, 'discussion', discussionKeyOf(discussion))
  const found = await Promise.all(
    wrote.map(async (one): Promise<LoadedMember | null> => {
      const [doc, user] = await Promise.all([
        app.store.get(memberships, membershipId(organization, one.user)),
        app.store.get(users, one.user),
      ])
      return doc && user && !doc.disabled ? { doc, user, role: null } : null
    }),
  )
  const members = found.filter((one): one is LoadedMember => one !== null)
  const page = paginate(members, query, ({ doc }) => [doc.joinedAt, doc.user])
  return { ...page, items: await countMembers(app, organization, page.items) }
}

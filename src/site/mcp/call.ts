/** A reader who calls the tools of a site. */
import type { MemberCall } from '../../domain/agents/members.js'
import { pathOfPage } from '../../domain/sites/visitor-paths.js'
import type { PageEntry } from '../../content/types.js'
import { ServiceError } from '../../kernel/errors.js'
import type { OpenSpace } from '../navigation.js'
import type { Visit } from '../visit.js'

/** A call by a reader. `member` is null without a member's token. */
export interface SiteCall {
  visit: Visit
  member: MemberCall | null
}

/** Returns the calling member. Throws 401. */
export function memberOf({ member }: SiteCall): MemberCall {
  if (member) return member
  throw new ServiceError(
    'unauthenticated',
    'This needs the token of a member with the scope `mcp`. Send it as “Authorization: Bearer <token>”.',
  )
}

/** Describes a page for results. */
export const shownPage = ({ address }: Visit, { siteSpace, pages }: OpenSpace, entry: PageEntry) => ({
  page: entry.id,
  title: entry.title,
  address: address + pathOfPage(siteSpace, pages, entry),
  commit: pages.revision.snapshot.commit,
  space: siteSpace.space.doc.id,
})

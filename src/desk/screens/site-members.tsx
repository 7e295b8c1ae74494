/** The members of a site, with their roles and the reasons of what they may do. */
import { SiteMembers } from '../admin/content-members.js'
import { SiteFrame } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { Nothing } from '../shell/notes.js'

/** The screen. */
export function SiteMembersScreen({ site = '' }: { site?: string }) {
  const w = adminWords()
  return (
    <SiteFrame id={site} part="members">
      {(one) => (
        <div class="wide stack l">
          <div class="stack s">
            <h1 class="title">{w.site.parts.members}</h1>
            <p class="ink2">{w.site.membersLead}</p>
          </div>
          {one.permissions.admin ? <SiteMembers site={one} /> : <Nothing />}
        </div>
      )}
    </SiteFrame>
  )
}

import { queueHousekeeping } from '../../src/domain/upkeep/housekeeping.js'
import { createSpace, deleteSpace } from '../../src/domain/spaces/spaces.js'
import type { Actor } from '../../src/domain/context/actor.js'
import type { LoadedOrganization } from '../../src/domain/context/loaded.js'
import { createChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { createComment, updateComment } from '../../src/domain/comments/comments.js'
import { createReply } from '../../src/domain/comments/replies.js'
import { startWorker } from '../../src/jobs/worker.js'
import { memberships, organizations, spaces, users } from '../../src/model/index.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import { openApp } from '../support/sync-fixture.js'
import { anyLease } from '../support/lease.js'

// The process that purge.test.ts runs: `fill` creates deleted spaces, and `purge` purges them eight days later.
const [root, what, count] = process.argv.slice(2) as [string, 'fill' | 'purge', string]
const { app } = await openApp(root, [])
if (what === 'fill') {
  const now = new Date().toISOString()
  const user = await app.store.insert(users, {
    id: 'ada',
    displayName: 'Ada',
    email: 'ada@example.org',
    createdAt: now,
    proof: 'operator',
  })
  const facts = {
    emailDomains: [],
    type: 'business',
    defaultRole: null,
    defaultContent: null,
    sso: false,
    ai: false,
    inviteLinks: false,
  } as const
  const organization: LoadedOrganization = {
    doc: await app.store.insert(organizations, { ...facts, emailDomains: [], id: 'org', title: 'Org', createdAt: now }),
    role: 'admin',
  }
  await app.store.insert(memberships, newMembership('org', 'ada', 'admin', now))
  const actor: Actor = { user, token: { id: 'token', readOnly: false } }
  for (let n = 0; n < Number(count); n++) {
    const space = await createSpace(app, actor, organization, { title: `Space ${n}` })
    const changeRequest = await createChangeRequest(app, actor, space, { subject: 'One' }, { lease: anyLease })
    const body = { markdown: 'Said.' }
    for (const discussion of [{ space }, { space, changeRequest }]) {
      const comment = await createComment(app, actor, discussion, { body })
      await createReply(app, actor, discussion, comment, { body })
      await updateComment(app, actor, discussion, comment, { addedReactions: ['👍'] })
    }
    if (n % 4 !== 0) await deleteSpace(app, actor, space)
  }
  await app.store.close()
  await app.git.close()
  process.exit(0)
}
app.clock = { now: () => new Date(Date.now() + 8 * 24 * 60 * 60 * 1000) }
const worker = startWorker(app)
app.wakes.connect({ jobs: worker.wake })
console.log('purging')
await queueHousekeeping(app)
await worker.idle()
const left = (await app.store.all(spaces)).filter((space) => space.deletedAt !== undefined)
console.log(`left ${left.length}`)
await worker.stop()
await app.store.close()
await app.git.close()
process.exit(0)

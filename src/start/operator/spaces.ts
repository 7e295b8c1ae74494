/** The operator's commands for organizations, members and spaces. */
import type { App } from '../../domain/context/app.js'
import { checkMemberQuota } from '../../domain/context/quotas.js'
import { insertOrganization, newMembership } from '../../domain/people/organizations.js'
import { findMember, removeMember, updateMember } from '../../domain/people/members.js'
import { createSpace, deleteSpace, restoreSpace } from '../../domain/spaces/spaces.js'
import { emit } from '../../domain/events/events.js'
import { defined } from '../../kernel/defined.js'
import {
  type ConnectionDoc,
  connections,
  memberships,
  membershipId,
  type OrganizationDoc,
  organizations,
  roles,
  type SpaceDoc,
  spaces,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { accountOf, openOrganization, openSpaceAs } from './actors.js'
import type { Outcome } from './declaration.js'
import { amount, listOutcome } from './texts.js'

const presentOrganization = ({ id, title, createdAt, hostname }: Document<OrganizationDoc>) => ({
  id,
  title,
  createdAt,
  hostname: hostname ?? null,
})

/** Lists all organizations with the numbers of their members and spaces. */
export async function listAllOrganizations(app: App): Promise<Outcome> {
  const all = (await app.store.all(organizations)).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  const counted = await Promise.all(
    all.map(async (doc) => ({
      doc,
      members: await app.store.count(memberships, 'organization', doc.id),
      spaces: (await spacesOf(app, doc.id)).length,
    })),
  )
  return listOutcome(
    counted,
    (one) => `${one.doc.id}  ${one.doc.title}  ${amount(one.members, 'member')}, ${amount(one.spaces, 'space')}`,
    ({ doc, ...counts }) => ({ ...presentOrganization(doc), ...counts }),
  )
}

/** Creates an organization whose admin is the account of the address. Throws 404. */
export async function makeOrganization(app: App, title: string, admin: string): Promise<Outcome> {
  const account = await accountOf(app, admin)
  const doc = await app.store.transact((tx) => insertOrganization(app, tx, account.id, { title }))
  return { text: `Organization ${doc.id}, ${title}: ${account.email} is the admin.`, json: presentOrganization(doc) }
}

/** The word for a member without a role, and the one that ends a membership. */
const [GUEST, NONE] = ['guest', 'none']
export const MEMBER_ROLES = [...roles, GUEST, NONE]

/** Adds the account of an address to an organization, changes its role, or removes it. Throws 404, 409. */
export async function setMember(
  app: App,
  { organization: id, email, role: word }: { organization: string; email: string; role: string },
): Promise<Outcome> {
  const { actor, organization } = await openOrganization(app, id)
  const account = await accountOf(app, email)
  const member = await findMember(app, actor, organization, account.id)
  const role = roles.find((one) => one === word) ?? null
  if (word === NONE) {
    if (member) await removeMember(app, actor, member)
  } else if (member) await updateMember(app, actor, member, { role })
  else
    await app.store.transact(async (tx) => {
      if (await tx.get(memberships, membershipId(id, account.id))) return
      await checkMemberQuota(tx, app.settings.quotas, id)
      await emit(app, tx, {
        type: 'member.joined',
        organization: id,
        actor: account.id,
        subject: { user: account.id },
        data: { role, invitedBy: actor.user.id },
      })
      await tx.insert(memberships, newMembership(id, account.id, role, app.clock.now().toISOString()))
    })
  return {
    text: word === NONE ? `${email} is not a member of ${id}.` : `${email} is a member of ${id} with the role ${word}.`,
    json: { organization: id, user: account.id, role: word },
  }
}

const spacesOf = async (app: App, organization: string): Promise<Document<SpaceDoc>[]> =>
  (await app.store.all(spaces)).filter((doc) => doc.organization === organization && doc.deletedAt === undefined)

const presentSpace = ({ id, title, organization, createdAt, deletedAt, git }: Document<SpaceDoc>) => ({
  id,
  title,
  organization,
  createdAt,
  deletedAt: deletedAt ?? null,
  remote: git === undefined ? null : { url: git.url, ref: git.ref },
})

/** Lists the spaces of the installation or of an organization, oldest first, including those that can be restored. */
export async function listAllSpaces(app: App, organization: string | undefined): Promise<Outcome> {
  const found = (await app.store.all(spaces))
    .filter((doc) => organization === undefined || doc.organization === organization)
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  return listOutcome(
    found,
    (doc) => `${doc.id}  ${doc.title}${doc.deletedAt === undefined ? '' : `  (deleted ${doc.deletedAt})`}`,
    presentSpace,
  )
}

/** Creates a space in an organization. Throws 404, 409. */
export async function makeSpace(
  app: App,
  given: { organization: string; title: string; template: string | undefined; as: string | undefined },
): Promise<Outcome> {
  const { actor, organization } = await openOrganization(app, given.organization, given.as)
  const made = await createSpace(app, actor, organization, {
    title: given.title,
    ...defined({ template: given.template }),
  })
  return { text: made.doc.id, json: presentSpace(made.doc) }
}

/** Deletes a space, which can be restored for seven days. Throws 404. */
export async function dropSpace(app: App, id: string, as: string | undefined): Promise<Outcome> {
  const { actor, space } = await openSpaceAs(app, id, { as })
  await deleteSpace(app, actor, space)
  return {
    text: `Space ${id} (${space.doc.title}) is deleted. \`bindery space restore ${id}\` restores it within seven days.`,
    json: { id },
  }
}

/** Restores a deleted space. Throws 404, 409. */
export async function returnSpace(app: App, id: string, as: string | undefined): Promise<Outcome> {
  const { actor, space } = await openSpaceAs(app, id, { as, deleted: true })
  const { doc } = await restoreSpace(app, actor, space)
  return { text: `Space ${id} (${doc.title}) is restored.`, json: presentSpace(doc) }
}

const presentConnection = ({ id, space, url, ref, direction, paused, failure }: Document<ConnectionDoc>) => ({
  id,
  space,
  url,
  ref,
  direction,
  paused,
  failure: failure?.message ?? null,
})

/** Lists the connections of all spaces. Those that do not work are problems. */
export async function listAllConnections(app: App): Promise<Outcome> {
  const all = await app.store.all(connections)
  const list = listOutcome(
    all,
    ({ space, url, ref, direction, paused, failure }) =>
      `${space}  ${url} ${ref}  ${direction}${paused ? '  paused' : ''}${failure ? `  fails: ${failure.message}` : ''}`,
    presentConnection,
  )
  return { ...list, problems: all.some(({ failure }) => failure !== undefined) }
}

/** Creates, lists, finds and changes organizations. */
import { keysOf, defined, withoutNulls } from '../../kernel/defined.js'
import { isDeepStrictEqual } from 'node:util'
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CreateOrganization,
  type DefaultContent,
  type MembershipDoc,
  membershipId,
  memberships,
  type OrganizationDoc,
  organizations,
  type Role,
  sites,
  type UpdateOrganization,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { contentRole, isTokenFor } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { checkHostname } from '../sites/addresses.js'
import { checkMergeRules } from '../commits/rules/check-rules.js'
import { emit } from '../events/events.js'

/** Creates an organization and its first admin. */
export async function insertOrganization(
  app: App,
  tx: Transaction,
  user: string,
  input: CreateOrganization,
): Promise<Document<OrganizationDoc>> {
  const now = app.clock.now().toISOString()
  const organization = await tx.insert(organizations, {
    id: newId(),
    title: input.title,
    createdAt: now,
    emailDomains: normalizeDomains(input.emailDomains ?? []),
    type: 'business',
    defaultRole: 'edit',
    defaultContent: null,
    sso: false,
    ai: false,
    inviteLinks: false,
  })
  await tx.insert(memberships, newMembership(organization.id, user, 'admin', now))
  return organization
}

/** Returns a membership with default settings. */
export const newMembership = (
  organization: string,
  user: string,
  role: Role | null,
  joinedAt: string,
): MembershipDoc => ({
  id: membershipId(organization, user),
  organization,
  user,
  role,
  joinedAt,
  disabled: false,
  sso: false,
})

const normalizeDomains = (domains: readonly string[]): string[] => [
  ...new Set(domains.map((domain) => domain.toLowerCase())),
]

/**
 * Creates an organization with the caller as its admin. Throws 403 for a token that is limited to another organization.
 */
export async function createOrganization(
  app: App,
  actor: Actor,
  input: CreateOrganization,
): Promise<LoadedOrganization> {
  if (actor.token.organization !== undefined)
    throw new ServiceError(
      'forbidden',
      `Your token is limited to organization ${actor.token.organization} and cannot create another one. Use a token without this limit.`,
    )
  const doc = await app.store.transact(async (tx) => {
    const inserted = await insertOrganization(app, tx, actor.user.id, input)
    app.identify({ organization: inserted.id })
    return inserted
  })
  return { doc, role: 'admin' }
}

/** Lists the caller's organizations to which their token gives access. */
export async function listOrganizations(app: App, actor: Actor): Promise<LoadedOrganization[]> {
  const ownMemberships = (await app.store.find(memberships, 'user', actor.user.id)).filter(
    (m) => !m.disabled && (actor.token.organization ?? m.organization) === m.organization,
  )
  const docs = await Promise.all(
    ownMemberships.map(async ({ organization, role }) => {
      const doc = (await isTokenFor(app.store, actor, organization))
        ? await app.store.get(organizations, organization)
        : null
      return doc ? [{ doc, role }] : []
    }),
  )
  return docs.flat()
}

/**
 * Lists the organizations with an e-mail domain that the caller may know of. These are their own. If their own address
 * has the domain, the list includes the others (role undefined), so that they can ask for an invitation.
 */
export async function listOrganizationsOfDomain(
  app: App,
  actor: Actor,
  domain: string,
): Promise<{ doc: Document<OrganizationDoc>; role?: Role | null }[]> {
  const own = new Map((await listOrganizations(app, actor)).map((one) => [one.doc.id, one]))
  const mayAsk =
    actor.token.organization === undefined && domain === actor.user.email.slice(actor.user.email.lastIndexOf('@') + 1)
  const found = await app.store.find(organizations, 'emailDomain', domain)
  return found
    .flatMap((doc) => own.get(doc.id) ?? (mayAsk ? [{ doc }] : []))
    .sort((a, b) => (a.doc.createdAt < b.doc.createdAt ? -1 : 1))
}

/**
 * Finds the organization with a hostname, or null. Anyone may call this, since the published content there is public.
 */
export async function findSubdomain(app: App, subdomain: string): Promise<Document<OrganizationDoc> | null> {
  const [holder] = await app.store.find(organizations, 'hostname', subdomain)
  return holder ?? null
}

/**
 * Changes the given fields; `null` removes an optional field. Throws 400 (default content, merge rules), 409 if another
 * organization has the hostname, and 404 if the organization no longer exists.
 */
export async function updateOrganization(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: UpdateOrganization,
): Promise<LoadedOrganization> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(organizations, organization.doc.id)
    if (!stored) throw notFound('The organization')
    await checkMergeRules(tx, stored.id, input.mergeRules)
    if (input.defaultContent) await checkDefaultContent(tx, actor, stored, input.defaultContent)
    const [holder] = input.hostname === undefined ? [] : await tx.find(organizations, 'hostname', input.hostname)
    if (holder && holder.id !== stored.id)
      throw conflict(`The hostname ${input.hostname} is taken. Choose another one.`)
    await checkCustomHostname(app, tx, stored, input.customHostname)
    const written = applySettings(stored, input)
    const changed = keysOf(input).filter((key) => !isDeepStrictEqual(written[key], stored[key]))
    if (changed.length === 0) return stored
    await emit(app, tx, {
      type: 'organization.updated',
      organization: stored.id,
      actor: actor.user.id,
      subject: {},
      data: { changed },
    })
    return tx.replace(organizations, written)
  })
  return { ...organization, doc }
}

/** Applies the given settings to an organization. Null removes an optional one. */
function applySettings(
  stored: Document<OrganizationDoc>,
  { emailDomains, ...rest }: UpdateOrganization,
): Document<OrganizationDoc> {
  const domains = emailDomains ? { emailDomains: normalizeDomains(emailDomains) } : {}
  const { communityType: community } = rest
  const type = community === undefined ? stored.type : community === null ? 'business' : 'community'
  const { logo, useCase, communityType, customHostname, ...others } = { ...stored, ...rest, ...domains, type }
  return { ...others, ...defined(withoutNulls({ logo, useCase, communityType, customHostname })) }
}

/** Throws 400 for the service's own hostname, and 409 if another organization or a site has it. */
async function checkCustomHostname(
  app: App,
  tx: Transaction,
  { id }: Document<OrganizationDoc>,
  hostname: string | null | undefined,
): Promise<void> {
  if (!hostname) return
  checkHostname(app, hostname, '/customHostname')
  const [holder] = await tx.find(organizations, 'customHostname', hostname)
  const [site] = await tx.find(sites, 'hostname', hostname)
  if ((holder && holder.id !== id) || site) throw conflict(`The hostname ${hostname} is taken. Choose another one.`)
}

/** Throws 400 unless the default content is a site of the organization that the caller may see. */
async function checkDefaultContent(
  tx: Transaction,
  actor: Actor,
  organization: Document<OrganizationDoc>,
  content: DefaultContent,
): Promise<void> {
  const site = await tx.get(sites, content.site)
  const role =
    site?.organization === organization.id ? await contentRole(tx, actor.user.id, { ...site, kind: 'site' }) : null
  if (role === null)
    throw badRequest('The site does not exist.', [
      { path: '/defaultContent/site', message: 'must be the ID of a site of this organization' },
    ])
}

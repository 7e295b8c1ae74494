import { isDeepStrictEqual } from 'node:util'
import { conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import {
  type CreateOrganization,
  type MembershipDoc,
  membershipId,
  memberships,
  type OrganizationDoc,
  organizations,
  type Role,
  type UpdateOrganization,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { requiresSso } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { checkDefaultContent } from './default-content.js'
import { emit } from '../events/events.js'

/** An organization and its first admin, in one transaction. */
export async function insertOrganization(app: App, tx: Transaction, user: string, input: CreateOrganization): Promise<Document<OrganizationDoc>> {
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

export const newMembership = (organization: string, user: string, role: Role | null, joinedAt: string): MembershipDoc => ({
  id: membershipId(organization, user),
  organization,
  user,
  role,
  joinedAt,
  disabled: false,
  sso: false,
})

const normalizeDomains = (domains: readonly string[]): string[] => [...new Set(domains.map((domain) => domain.toLowerCase()))]

/** Makes an organization; the caller becomes its admin. Throws 403 for a token that is limited to another one. */
export async function createOrganization(app: App, actor: Actor, input: CreateOrganization): Promise<LoadedOrganization> {
  if (actor.token.organization !== undefined)
    throw new ServiceError('forbidden', `Your token is limited to organization ${actor.token.organization}: it cannot make another one.`)
  const doc = await app.store.transact((tx) => insertOrganization(app, tx, actor.user.id, input))
  return { doc, role: 'admin' }
}

/** The caller's organizations that his token opens. */
export async function listOrganizations(app: App, actor: Actor): Promise<LoadedOrganization[]> {
  const mine = (await app.store.find(memberships, 'user', actor.user.id)).filter(
    (m) => !m.disabled && (actor.token.organization ?? m.organization) === m.organization,
  )
  const docs = await Promise.all(mine.map(async (m) => ({ doc: await app.store.get(organizations, m.organization), role: m.role, sso: m.sso })))
  return docs.flatMap(({ doc, role, sso }) => (doc && !(actor.token.byEmail && requiresSso(doc, { role, sso })) ? [{ doc, role }] : []))
}

/**
 * The organizations that an e-mail domain belongs to, as far as the caller may know: his own, and, where it is the domain of
 * his own address, the others as well, to whom he may then turn (role undefined). Else nobody learns who claims a domain.
 */
export async function listOrganizationsOfDomain(app: App, actor: Actor, domain: string): Promise<{ doc: Document<OrganizationDoc>; role?: Role | null }[]> {
  const own = new Map((await listOrganizations(app, actor)).map((one) => [one.doc.id, one]))
  const mayAsk = actor.token.organization === undefined && domain === actor.user.email.slice(actor.user.email.lastIndexOf('@') + 1)
  const found = await app.store.find(organizations, 'emailDomain', domain)
  return found.flatMap((doc) => own.get(doc.id) ?? (mayAsk ? [{ doc }] : [])).sort((a, b) => (a.doc.createdAt < b.doc.createdAt ? -1 : 1))
}

/** The organization that has a hostname; null where none has. Whose it is, is public, as what is published there. */
export async function findSubdomain(app: App, subdomain: string): Promise<Document<OrganizationDoc> | null> {
  const [holder] = await app.store.find(organizations, 'hostname', subdomain)
  return holder ?? null
}

/**
 * Changes what is given; `null` removes where the field may be absent. Throws 409 where another organization has the
 * hostname, 404 where the organization went meanwhile.
 */
export async function updateOrganization(app: App, actor: Actor, organization: LoadedOrganization, input: UpdateOrganization): Promise<LoadedOrganization> {
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(organizations, organization.doc.id)
    if (!stored) throw notFound('The organization')
    if (input.defaultContent) await checkDefaultContent(tx, actor, stored, input.defaultContent)
    const [holder] = input.hostname === undefined ? [] : await tx.find(organizations, 'hostname', input.hostname)
    if (holder && holder.id !== stored.id) throw conflict(`The hostname ${input.hostname} is taken: choose another one.`)
    const { logo, emailDomains, ...rest } = input
    const next = { ...stored, ...rest, ...(emailDomains ? { emailDomains: normalizeDomains(emailDomains) } : {}) } as Document<OrganizationDoc>
    const written = logo === null ? without(next, 'logo') : logo === undefined ? next : { ...next, logo }
    const changed = Object.keys(input).filter((key) => !isDeepStrictEqual(written[key as keyof OrganizationDoc], stored[key as keyof OrganizationDoc]))
    if (changed.length === 0) return stored
    await emit(app, tx, { type: 'organization.updated', organization: stored.id, actor: actor.user.id, subject: {}, data: { changed } })
    return tx.replace(organizations, written)
  })
  return { ...organization, doc }
}

function without<T extends object, K extends keyof T>(value: T, key: K): T {
  const { [key]: _removed, ...rest } = value
  return rest as T
}

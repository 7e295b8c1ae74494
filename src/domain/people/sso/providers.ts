/** Lists, creates, changes and deletes SAML providers of an organization. */
import { keysOf } from '../../../kernel/defined.js'
import { asError } from '../../../kernel/thrown.js'
import { isDeepStrictEqual } from 'node:util'
import { type Certificate, readCertificates } from '../../../auth/index.js'
import { badRequest, conflict, type ErrorDetail, notFound } from '../../../kernel/errors.js'
import { newId } from '../../../kernel/ids.js'
import { type Page, type PageQuery, paginate } from '../../../kernel/paging.js'
import {
  type CreateSAMLProvider,
  organizations,
  type SamlProviderDoc,
  samlProviders,
  ssoIdentities,
  ssoSignIns,
  teams,
  type UpdateSAMLProvider,
} from '../../../model/index.js'
import type { Document, Transaction } from '../../../store/index.js'
import type { Actor } from '../../context/actor.js'
import type { App } from '../../context/app.js'
import type { LoadedOrganization } from '../../context/loaded.js'
import { emit } from '../../events/events.js'
import { unlinkIdentity } from './ties.js'

/** Maximum number of providers per organization. */
const MAX_PROVIDERS = 10

/** A provider with all settings that a sign-in needs. */
export type ActiveProvider = Document<SamlProviderDoc> &
  Required<Pick<SamlProviderDoc, 'certificate' | 'entityID' | 'ssoURL'>>

/** Whether members can sign in with a provider. It is pending until certificate, entityID and ssoURL are set. */
export const isActive = (provider: Document<SamlProviderDoc>): provider is ActiveProvider =>
  provider.certificate !== undefined && provider.entityID !== undefined && provider.ssoURL !== undefined

/** Lists a page of an organization's providers, oldest first. */
export async function listProviders(
  app: App,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<Document<SamlProviderDoc>>> {
  return paginate(await app.store.find(samlProviders, 'organization', organization.doc.id), query, (one) => [
    one.createdAt,
    one.id,
  ])
}

/** Lists the active providers, oldest first. */
export async function listLogins(app: App, organization: LoadedOrganization): Promise<ActiveProvider[]> {
  const found = (await app.store.find(samlProviders, 'organization', organization.doc.id)).filter(isActive)
  return found.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
}

/** Finds a provider of the organization. Null if there is none. */
export async function findProvider(
  app: App,
  organization: LoadedOrganization,
  id: string,
): Promise<Document<SamlProviderDoc> | null> {
  const doc = await app.store.get(samlProviders, id)
  return doc?.organization === organization.doc.id ? doc : null
}

/** Creates a provider. Throws 400, and 409 for too many. */
export async function createProvider(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateSAMLProvider,
): Promise<Document<SamlProviderDoc>> {
  const checked = check(app, input)
  return app.store.transact(async (tx) => {
    const { id, defaultRole } = (await tx.get(organizations, organization.doc.id)) ?? organization.doc
    if ((await tx.count(samlProviders, 'organization', id)) >= MAX_PROVIDERS)
      throw conflict(`An organization has at most ${MAX_PROVIDERS} SAML providers. Delete one first.`)
    await checkTeam(tx, id, input.defaultTeam)
    const { defaultTeam, ...rest } = checked
    const doc = await tx.insert(samlProviders, {
      defaultRole,
      ...rest,
      ...(defaultTeam ? { defaultTeam } : {}),
      id: newId(),
      label: input.label,
      organization: id,
      createdAt: app.clock.now().toISOString(),
    })
    await emit(app, tx, {
      type: 'saml_provider.created',
      organization: id,
      actor: actor.user.id,
      subject: { samlProvider: doc.id },
      data: { label: doc.label },
    })
    return doc
  })
}

/** Changes the given fields. After a change of the entity ID, earlier identities no longer count. Throws 400, 404. */
export async function updateProvider(
  app: App,
  actor: Actor,
  provider: Document<SamlProviderDoc>,
  input: UpdateSAMLProvider,
): Promise<Document<SamlProviderDoc>> {
  const checked = check(app, input)
  return app.store.transact(async (tx) => {
    const stored = await tx.get(samlProviders, provider.id)
    if (!stored) throw notFound('The SAML provider')
    await checkTeam(tx, stored.organization, input.defaultTeam)
    const { defaultTeam, ...next } = { ...stored, ...checked }
    const written = { ...next, ...(defaultTeam ? { defaultTeam } : {}) }
    const changed = keysOf(input).filter((key) => !isDeepStrictEqual(written[key], stored[key]))
    if (changed.length === 0) return stored
    const about = { organization: stored.organization, actor: actor.user.id, subject: { samlProvider: stored.id } }
    await emit(app, tx, { type: 'saml_provider.updated', ...about, data: { changed } })
    return tx.replace(samlProviders, written)
  })
}

/** Deletes a provider, its identities and its sign-ins in progress. Tokens from its sign-ins end at once. */
export async function deleteProvider(app: App, actor: Actor, { id }: Document<SamlProviderDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(samlProviders, id)
    if (!stored) return
    for (const one of await tx.find(ssoSignIns, 'provider', id)) await tx.remove(ssoSignIns, one.id)
    for (const one of await tx.find(ssoIdentities, 'provider', id)) await unlinkIdentity(tx, one)
    await tx.remove(samlProviders, id)
    const about = { organization: stored.organization, actor: actor.user.id, subject: { samlProvider: id } }
    await emit(app, tx, { type: 'saml_provider.deleted', ...about, data: { label: stored.label } })
  })
}

/** Parses the certificates of a provider. */
export const certificatesOf = ({ certificate }: Pick<SamlProviderDoc, 'certificate'>): Certificate[] =>
  certificate === undefined ? [] : readCertificates(certificate)

async function checkTeam(tx: Transaction, organization: string, team: string | null | undefined): Promise<void> {
  if (team && (await tx.get(teams, team))?.organization !== organization)
    throw badRequest('The team does not exist.', [
      { path: '/defaultTeam', message: 'must be the ID of a team of this organization' },
    ])
}

/** Validates the input and converts its certificates to PEM. Throws 400 for invalid certificates and addresses. */
function check<T extends UpdateSAMLProvider>(app: App, input: T): T {
  const details: ErrorDetail[] = []
  const attempt = <V>(path: string, work: () => V): V | undefined => {
    try {
      return work()
    } catch (error) {
      details.push({ path, message: asError(error).message })
      return undefined
    }
  }
  const { certificate, ssoURL } = input
  const found = certificate === undefined ? undefined : attempt('/certificate', () => readCertificates(certificate))
  if (ssoURL !== undefined) attempt('/ssoURL', () => checkAddress(app, ssoURL))
  if (details.length > 0)
    throw badRequest(`The request is invalid: ${details[0]?.path} ${details[0]?.message}.`, details)
  return found ? { ...input, certificate: found.map(({ pem }) => pem).join('') } : input
}

/** Checks the address that browsers are redirected to. Throws an Error whose message continues "the address …". */
function checkAddress(app: App, address: string): void {
  const { protocol, hostname, username, password, hash } = new URL(address)
  const isLocal = protocol === 'http:' && isLoopback(hostname) && isLoopback(new URL(app.settings.publicUrl).hostname)
  if (protocol !== 'https:' && !isLocal) throw new Error('must start with https://')
  if (username !== '' || password !== '') throw new Error('must not contain a user name or password')
  if (hash !== '' || address.includes('#')) throw new Error('must not contain a fragment')
}

/** Whether a host name from `URL` is the machine itself. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)

// Transfers spaces and collections to another organization or collection.
import { atLeast } from '../../access/index.js'
import { badRequest, conflict, type ErrorDetail, notFound, ServiceError } from '../../kernel/errors.js'
import {
  collections,
  connections,
  grants,
  membershipId,
  memberships,
  organizations,
  requestedReviews,
  type Role,
  type SiteDoc,
  type SpaceDoc,
  sites,
  spaces,
  type TransferContent,
} from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import { findOrganization, grantTarget, type Viewer, viewerOf } from '../roles/access.js'
import type { App } from '../context/app.js'
import { noteSpaces } from '../context/measures.js'
import { checkRoomFor, checkSpaceQuota } from '../context/quotas.js'
import type { Actor } from '../context/actor.js'
import type { LoadedCollection, LoadedSpace } from '../context/loaded.js'
import { loadedCollection } from './collections.js'
import { emit } from '../events/events.js'
import { isPrincipalOf, transferGrants } from '../roles/cached-grants.js'
import { locationIn, MAX_DETAILS, locationOf, movedTo } from './move.js'
import { checkMayMove, checkMayTake, roleAt, roleOnItem, itemsNotToTake } from './location-checks.js'
import { checkNesting } from './nesting-checks.js'
import { checkStillProtected, adminProtectedSpaces } from './protected-spaces.js'
import {
  collectionItem,
  type Item,
  itemsBelow,
  type Location,
  positionAtEnd,
  replaceItem,
  spaceItem,
  withMembers,
} from './siblings.js'
import { openSpace } from './spaces.js'

/**
 * Transfers a space to another organization, a collection of it, or another collection of its own organization. Throws
 * the errors of `transferItem`.
 */
export async function transferSpace(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: TransferContent,
): Promise<LoadedSpace> {
  await checkTarget(app, actor, input)
  await checkRoom(app, spaceItem(space.doc), input)
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(spaces, space.doc.id)
    if (!stored || stored.deletedAt !== undefined) throw notFound('The space')
    return (await transferItem(app, tx, actor, spaceItem(stored), input)).doc as typeof stored
  })
  for (const { organization } of [space.doc, input]) noteSpaces(app, organization)
  return openSpace(app, actor, doc)
}

/** Transfers a collection with everything below it in one transaction. Throws the errors of `transferItem`. */
export async function transferCollection(
  app: App,
  actor: Actor,
  collection: LoadedCollection,
  input: TransferContent,
): Promise<LoadedCollection> {
  await checkTarget(app, actor, input)
  await checkRoom(app, collectionItem(collection.doc), input)
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(collections, collection.doc.id)
    if (!stored) throw notFound('The collection')
    return (await transferItem(app, tx, actor, collectionItem(stored), input)).doc
  })
  for (const { organization } of [collection.doc, input]) noteSpaces(app, organization)
  return loadedCollection(app.store, actor, doc)
}

async function checkTarget(app: App, actor: Actor, { organization }: TransferContent): Promise<void> {
  if (!(await findOrganization(app, actor, organization)))
    throw badRequest('The organization does not exist.', [
      { path: '/organization', message: 'must be the ID of an organization of which you are a member' },
    ])
}

/** Throws 409 if the content of an item exceeds the limits of the target organization. */
async function checkRoom(app: App, item: Item, { organization: to }: TransferContent): Promise<void> {
  const { organization: from } = item.doc
  if (from === to) return
  const below = item.kind === 'collection' ? await itemsBelow(app.store, item.doc.id) : []
  await checkRoomFor(app, { from, to, moved: spacesOf([item, ...below]) })
}

const spacesOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ kind, doc }) => (kind === 'space' ? [doc.id] : []))

/**
 * Transfers an item, based on the stored state, in one transaction of any size. Throws 400 if the organization or the
 * parent does not exist, and 403 if the caller may not take the item from its location. Throws 409 if nothing would
 * change or a collection would contain itself, and 412 with all reasons why the transfer is not possible.
 */
async function transferItem(
  app: App,
  tx: Transaction,
  actor: Actor,
  item: Item,
  input: TransferContent,
): Promise<Item> {
  const from = locationOf(item)
  const to = locationIn(input.organization, input.parent ?? undefined)
  const viewer = await viewerOf(tx, actor.user.id, from.organization)
  await checkMayMove(tx, viewer, item)
  await checkMayTake(tx, viewer, from)
  if (from.organization === to.organization && from.parent === to.parent)
    throw conflict('Nothing would change: it is already there.')
  const below = item.kind === 'collection' ? await itemsBelow(tx, item.doc.id) : []
  const everything = [item, ...below]
  await checkTransferable(tx, viewer, everything, from, to)
  if (item.kind === 'collection') await checkNesting(tx, item.doc.id, to.parent)

  if (from.organization !== to.organization)
    await checkSpaceQuota(tx, app.settings.quotas, to.organization, spacesOf(everything).length)

  const now = app.clock.now().toISOString()
  const protectedIds = await adminProtectedSpaces(tx, viewer, everything)
  const own = (one: Item): Promise<Item> =>
    from.organization === to.organization ? Promise.resolve(one) : withInheritedRules(tx, one)
  const moved = await replaceItem(tx, movedTo(await own(item), to, await positionAtEnd(tx, to), now))
  if (from.organization !== to.organization) {
    for (const one of below) await replaceItem(tx, withMembers(await own(one), { organization: to.organization }))
    for (const { kind, doc } of everything) {
      await transferGrants(tx, grantTarget({ kind, id: doc.id }), from.organization, to.organization)
      if (kind === 'space') await removeRequestsToOutsiders(tx, doc.id, to.organization)
      if (kind === 'space') await pauseConnections(tx, doc.id, to.organization)
    }
  }
  if ((await roleOnItem(tx, await viewerOf(tx, actor.user.id, to.organization), moved)) === null)
    throw refusal([
      {
        path: '',
        message:
          'you could no longer see it, because its default level gives no access and you are not an admin of the target',
      },
    ])
  await checkStillProtected(tx, actor.user.id, protectedIds)
  for (const one of from.organization === to.organization ? [item] : everything)
    await emitTransferred(app, tx, actor, one, { from, to })
  return moved
}

/** Copies inherited merge rules to the space itself, so that leaving the organization does not lift them. */
async function withInheritedRules(tx: Transaction, item: Item): Promise<Item> {
  if (item.kind !== 'space' || (item.doc.mergeRules ?? { type: 'inherit' }).type !== 'inherit') return item
  const inherited = (await tx.get(organizations, item.doc.organization))?.mergeRules
  return inherited?.type === 'rules' ? { ...item, doc: { ...item.doc, mergeRules: inherited } } : item
}

const refusal = (reasons: readonly ErrorDetail[]) => {
  const more = reasons.length > 1 ? ` (and ${reasons.length - 1} more, see details)` : ''
  return new ServiceError('precondition-failed', `The transfer is not possible: ${reasons[0]?.message}${more}.`, {
    details: reasons.slice(0, MAX_DETAILS),
  })
}

/** Throws 400 for an unknown parent, and 412 with all reasons why the transfer is not possible. */
async function checkTransferable(
  tx: Transaction,
  viewer: Viewer,
  everything: readonly Item[],
  from: Location,
  to: Location,
): Promise<void> {
  const target = await viewerOf(tx, viewer.user, to.organization)
  const role = await roleAt(tx, target, to)
  if (to.parent !== undefined && role === null)
    throw badRequest('The collection does not exist.', [
      { path: '/parent', message: 'must be the ID of a collection of the target organization' },
    ])
  const details: ErrorDetail[] = []
  if (!atLeast(role, 'create'))
    details.push({
      path: to.parent === undefined ? '/organization' : '/parent',
      message: 'you need the role create at the target',
    })
  details.push(...(await itemsNotToTake(tx, viewer, everything, 'transfer')))
  if (from.organization !== to.organization) {
    if (details.length === 0) details.push(...(await rolesAboveOwn(tx, role, everything, to)))
    details.push(...(await sitesShowing(tx, viewer, everything)))
  }
  if (details.length > 0) throw refusal(details)
}

/**
 * Lists the sites that show the spaces, which keep them in their organization. Only spaces that the viewer may take are
 * listed.
 */
async function sitesShowing(tx: Transaction, viewer: Viewer, everything: readonly Item[]): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = []
  for (const item of everything)
    if (item.kind === 'space' && atLeast(await roleOnItem(tx, viewer, item), 'create'))
      for (const site of await tx.find(sites, 'space', item.doc.id))
        details.push({ path: '', message: isOnSite(item.doc, site) })
  return details
}

/**
 * Lists default levels and grants that would apply in the target organization and exceed the caller's own role there.
 * Otherwise a transfer could give others a more powerful role than the caller's.
 */
async function rolesAboveOwn(
  tx: Transaction,
  role: Role | null,
  everything: readonly Item[],
  to: Location,
): Promise<ErrorDetail[]> {
  const details: ErrorDetail[] = []
  for (const { kind, doc } of everything) {
    const named = `the ${kind} ${doc.id} (${doc.title})`
    const { defaultLevel } = doc
    if (defaultLevel !== null && defaultLevel !== 'inherit' && !atLeast(role, defaultLevel))
      details.push({
        path: '',
        message: `${named} has the default level ${defaultLevel}, above your own role ${role} there; lower it first`,
      })
    let above = 0
    for (const grant of await tx.find(grants, 'target', grantTarget({ kind, id: doc.id })))
      if (!atLeast(role, grant.role) && (await isPrincipalOf(tx, to.organization, grant.principal))) above++
    if (above > 0)
      details.push({
        path: '',
        message: `on ${named}, ${above} users or teams of that organization would have a role above your own there; revoke those roles first`,
      })
  }
  return details
}

const isOnSite = (space: SpaceDoc, site: SiteDoc) =>
  `the space ${space.id} (${space.title}) is on the site ${site.id}; remove it from the site first`

/** Removes review requests to users who are not members of the space's new organization. */
async function removeRequestsToOutsiders(tx: Transaction, space: string, organization: string): Promise<void> {
  for (const one of await tx.find(requestedReviews, 'space', space))
    if (!(await tx.get(memberships, membershipId(organization, one.user)))) await tx.remove(requestedReviews, one.id)
}

/**
 * Transfers connections and pauses them. The new organization decides whether to continue with that repository and
 * credential.
 */
async function pauseConnections(tx: Transaction, space: string, organization: string): Promise<void> {
  for (const one of await tx.find(connections, 'space', space))
    await tx.replace(connections, { ...one, organization, paused: true })
}

/** Emits the event in both organizations. */
async function emitTransferred(
  app: App,
  tx: Transaction,
  actor: Actor,
  { kind, doc }: Item,
  { from, to }: { from: Location; to: Location },
): Promise<void> {
  const subject = { [kind]: doc.id }
  const data = { from: { organization: from.organization }, to: { organization: to.organization } }
  for (const organization of new Set([from.organization, to.organization]))
    await emit(app, tx, { type: `${kind}.transferred`, organization, actor: actor.user.id, subject, data })
}

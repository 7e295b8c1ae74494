/** The token that a member gets when they ping: with it they visit the organization's own site, or space, that asks for one. */
import { signVisitorToken } from '../../auth/index.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { getPublishingAuth, visitorKeyOf } from '../sites/publishing-auth.js'
import { listSites } from '../sites/sites.js'
import { visitorKeyOfSpace } from '../sites/space-visitor-key.js'
import { visibleSpaces } from '../spaces/spaces.js'

/** For how long the token is valid, in seconds. */
const SECONDS = 3600

interface Signing {
  key: string
  issuer: string
  audience: string
}

type Aged = Pick<SpaceDoc, 'id' | 'createdAt'>
const byAge = (a: Aged, b: Aged): number =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1

/** A token for the caller; null if the organization has neither a site nor a space that asks its visitors for one and that they may see. */
export async function visitorTokenFor(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
): Promise<string | null> {
  const signing = (await ofSite(app, actor, organization)) ?? (await ofSpace(app, actor, organization))
  if (!signing) return null
  const { key, issuer, audience } = signing
  return signVisitorToken(key, { subject: actor.user.id, issuer, audience, now: app.clock.now(), seconds: SECONDS })
}

/** The default site if it asks for tokens, else the oldest that does. */
async function ofSite(app: App, actor: Actor, organization: LoadedOrganization): Promise<Signing | null> {
  const asking = (await listSites(app, actor, organization, { published: true })).filter(
    ({ doc }) => doc.visibility === 'visitor-auth',
  )
  const chosen = organization.doc.defaultContent?.site
  const site = asking.find(({ doc }) => doc.id === chosen) ?? asking.sort((a, b) => byAge(a.doc, b.doc))[0]
  if (!site) return null
  const auth = await getPublishingAuth(app, site)
  const key = visitorKeyOf(app, auth)
  return key === null
    ? null
    : { key, issuer: auth.issuer ?? app.settings.publicUrl, audience: auth.audience ?? site.doc.id }
}

/** The oldest space that asks for tokens, unless an integration makes them. */
async function ofSpace(app: App, actor: Actor, organization: LoadedOrganization): Promise<Signing | null> {
  const { id } = organization.doc
  const asking = (await app.store.find(spaces, 'organization', id)).filter(
    (space) =>
      space.visibility === 'visitor-auth' &&
      space.deletedAt === undefined &&
      space.visitorAuth?.backend !== 'integration',
  )
  if (asking.length === 0) return null
  const [space] = (await visibleSpaces(app, actor, id, asking)).sort((a, b) => byAge(a.doc, b.doc))
  return space
    ? { key: visitorKeyOfSpace(app, space.doc.id), issuer: app.settings.publicUrl, audience: space.doc.id }
    : null
}

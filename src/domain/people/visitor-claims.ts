/**
 * Issues visitor tokens to members who ping. Such a token opens the organization's own site or space that requires one.
 */
import { signVisitorToken } from '../../auth/index.js'
import { type SpaceDoc, spaces } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { getPublishingAuth, visitorKeyOf } from '../sites/publishing-auth.js'
import { listSites } from '../sites/sites.js'
import { visitorKeyOfSpace } from '../sites/space-visitor-key.js'
import { visibleSpaces } from '../spaces/spaces.js'

/** Lifetime of the token in seconds. */
const SECONDS = 3600

interface Signing {
  key: string
  issuer: string
  audience: string
}

type Aged = Pick<SpaceDoc, 'id' | 'createdAt'>
const byAge = (a: Aged, b: Aged): number =>
  a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1

/** Issues a token for the caller. Null if no site or space that the caller may see requires visitor tokens. */
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

/** Chooses the default site if it requires tokens, otherwise the oldest one that does. */
async function ofSite(app: App, actor: Actor, organization: LoadedOrganization): Promise<Signing | null> {
  const protectedByToken = (await listSites(app, actor, organization, { published: true })).filter(
    ({ doc }) => doc.visibility === 'visitor-auth',
  )
  const chosen = organization.doc.defaultContent?.site
  const site =
    protectedByToken.find(({ doc }) => doc.id === chosen) ?? protectedByToken.sort((a, b) => byAge(a.doc, b.doc))[0]
  if (!site) return null
  const auth = await getPublishingAuth(app, site)
  const key = visitorKeyOf(app, auth)
  return key === null
    ? null
    : { key, issuer: auth.issuer ?? app.settings.publicUrl, audience: auth.audience ?? site.doc.id }
}

/** Chooses the oldest space that requires tokens, unless an integration issues them. */
async function ofSpace(app: App, actor: Actor, organization: LoadedOrganization): Promise<Signing | null> {
  const { id } = organization.doc
  const protectedByToken = (await app.store.find(spaces, 'organization', id)).filter(
    (space) =>
      space.visibility === 'visitor-auth' &&
      space.deletedAt === undefined &&
      space.visitorAuth?.backend !== 'integration',
  )
  if (protectedByToken.length === 0) return null
  const [space] = (await visibleSpaces(app, actor, id, protectedByToken)).sort((a, b) => byAge(a.doc, b.doc))
  return space
    ? { key: visitorKeyOfSpace(app, space.doc.id), issuer: app.settings.publicUrl, audience: space.doc.id }
    : null
}

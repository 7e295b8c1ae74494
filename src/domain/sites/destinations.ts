/** Checks the destinations of redirects and links of a site: URLs, pages, spaces and parts of the site. */
import { hrefFault } from '../../content/href.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import {
  type DestinationStatus,
  type SiteDestination,
  type SiteDoc,
  sectionsOf,
  siteSpacesOf,
  spaces,
  spacesOf,
} from '../../model/index.js'
import { findSpace } from '../roles/access.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSpace } from '../context/loaded.js'
import { openMain } from '../revisions/main-content.js'
import { MAIN, repositoryName } from '../context/refs.js'
import type { OpenRevision } from '../revisions/revisions.js'

/** A destination from a client, and its JSON pointer in the body. */
export interface GivenDestination {
  to: SiteDestination
  path: string
}

/**
 * Throws 400 naming all broken destinations: invalid URLs, and spaces and pages that do not exist or that the caller
 * may not see. It opens repositories, so call it before the transaction, and `checkOnSite` inside.
 */
export async function checkReachable(app: App, actor: Actor, given: readonly GivenDestination[]): Promise<void> {
  const details: ErrorDetail[] = []
  const revisions = new Map<string, OpenRevision | null>()
  for (const { to, path } of given) {
    if (to.kind === 'url') {
      const fault = hrefFault(to.url)
      if (fault) details.push({ path: `${path}/url`, message: fault })
    } else if ('space' in to) {
      if (!revisions.has(to.space)) revisions.set(to.space, await findMain(app, actor, to.space))
      const revision = revisions.get(to.space)
      if (!revision) details.push({ path: `${path}/space`, message: 'must be the ID of a space of this site' })
      else if ('page' in to && !revision.structure.byId.has(to.page))
        details.push({ path: `${path}/page`, message: 'must be the ID of a page of that space' })
    }
  }
  if (details.length > 0) throw badRequest('A destination does not exist. See details.', details)
}

/** Opens the main content of a space that the caller may see, or null. */
async function findMain(app: App, actor: Actor, id: string): Promise<OpenRevision | null> {
  const space = await findSpace(app, actor, id)
  return space && openMainIfAny(app, space)
}

/** Throws 400 naming all destinations that are not part of the site as it is currently stored. */
export function checkOnSite(site: SiteDoc, given: readonly GivenDestination[]): void {
  const details = given.flatMap(({ to, path }): ErrorDetail[] => {
    const member = memberOnSite(to)
    return member === null || isOnSite(site, to)
      ? []
      : [{ path: `${path}/${member.name}`, message: `must be the ID of a ${member.what} of this site` }]
  })
  if (details.length > 0) throw badRequest('A destination is not part of the site.', details)
}

/**
 * Checks stored destinations. `broken` means that the page, the space or the part of the site no longer exists. URLs
 * are not requested.
 */
export async function destinationStatuses(
  app: App,
  site: SiteDoc,
  all: readonly SiteDestination[],
): Promise<DestinationStatus[]> {
  const revisions = new Map<string, Promise<OpenRevision | null>>()
  return Promise.all(
    all.map(async (to): Promise<DestinationStatus> => {
      if (!isOnSite(site, to)) return 'broken'
      const space =
        'space' in to
          ? to.space
          : to.kind === 'site-space'
            ? siteSpacesOf(site.structure).find(({ id }) => id === to.siteSpace)?.space
            : undefined
      if (space === undefined) return 'ok'
      if (!revisions.has(space)) revisions.set(space, findMainOnSite(app, space))
      const revision = await revisions.get(space)
      return revision && (!('page' in to) || revision.structure.byId.has(to.page)) ? 'ok' : 'broken'
    }),
  )
}

/**
 * Opens the main content of a space on a site, or null. The caller's role does not matter, since they only learn
 * whether a page exists.
 */
async function findMainOnSite(app: App, id: string): Promise<OpenRevision | null> {
  const doc = await app.store.get(spaces, id)
  if (!doc || doc.deletedAt !== undefined) return null
  return openMainIfAny(app, { doc, role: 'read', repo: await app.git.open(repositoryName(id)) })
}

/** Null if an admin removed the branch main. There are then no pages. */
const openMainIfAny = async (app: App, space: LoadedSpace): Promise<OpenRevision | null> =>
  space.repo.refs.head(MAIN) ? openMain(app, space) : null

/** Returns the field of a destination that names a part of the site. Null for a URL. */
function memberOnSite(to: SiteDestination): { name: string; what: string } | null {
  if (to.kind === 'url') return null
  if (to.kind === 'site-section') return { name: 'siteSection', what: 'section' }
  return to.kind === 'site-space' ? { name: 'siteSpace', what: 'site space' } : { name: 'space', what: 'space' }
}

function isOnSite({ structure }: SiteDoc, to: SiteDestination): boolean {
  if (to.kind === 'url') return true
  if (to.kind === 'site-section') return sectionsOf(structure).some(({ id }) => id === to.siteSection)
  if (to.kind === 'site-space') return siteSpacesOf(structure).some(({ id }) => id === to.siteSpace)
  return spacesOf(structure).includes(to.space)
}

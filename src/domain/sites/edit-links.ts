/** Changes the external links of a site. */
import { hrefFault } from '../../content/href.js'
import { badRequest } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import type { CreateSiteExternalLink, UpdateSiteExternalLink } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeStructure, type Created } from './edit-structure.js'
import { addLink, removeLink, updateLink } from './structure/links.js'

function checkTarget(target: string | undefined): void {
  const fault = target === undefined ? null : hrefFault(target)
  if (fault) throw badRequest('The target is invalid.', [{ path: '/target', message: fault }])
}

/** Adds a link at the end of a group. Throws 400 (target, group), 409 (too many links). */
export async function createLink(
  app: App,
  actor: Actor,
  site: LoadedSite,
  { title, target, icon, sectionGroup }: CreateSiteExternalLink,
): Promise<Created> {
  checkTarget(target)
  const id = newId()
  const link = { id, title, target, ...(icon ? { icon } : {}) }
  return { site: await changeStructure(app, actor, site, (structure) => addLink(structure, link, sectionGroup)), id }
}

/** Changes a link. A new group adds it at the end of that group. Throws 400 (target, group), 404. */
export async function changeLink(
  app: App,
  actor: Actor,
  site: LoadedSite,
  id: string,
  input: UpdateSiteExternalLink,
): Promise<LoadedSite> {
  checkTarget(input.target)
  return changeStructure(app, actor, site, (structure) => updateLink(structure, id, input))
}

/** Removes a link. */
export const deleteLink = (app: App, actor: Actor, site: LoadedSite, id: string): Promise<LoadedSite> =>
  changeStructure(app, actor, site, (structure) => removeLink(structure, id))

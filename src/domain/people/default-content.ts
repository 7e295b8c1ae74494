import { badRequest } from '../../kernel/errors.js'
import { type DefaultContent, type OrganizationDoc, sites } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import { contentRole } from '../roles/access.js'
import type { Actor } from '../context/actor.js'

/** Throws 400 unless the site is one of the organization's that the caller may see. */
export async function checkDefaultContent(tx: Transaction, actor: Actor, organization: Document<OrganizationDoc>, content: DefaultContent): Promise<void> {
  const site = await tx.get(sites, content.site)
  const role = site?.organization === organization.id ? await contentRole(tx, actor.user.id, { ...site, kind: 'site' }) : null
  if (role === null) throw badRequest('There is no such site.', [{ path: '/defaultContent/site', message: 'must be the ID of a site of this organization' }])
}

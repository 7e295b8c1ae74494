import { badRequest } from '../kernel/errors.js'
import type { DefaultContent, OrganizationDoc } from '../model/index.js'
import type { Document, Transaction } from '../store/index.js'
import type { Actor } from './app.js'

/** Throws 400 unless the site is one of the organization's that the caller may see. */
export async function checkDefaultContent(_tx: Transaction, _actor: Actor, _organization: Document<OrganizationDoc>, _content: DefaultContent): Promise<void> {
  throw badRequest('There is no such site.', [{ path: '/defaultContent/site', message: 'must be the ID of a site of this organization' }])
}

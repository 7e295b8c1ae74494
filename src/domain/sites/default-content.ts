import { badRequest } from '../../kernel/errors.js'
import { type OrganizationDoc, sites } from '../../model/index.js'
import type { Reader } from '../../store/index.js'

/** Throws 400 where what an organization is to show first is no site of its own. Null is: nothing. */
export async function checkDefaultContent(reader: Reader, organization: string, content: OrganizationDoc['defaultContent']): Promise<void> {
  if (!content) return
  const site = await reader.get(sites, content.site)
  if (site?.organization !== organization)
    throw badRequest('There is no such site.', [{ path: '/defaultContent/site', message: 'must be the ID of a site of this organization' }])
}

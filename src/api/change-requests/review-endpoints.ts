import { Type } from '@sinclair/typebox'
import { changesBetween } from '../../domain/revisions/changes/changes.js'
import { contributorsOf } from '../../domain/change-requests/contributors.js'
import { spanOf } from '../../domain/change-requests/span.js'
import { revertChangeRequest } from '../../domain/change-requests/revert.js'
import { paginate } from '../../kernel/paging.js'
import { ChangeRequest, Changes, ChangesQuery, ContributorList, pageQuery } from '../../model/index.js'
import { created } from '../reply.js'
import { presentAuthors } from '../revisions/present.js'
import { presentMergedFrom } from '../revisions/present-facts.js'
import { endpoint } from '../service.js'
import { presentChangeRequest } from './present.js'

const section = 'Change requests'

export const getChangesOfChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes',
  summary: 'What a change request changes',
  description:
    'From where its branch left the main content to its head; of a merged one, what the merge changed. Pages are compared by ID, in the order of the table of contents; ' +
    'every other file of the repository is listed as a file. `diff` adds how the text of each edited page differs.',
  section,
  needs: 'space:view',
  query: ChangesQuery,
  returns: Changes,
  handle: async ({ app, space, changeRequest, query }) => {
    const span = await spanOf(app, space, changeRequest)
    const changes = await changesBetween(app, space, span, query)
    return { ...changes, ...(span.merge ? await presentMergedFrom(app, space, await space.repo.commit(span.merge)) : {}) }
  },
})

export const getContributorsByChangeRequestId = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/contributors',
  summary: 'List who wrote in a change request',
  description: 'The authors of the commits of its branch: members of the organization, or the name and e-mail address that Git recorded.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: ContributorList,
  handle: async ({ app, space, changeRequest, query }) => {
    const page = paginate(await contributorsOf(app, space, changeRequest), query, ({ name, email }) => [name, email])
    return { ...page, items: await presentAuthors(app, space, page.items) }
  },
})

export const revertChangeRequestById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/revert',
  summary: 'Open a change request that undoes a merged one',
  description: 'Its branch takes back what the merge changed, and nothing else. Where that cannot be clean: 409 with the paths, and nothing is opened.',
  section,
  needs: 'space:edit',
  status: 201,
  returns: ChangeRequest,
  fails: [409, 423],
  handle: async ({ app, actor, space, changeRequest }) => {
    const made = await revertChangeRequest(app, actor, space, changeRequest)
    return created(await presentChangeRequest(app, space, made), `/v1/spaces/${space.doc.id}/change-requests/${made.doc.id}`)
  },
})

import { Type } from '@sinclair/typebox'
import { listCommenters } from '../../domain/people/commenters.js'
import { MemberList, pageQuery } from '../../model/index.js'
import { presentMember } from '../members/present.js'
import { endpoint } from '../service.js'

const WHO = 'Each once, by when they joined. Who is no member any more, or has no access, is left out.'

export const listCommentersInSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/commenters',
  summary: 'List the members who commented or replied on a space',
  description: `${WHO} Change requests have lists of their own.`,
  section: 'Comments on spaces',
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: MemberList,
  handle: async ({ app, space, query }) => {
    const page = await listCommenters(app, { space }, query)
    return { ...page, items: page.items.map((one) => presentMember(app, one)) }
  },
})

export const listCommentersInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/commenters',
  summary: 'List the members who commented or replied on a change request',
  description: WHO,
  section: 'Comments on change requests',
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: MemberList,
  handle: async ({ app, space, changeRequest, query }) => {
    const page = await listCommenters(app, { space, changeRequest }, query)
    return { ...page, items: page.items.map((one) => presentMember(app, one)) }
  },
})

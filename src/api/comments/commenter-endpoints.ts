/** Endpoints that list the members who commented on spaces and change requests. */
import { Type } from '@sinclair/typebox'
import { listCommenters } from '../../domain/people/commenters.js'
import { MemberList, pageQuery } from '../../model/index.js'
import { presentMember } from '../members/present.js'
import { endpoint } from '../service.js'
import { type CommentedResource, discussionOf } from './endpoints.js'

const commenters = ({ path, noun, section, list }: Omit<CommentedResource, 'create'>) =>
  endpoint({
    method: 'GET',
    path: `${path as '/v1/spaces/{spaceId}'}/commenters`,
    summary: `List the members who commented or replied on ${noun}`,
    description: `Lists each member once, in the order in which they joined the organization. People who are no longer members or have lost access are left out.${list}`,
    section,
    needs: 'space:view',
    query: Type.Object(pageQuery),
    returns: MemberList,
    handle: async (context) => {
      const page = await listCommenters(context.app, discussionOf(context), context.query)
      return { ...page, items: page.items.map((one) => presentMember(context.app, one)) }
    },
  })

export const listCommentersInSpace = commenters({
  path: '/v1/spaces/{spaceId}',
  noun: 'a space',
  section: 'Comments on spaces',
  list: ' Change requests have their own lists.',
})

export const listCommentersInChangeRequest = commenters({
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  noun: 'a change request',
  section: 'Comments on change requests',
  list: '',
})

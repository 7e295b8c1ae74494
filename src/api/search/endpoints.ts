/** Endpoints of search: in the content of a space, and of an organization. */
import { Type } from '@sinclair/typebox'
import { searchOrganization, searchSpace } from '../../domain/search/search.js'
import { listOf, SearchPage, searchQuery, searchSpaces } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentFoundPages, presentFoundSpaces } from './present.js'

const section = 'Search'
const WHAT_IS_LEFT_OUT =
  'Pages that are hidden or say `noIndex`, and what is below them, are never found, nor are drafts and change requests. At most 1,000 pages of a space are found.'

export const searchSpaceContent = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/search',
  summary: 'Search the content of a space',
  description: `Finds pages of main, best first: matches in titles come before those in headings, and these before those in texts. If not all words are in one section, sections with some of them are found. ${WHAT_IS_LEFT_OUT} What was merged before the request is found. If that takes longer than two seconds, only pages are found that have not changed; while a first index is being made, the response is 503.`,
  section,
  needs: 'space:view',
  query: Type.Object(searchQuery),
  returns: listOf(SearchPage, { $id: 'SearchPageList' }),
  handle: async ({ app, space, query }) => {
    const { before, ...page } = await searchSpace(app, space, query)
    return { ...page, items: await presentFoundPages(app, space, page.items, before) }
  },
})

export const searchOrganizationContent = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/search',
  summary: 'Search the content of an organization',
  description: `Finds spaces that you may see, each with its best pages. ${WHAT_IS_LEFT_OUT} If a space could not be searched in time, the response has \`partial: true\`; the same request finds more a moment later.`,
  section,
  needs: 'organization:view',
  query: Type.Object(searchQuery),
  returns: searchSpaces({ $id: 'SearchSpaceList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = await searchOrganization(app, actor, organization, query)
    return { ...page, items: await presentFoundSpaces(app, page.items) }
  },
})

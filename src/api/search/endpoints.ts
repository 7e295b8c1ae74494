/** Endpoints that search the content of a space or an organization. */
import { Type } from '@sinclair/typebox'
import { searchOrganization, searchSpace } from '../../domain/search/search.js'
import { searchPages, searchQuery, searchSpaces } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentFoundPages, presentFoundSpaces } from './present.js'

const section = 'Search'
const WHAT_IS_LEFT_OUT =
  'Hidden pages, pages with `noIndex`, and pages below them are never found, nor are drafts and change requests. At most 1,000 pages of a space are found.'

export const searchSpaceContent = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/search',
  summary: 'Search the content of a space',
  description:
    'Finds pages of main, best match first: matches in titles rank before those in headings, and these before those in text. If no section contains all ' +
    `words, sections with some of them are found. ${WHAT_IS_LEFT_OUT} Content that was merged before the request is found. If updating the index takes ` +
    'longer than two seconds, only pages that are indexed and have not changed are found, and the response contains `partial: true`. Until the first ' +
    'index has pages, the response is 503.',
  section,
  needs: 'space:view',
  query: Type.Object(searchQuery),
  returns: searchPages,
  handle: async ({ app, space, query }) => {
    const { before, ...page } = await searchSpace(app, space, query)
    return { ...page, items: await presentFoundPages(app, space, page.items, before) }
  },
})

export const searchOrganizationContent = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/search',
  summary: 'Search the content of an organization',
  description:
    `Finds spaces that you can see, each with its best pages. ${WHAT_IS_LEFT_OUT} If a space could not be searched in time, the response contains ` +
    '`partial: true`; repeat the request a moment later for complete results.',
  section,
  needs: 'organization:view',
  query: Type.Object(searchQuery),
  returns: searchSpaces({ $id: 'SearchSpaceList' }),
  handle: async ({ app, actor, organization, query }) => {
    const page = await searchOrganization(app, actor, organization, query)
    return { ...page, items: await presentFoundSpaces(app, page.items) }
  },
})

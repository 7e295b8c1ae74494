/** Endpoints that read the links and backlinks of the main content, change requests and revisions. */
import { openMain } from '../../domain/revisions/main-content.js'
import { openRevision } from '../../domain/revisions/revisions.js'
import { linkReads } from './reads.js'
import { brokenWithout } from '../../domain/links/report.js'

const main = linkReads<'/v1/spaces/{spaceId}'>({
  links: '/v1/spaces/{spaceId}/links',
  content: '/v1/spaces/{spaceId}/content',
  noun: 'the main content',
  section: 'Links',
  open: ({ app, space }) => openMain(app, space),
  changeRequest: () => null,
  brokenWithout: () => null,
})

const changeRequest = linkReads<'/v1/spaces/{spaceId}/change-requests/{changeRequestId}'>({
  links: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/links',
  content: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  noun: 'the content of a change request',
  section: 'Links',
  open: ({ app, space, changeRequest }) => openRevision(app, space, changeRequest.head),
  changeRequest: ({ changeRequest }) => changeRequest,
  brokenWithout: ({ app, actor, space, changeRequest }) => brokenWithout(app, actor, space, changeRequest),
})

const revision = linkReads<'/v1/spaces/{spaceId}/revisions/{revisionId}'>({
  links: '/v1/spaces/{spaceId}/revisions/{revisionId}/links',
  content: '/v1/spaces/{spaceId}/revisions/{revisionId}',
  noun: 'a revision',
  section: 'Links',
  open: ({ revision }) => revision,
  changeRequest: () => null,
  brokenWithout: () => null,
})

export const listSpaceLinks = main.links
export const listPageLinksInSpace = main.pageLinks
export const listPageBacklinksInSpace = main.pageBacklinks
export const listFileBacklinksInSpace = main.fileBacklinks
export const listChangeRequestLinks = changeRequest.links
export const listPageLinksInChangeRequest = changeRequest.pageLinks
export const listPageBacklinksInChangeRequest = changeRequest.pageBacklinks
export const listFileBacklinksInChangeRequest = changeRequest.fileBacklinks
export const listRevisionLinks = revision.links
export const listPageLinksInRevision = revision.pageLinks
export const listPageBacklinksInRevision = revision.pageBacklinks
export const listFileBacklinksInRevision = revision.fileBacklinks

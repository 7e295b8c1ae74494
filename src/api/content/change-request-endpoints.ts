import { openRevision } from '../../domain/revisions/revisions.js'
import { ContentQuery, File, FileList, FilesQuery, Page, PageQuery, Pages, ReusableContent, Revision } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentReusableContent, presentRevision } from './present.js'
import { contentValidator, readFile, readFiles, readPageById, readPageByPath, readPages, revisionValidator } from './reads.js'

const section = 'Change request content'

export const getRevisionOfChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  summary: 'Get a change request: pages without their text, files, reusable content, variables, diagnostics',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Revision,
  validator: ({ app, space, changeRequest }) => revisionValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, query }) => presentRevision(app, await openRevision(app, space, changeRequest.head), query),
})

export const listPagesInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/pages',
  summary: 'List the pages of a change request',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Pages,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, query }) => readPages(app, await openRevision(app, space, changeRequest.head), query),
})

export const listFilesInChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files',
  summary: 'List the files of a change request',
  description: 'Files below `.gitbook/assets` and files that a page references.',
  section,
  needs: 'space:view',
  query: FilesQuery,
  returns: FileList,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, query }) => readFiles(app, await openRevision(app, space, changeRequest.head), query),
})

export const getFileInChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}',
  summary: 'Get a file of a change request',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: File,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, fileId, query }) => readFile(app, await openRevision(app, space, changeRequest.head), fileId, query),
})

export const getPageInChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}',
  summary: 'Get a page of a change request by ID, with its content',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, pageId, query }) => readPageById(app, await openRevision(app, space, changeRequest.head), pageId, query),
})

export const getPageInChangeRequestByPath = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/path/{pagePath*}',
  summary: 'Get a page of a change request by its path, with its content',
  description: 'An old path that the configuration redirects is followed; a page outranks a redirect.',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, pagePath, query }) => readPageByPath(app, await openRevision(app, space, changeRequest.head), pagePath, query),
})

export const getReusableContentInChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/reusable-contents/{reusableContentId}',
  summary: 'Get reusable content of a change request',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: ReusableContent,
  validator: ({ app, space, changeRequest }) => contentValidator(app, space, changeRequest.head),
  handle: async ({ app, space, changeRequest, reusableContentId, query }) =>
    presentReusableContent(app, await openRevision(app, space, changeRequest.head), reusableContentId, query.format, query),
})

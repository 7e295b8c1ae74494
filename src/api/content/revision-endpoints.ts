import { ContentQuery, File, FileList, FilesQuery, Page, PageQuery, Pages, ReusableContent, Revision } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentReusableContent, presentRevision } from './present.js'
import { contentValidator, readFile, readFiles, readPageById, readPageByPath, readPages, revisionValidator } from './reads.js'

const section = 'Revisions'

export const getRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}',
  summary: 'Get a revision: pages without their text, files, reusable content, variables, diagnostics',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Revision,
  validator: ({ app, space, revision }) => revisionValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, query }) => presentRevision(app, revision, query),
})

export const listPagesInRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/pages',
  summary: 'List the pages of a revision',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Pages,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, query }) => readPages(app, revision, query),
})

export const listFilesInRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/files',
  summary: 'List the files of a revision',
  description: 'Files below `.gitbook/assets` and files that a page references.',
  section,
  needs: 'space:view',
  query: FilesQuery,
  returns: FileList,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, query }) => readFiles(app, revision, query),
})

export const getFileInRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}',
  summary: 'Get a file of a revision',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: File,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, fileId, query }) => readFile(app, revision, fileId, query),
})

export const getPageInRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}',
  summary: 'Get a page of a revision by ID, with its content',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, pageId, query }) => readPageById(app, revision, pageId, query),
})

export const getPageInRevisionByPath = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath*}',
  summary: 'Get a page of a revision by its path, with its content',
  description: 'An old path that the configuration redirects is followed; a page outranks a redirect.',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, pagePath, query }) => readPageByPath(app, revision, pagePath, query),
})

export const getReusableContentInRevisionById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}/reusable-contents/{reusableContentId}',
  summary: 'Get reusable content of a revision',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: ReusableContent,
  validator: ({ app, space, revision }) => contentValidator(app, space, revision.snapshot.commit),
  handle: async ({ app, revision, reusableContentId, query }) => presentReusableContent(app, revision, reusableContentId, query.format, query),
})

import { headOf, openMain } from '../../domain/revisions/main-content.js'
import { ContentQuery, File, FileList, FilesQuery, Page, PageQuery, Pages, ReusableContent, Revision } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentReusableContent, presentRevision } from './present.js'
import { contentValidator, readFile, readFiles, readPageById, readPageByPath, readPages, revisionValidator } from './reads.js'

const section = 'Space content'

export const getCurrentRevision = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content',
  summary: 'Get the main content: pages without their text, files, reusable content, variables, diagnostics',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Revision,
  validator: ({ app, space }) => revisionValidator(app, space, headOf(space)),
  handle: async ({ app, space, query }) => presentRevision(app, await openMain(app, space), query),
})

export const listPages = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/pages',
  summary: 'List the pages of the main content',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: Pages,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, query }) => readPages(app, await openMain(app, space), query),
})

export const listFiles = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/files',
  summary: 'List the files of the main content',
  description: 'Files below `.gitbook/assets` and files that a page references.',
  section,
  needs: 'space:view',
  query: FilesQuery,
  returns: FileList,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, query }) => readFiles(app, await openMain(app, space), query),
})

export const getFileById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/files/{fileId}',
  summary: 'Get a file of the main content',
  section,
  needs: 'space:view',
  query: ContentQuery,
  returns: File,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, fileId, query }) => readFile(app, await openMain(app, space), fileId, query),
})

export const getPageById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/page/{pageId}',
  summary: 'Get a page of the main content by ID, with its content',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, pageId, query }) => readPageById(app, await openMain(app, space), pageId, query),
})

export const getPageByPath = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/path/{pagePath*}',
  summary: 'Get a page of the main content by its path, with its content',
  description: 'An old path that the configuration redirects is followed; a page outranks a redirect.',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: Page,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, pagePath, query }) => readPageByPath(app, await openMain(app, space), pagePath, query),
})

export const getReusableContentById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/reusable-contents/{reusableContentId}',
  summary: 'Get reusable content of the main content',
  section,
  needs: 'space:view',
  query: PageQuery,
  returns: ReusableContent,
  validator: ({ app, space }) => contentValidator(app, space, headOf(space)),
  handle: async ({ app, space, reusableContentId, query }) => presentReusableContent(app, await openMain(app, space), reusableContentId, query.format, query),
})

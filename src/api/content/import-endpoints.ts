/**
 * Endpoints that import content from a URL or a file into main or a change request, and the endpoint that returns the progress of
 * an import.
 */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { requestContentImport } from '../../domain/imports/request.js'
import { ContentImport, ContentImportRequest, ContentImportResult } from '../../model/index.js'
import type { RequestInfo } from '../declaration.js'
import { created, type Reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentContentImport, presentImportResult } from './present-import.js'
import { defined } from '../../kernel/defined.js'

const section = 'Importing content'
const description =
  'Reads the pages that `url` and `source` describe, and adds them in one commit. Nothing is overwritten: names that are already in use get a number. ' +
  'Images become files of the space, links between imported pages point to the imported pages, and all other links become absolute. If the import takes ' +
  'longer, the response comes before its end, with the counts so far (`state`); the import continues, and the address in `Location` shows its progress. ' +
  'Returns 400 with the reason if nothing can be read from the URL. To send the file itself, up to the file limit, use `multipart/form-data`: put ' +
  '`source` into a field, and the file into another part.'
const ofPage =
  'The pages become subpages of this page. If this page has no text yet and the import has a single top-level page, the text of that page becomes the ' +
  'text of this page, which keeps its title.'
const declared = {
  method: 'POST',
  section,
  needs: 'space:edit',
  body: ContentImportRequest,
  form: (members: Record<string, unknown>) => members,
  status: 201,
  returns: ContentImportResult,
  fails: [409, 413, 423],
} as const

/** The context of the four import endpoints. */
interface Call {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
  pageId?: string
  body: (typeof ContentImportRequest)['static']
  request: RequestInfo
}

async function importInto({
  app,
  actor,
  space,
  changeRequest,
  pageId,
  body,
  request,
}: Call): Promise<Reply<(typeof ContentImportResult)['static']>> {
  const target = {
    space,
    ...(changeRequest ? { changeRequest } : {}),
    ...defined({ page: pageId }),
  }
  const { doc, head } = await requestContentImport(app, actor, target, body, [...request.files.values()])
  return created(presentImportResult(doc, head), `/v1/spaces/${space.doc.id}/content/imports/${doc.id}`)
}

export const importContent = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/content/import',
  summary: 'Import content from a URL or a file into the main content',
  description,
  handle: importInto,
})

export const importContentIntoPage = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/content/page/{pageId}/import',
  summary: 'Import content from a URL or a file into a page of the main content',
  description: description + ofPage,
  handle: importInto,
})

export const importContentInChangeRequest = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import',
  summary: 'Import content from a URL or a file into a change request',
  description,
  handle: importInto,
})

export const importContentIntoPageInChangeRequest = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/import',
  summary: 'Import content from a URL or a file into a page of a change request',
  description: description + ofPage,
  handle: importInto,
})

export const getContentImport = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/imports/{importId}',
  summary: 'Get an import with its state, progress and failures',
  description: 'The last 50 imports of a space are kept.',
  section,
  needs: 'space:edit',
  returns: ContentImport,
  handle: ({ contentImport }) => presentContentImport(contentImport),
})

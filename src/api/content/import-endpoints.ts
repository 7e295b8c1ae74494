/** Endpoints that import content from a URL into main or a change request, and the one that tells how an import goes. */
import type { App } from '../../domain/context/app.js'
import type { Actor } from '../../domain/context/actor.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { requestContentImport } from '../../domain/imports/request.js'
import { ContentImport, ContentImportRequest, ContentImportResult } from '../../model/index.js'
import { created, type Reply } from '../reply.js'
import { endpoint } from '../service.js'
import { presentContentImport, presentImportResult } from './present-import.js'

const section = 'Importing content'
const description =
  'Reads the pages that the URL and `source` name, and adds them by one commit; nothing that exists is overwritten, and names that are taken get a number. ' +
  'Images become files of the space, links between the imported pages lead to them, and all other links stay absolute. ' +
  'The response comes when the import is done, or after some time with the counts so far (`state`): then the import continues, and the address in `Location` shows its progress. ' +
  '400 with the reason if nothing can be read from the URL.'
const ofPage =
  ' The pages become subpages of this page. If the page has no text yet, and the import has a single page at its top, that one becomes its text under the title that it has.'
const declared = {
  method: 'POST',
  section,
  needs: 'space:edit',
  body: ContentImportRequest,
  status: 201,
  returns: ContentImportResult,
  fails: [409, 413, 423],
} as const

/** What the four endpoints get. */
interface Call {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
  pageId?: string
  body: (typeof ContentImportRequest)['static']
}

async function importInto({
  app,
  actor,
  space,
  changeRequest,
  pageId,
  body,
}: Call): Promise<Reply<(typeof ContentImportResult)['static']>> {
  const target = {
    space,
    ...(changeRequest ? { changeRequest } : {}),
    ...(pageId === undefined ? {} : { page: pageId }),
  }
  const { doc, head } = await requestContentImport(app, actor, target, body)
  return created(presentImportResult(doc, head), `/v1/spaces/${space.doc.id}/content/imports/${doc.id}`)
}

export const importContent = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/content/import',
  summary: 'Import content from a URL into the main content',
  description,
  handle: importInto,
})

export const importContentIntoPage = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/content/page/{pageId}/import',
  summary: 'Import content from a URL into a page of the main content',
  description: description + ofPage,
  handle: importInto,
})

export const importContentInChangeRequest = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/import',
  summary: 'Import content from a URL into a change request',
  description,
  handle: importInto,
})

export const importContentIntoPageInChangeRequest = endpoint({
  ...declared,
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/import',
  summary: 'Import content from a URL into a page of a change request',
  description: description + ofPage,
  handle: importInto,
})

export const getContentImport = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/content/imports/{importId}',
  summary: 'Get an import: its state, its progress, and what could not be imported',
  description: 'The last 50 imports of a space are kept.',
  section,
  needs: 'space:edit',
  returns: ContentImport,
  handle: ({ contentImport }) => presentContentImport(contentImport),
})

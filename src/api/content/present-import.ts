/** Turns content imports into the JSON that clients get. */
import { shownUrl } from '../../domain/imports/shown-url.js'
import type { ContentImport, ContentImportDoc, ContentImportResult } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns the response to an import request. While the import runs, `revision` is the current head (`head`). */
export function presentImportResult(doc: ContentImportDoc, head: string): (typeof ContentImportResult)['static'] {
  return {
    revision: doc.revision ?? head,
    importedResources: doc.importedResources,
    totalResources: doc.totalResources,
    import: doc.id,
    state: doc.state,
  }
}

/** Returns an import. Its address is without the query, which may contain a secret. */
export function presentContentImport(doc: ContentImportDoc): ContentImport {
  const {
    id,
    state,
    stage,
    source,
    importedResources,
    totalResources,
    failures,
    moreFailures,
    revision,
    problem,
    changeRequest,
    page,
  } = doc
  return {
    object: 'content-import',
    id,
    state,
    stage,
    source,
    ...(doc.upload ? { file: doc.upload.name } : { url: shownUrl(doc.url) }),
    importedResources,
    totalResources,
    failures,
    ...(moreFailures > 0 ? { moreFailures } : {}),
    ...defined({ revision }),
    ...(problem ? { error: problem.message } : {}),
    ...defined({ changeRequest, page }),
    requestedBy: doc.requestedBy,
    createdAt: doc.createdAt,
    ...defined({ finishedAt: doc.finishedAt }),
  }
}

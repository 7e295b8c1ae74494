/** Turns an import of content into the JSON that clients get. */
import { shownUrl } from '../../domain/imports/shown-url.js'
import type { ContentImport, ContentImportDoc, ContentImportResult } from '../../model/index.js'

/** The response to the request for an import; while it goes on, with `head`, the revision that is there now. */
export function presentImportResult(doc: ContentImportDoc, head: string): (typeof ContentImportResult)['static'] {
  return {
    revision: doc.revision ?? head,
    importedResources: doc.importedResources,
    totalResources: doc.totalResources,
    import: doc.id,
    state: doc.state,
  }
}

/** An import, with its address without the query, which may hold a secret. */
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
    url: shownUrl(doc.url),
    importedResources,
    totalResources,
    failures,
    ...(moreFailures > 0 ? { moreFailures } : {}),
    ...(revision === undefined ? {} : { revision }),
    ...(problem ? { error: problem.message } : {}),
    ...(changeRequest === undefined ? {} : { changeRequest }),
    ...(page === undefined ? {} : { page }),
    requestedBy: doc.requestedBy,
    createdAt: doc.createdAt,
    ...(doc.finishedAt === undefined ? {} : { finishedAt: doc.finishedAt }),
  }
}

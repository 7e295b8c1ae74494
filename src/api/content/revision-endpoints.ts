/** Endpoints that read the content of a revision. */
import { contentReads } from './reads.js'

const reads = contentReads({
  path: '/v1/spaces/{spaceId}/revisions/{revisionId}',
  noun: 'a revision',
  section: 'Revisions',
  head: ({ revision }) => revision.snapshot.commit,
  version: ({ revision }) => ({ revision: revision.snapshot.commit }),
  open: ({ revision }) => revision,
})

export const getRevisionById = reads.revision
export const listPagesInRevisionById = reads.pages
export const listFilesInRevisionById = reads.files
export const getFileInRevisionById = reads.file
export const getPageInRevisionById = reads.page
export const getPageInRevisionByPath = reads.pageByPath
export const getReusableContentInRevisionById = reads.reusableContent
export const getRenderedPageInRevision = reads.renderedPage
export const renderPageInRevision = reads.renderedDraft
export const getBlockChangesInRevision = reads.blockChanges

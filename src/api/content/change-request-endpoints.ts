/** Endpoints that read the content of a change request at the head of its branch. */
import { openRevision } from '../../domain/revisions/revisions.js'
import { contentReads } from './reads.js'

const reads = contentReads({
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  noun: 'the content of a change request',
  section: 'Change request content',
  head: ({ changeRequest }) => changeRequest.head,
  version: ({ changeRequest }) => ({ changeRequest: changeRequest.doc.number }),
  isNewest: true,
  open: ({ app, space, changeRequest }) => openRevision(app, space, changeRequest.head),
})

export const getRevisionOfChangeRequestById = reads.revision
export const listPagesInChangeRequest = reads.pages
export const listFilesInChangeRequest = reads.files
export const getFileInChangeRequestById = reads.file
export const getPageInChangeRequestById = reads.page
export const getPageInChangeRequestByPath = reads.pageByPath
export const getReusableContentInChangeRequestById = reads.reusableContent
export const getRenderedPageInChangeRequest = reads.renderedPage
export const renderPageInChangeRequest = reads.renderedDraft
export const getBlockChangesInChangeRequest = reads.blockChanges

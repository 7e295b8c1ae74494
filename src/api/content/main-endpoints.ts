/** Endpoints that read the main content of a space. */
import { headOf, openMain } from '../../domain/revisions/main-content.js'
import { contentReads } from './reads.js'

const reads = contentReads({
  path: '/v1/spaces/{spaceId}/content',
  noun: 'the main content',
  section: 'Space content',
  head: ({ space }) => headOf(space),
  isMain: true,
  open: ({ app, space }) => openMain(app, space),
})

export const getCurrentRevision = reads.revision
export const listPages = reads.pages
export const listFiles = reads.files
export const getFileById = reads.file
export const getPageById = reads.page
export const getPageByPath = reads.pageByPath
export const getReusableContentById = reads.reusableContent
export const getRenderedPage = reads.renderedPage
export const renderPage = reads.renderedDraft
export const getBlockChanges = reads.blockChanges

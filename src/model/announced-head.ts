// The document that records how far the events of a branch have been written.
import type { CommitId, RefName } from '../kernel/ids.js'
import { table } from '../kernel/documents.js'

/**
 * The last commit of a branch whose events were written, as stored. Later commits in Git have no events yet. Its ID is
 * `<space>:<ref>`.
 */
export interface AnnouncedHeadDoc {
  id: string
  space: string
  ref: RefName
  commit: CommitId
}

export const announcedHeads = table<AnnouncedHeadDoc>()({
  name: 'announced-heads',
  indexes: { space: (head) => head.space },
  owner: 'space',
})
export const announcedHeadId = (space: string, ref: string): string => `${space}:${ref}`

// The document that says up to where a branch was turned into events.
import { table } from '../kernel/documents.js'

/**
 * Up to which commit of a branch events were written, as stored: what Git has beyond it is still to be told of. Its ID is
 * `<space>:<ref>`.
 */
export interface AnnouncedHeadDoc {
  id: string
  space: string
  ref: string
  commit: string
}

export const announcedHeads = table<AnnouncedHeadDoc>()({
  name: 'announced-heads',
  indexes: { space: (head) => head.space },
  owner: (head) => head.space,
})
export const announcedHeadId = (space: string, ref: string): string => `${space}:${ref}`

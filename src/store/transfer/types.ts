/** What moves from one store to another: all documents with their versions, and all journals with their positions, as they are. */
import type { Added } from '../journal/segment.js'
import type { AnyDocument } from '../view.js'

/** A group of a journal. */
export interface GroupExtent {
  readonly journal: string
  readonly group: string
  /** Position of the first record that was not dropped. */
  readonly first: number
  /** Position that the next record gets. */
  readonly next: number
}

/** A store that is only read, while no server uses it. */
export interface StoreSource {
  /** The migrations of documents that it has had. */
  readonly migrated: number
  /** Names of the tables that have documents, sorted. */
  tables(): Promise<string[]>
  /** The documents of a table, in any order, some at a time. */
  documents(table: string): AsyncIterable<readonly AnyDocument[]>
  groups(): Promise<GroupExtent[]>
  /** The records of a group from `first` on, by position, some at a time. */
  records(of: GroupExtent): AsyncIterable<readonly Added[]>
  /** Lets others use the store again. */
  close(): Promise<void>
}

/** Documents or records that are handed on at a time. */
export const AT_ONCE = 500

/**
 * The data that moves from one store to another: all documents with their versions, and all journals with their
 * positions, unchanged.
 */
import type { JournalEntry } from '../journal/segment.js'
import type { AnyDocument } from '../view.js'

/** A group of a journal. */
export interface GroupExtent {
  readonly journal: string
  readonly group: string
  /** Position of the first record that was not dropped. */
  readonly first: number
  /** Position of the next record. */
  readonly next: number
}

/** A read-only store that no server uses. */
export interface StoreSource {
  /** Number of document migrations that it has had. */
  readonly migrated: number
  /** Returns the sorted names of the tables with documents. */
  tables(): Promise<string[]>
  /** Yields the documents of a table in any order, some at a time. */
  documents(table: string): AsyncIterable<readonly AnyDocument[]>
  groups(): Promise<GroupExtent[]>
  /** Yields the records of a group starting at `first`, by position, some at a time. */
  records(of: GroupExtent): AsyncIterable<readonly JournalEntry[]>
  /** Lets other processes use the store again. */
  close(): Promise<void>
}

/** Number of documents or records that are passed on at a time. */
export const AT_ONCE = 500

// What the changes of one request work on, one after the other.
import type { ContentChange } from '../../model/content-changes.js'
import type { TextWork } from '../work/text-work.js'
import type { Workspace } from './workspace.js'

/** The result of one change. */
export interface Applied {
  object: string
  page?: string
  ref?: string
}

/** A batch of changes: what it works on, and what it has made so far. */
export interface Batch {
  workspace: Workspace
  /** Parses the texts of the batch. */
  work: TextWork
  /** The IDs of pages and groups that the batch has made, by the `ref` of the change. */
  pageRefs: Map<string, string>
  /** The paths of files that the batch has made, by their `ref`. */
  fileRefs: Map<string, string>
  /** Paths of files whose text the batch has written. Links in them are made relative at the end. */
  written: Set<string>
  insertedFiles: { path: string; name: string; ref?: string }[]
  /** Files from a URL or a part of a form, by the object that describes the file in its change. */
  fetched: ReadonlyMap<object, { name: string; content: Uint8Array }>
  /** A page's file in another revision (`undefined` = where the change request began); null if that has no such page. */
  fileIn: (page: string, revision: string | undefined) => Promise<{ oid: string; mode: string } | null>
}

/** Applies one kind of change. Throws `ChangeError`. */
export type Operation<C extends ContentChange = ContentChange> = (batch: Batch, change: C) => Promise<Applied | null>

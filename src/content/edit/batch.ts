// The shared context of the changes in one request.
import type { ContentChange } from '../../model/content-changes.js'
import type { TextWork } from '../work/text-work.js'
import type { Workspace } from './workspace.js'

/** The result of one change. */
export interface Applied {
  object: string
  page?: string
  ref?: string
}

/** A batch of changes: its inputs and its results so far. */
export interface Batch {
  workspace: Workspace
  /** Parses the texts of the batch. */
  work: TextWork
  /** IDs of the pages and groups that the batch created, by the `ref` of the change. */
  pageRefs: Map<string, string>
  /** Paths of the files that the batch created, by their `ref`. */
  fileRefs: Map<string, string>
  /** Paths of the files whose text the batch wrote. Links in them are made relative at the end. */
  written: Set<string>
  insertedFiles: { path: string; name: string; ref?: string }[]
  /** Files from a URL or a part of a form, by the object that describes the file in its change. */
  fetched: ReadonlyMap<object, { name: string; content: Uint8Array }>
  /**
   * Returns a page's file in another revision (`undefined` = the base of the change request); null if that revision has
   * no such page.
   */
  fileIn: (page: string, revision: string | undefined) => Promise<{ oid: string; mode: string } | null>
}

/** Applies one kind of change. Throws `ChangeError`. */
export type Operation<C extends ContentChange = ContentChange> = (batch: Batch, change: C) => Promise<Applied | null>

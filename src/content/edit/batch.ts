import type { ContentChange } from '../../model/content-changes.js'
import type { TextWork } from '../work/text-work.js'
import type { Workspace } from './workspace.js'

/** What was done by one change. */
export interface Applied {
  object: string
  page?: string
  ref?: string
}

/** What a batch works on, and what it has made so far. */
export interface Batch {
  workspace: Workspace
  /** What takes the texts of the batch apart. */
  work: TextWork
  /** Batch ref → ID of the page or group made under it. */
  pageRefs: Map<string, string>
  /** Batch ref → path of the file made under it. */
  fileRefs: Map<string, string>
  /** Paths of files that the batch wrote text into: links in them are made relative at the end. */
  written: Set<string>
  insertedFiles: { path: string; name: string; ref?: string }[]
  /** Files that came from a URL or a part of a form, by the file as it stands in its change. */
  fetched: ReadonlyMap<object, { name: string; content: Uint8Array }>
  /** The page's file as it is in another revision (`undefined` = where the change request began). Null where it is not there. */
  fileIn: (page: string, revision: string | undefined) => Promise<{ oid: string; mode: string } | null>
}

/** Applies one kind of change. Throws `ChangeError`. */
export type Operation<C extends ContentChange = ContentChange> = (batch: Batch, change: C) => Promise<Applied | null>

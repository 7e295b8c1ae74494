// The interface of the text tasks.
import type { CommentTarget } from '../blocks/comment-targets.js'
import type { MergeChunk } from '../edit/merge-chunks.js'
import type { ReferenceReplacement } from '../edit/rewrite-references.js'
import type { SummaryChange } from '../edit/summary-change.js'
import type { Reference } from '../reference.js'
import type { Outcome, PageSource, Summary, TreeReader } from '../types.js'
import type { TomlResult } from '../toml.js'
import type { Again, Corrections, PageNeeds, PageVersions, WovenPage } from '../translation/weave.js'
import type { YamlResult } from '../yaml.js'

/** An edit of a markdown file. Absent members do not change. */
export interface FileEdit {
  /** The new body. */
  document?: { markdown: string } | { document: object }
  /** Replaces the first heading, if its text is `before`. */
  title?: { before: string; after: string }
  /** Keys of the front matter to set (null removes one), except those in the front matter of the given markdown. */
  members?: Readonly<Record<string, unknown>>
  /** Keys of the front matter to set, including those in the given markdown. */
  set?: Readonly<Record<string, unknown>>
}

/**
 * The edited file, or the reason why it cannot be edited, worded for the client. `member` is the member of the change
 * that caused the error.
 */
export type FileOutcome = { done: Uint8Array } | { refused: string; tooLarge?: true; member?: string }

/** For each version of a table of contents: the IDs of the target pages, by target. */
export type SummaryNames = Readonly<Record<'base' | 'ours' | 'theirs', Readonly<Record<string, string>>>>

/** The front matter of a markdown file that is too large to be held as a string. */
export interface LargePage extends Omit<PageSource, 'markdown' | 'bodyStart'> {
  /** The reason why its body is not parsed, as a sentence. */
  limit: string
}

/**
 * The tasks that parse, print or merge texts, which may be long and hostile. Each is a pure function of texts, files
 * and small JSON values, and returns JSON or a file. Callers use a `TextWork`, which runs costly tasks in threads.
 */
export interface TextTasks {
  /** Returns a page's front matter and the start of its body. */
  page(text: string, file: string): Omit<PageSource, 'markdown'>
  yaml(text: string): YamlResult
  toml(text: string): TomlResult
  summary(text: string): Summary
  references(markdown: string): readonly Reference[]
  codeSpans(markdown: string): readonly (readonly [number, number])[]
  commentTargets(markdown: string): readonly CommentTarget[]
  /** Returns the key of the block that corresponds to a top-level block in another version of a page, or null. */
  followBlock(before: string, after: string, node: string): string | null
  /** Returns the limit that a page's markdown exceeds, as a sentence; null if it exceeds none. */
  limit(markdown: string): string | null
  /** Prints a block tree as markdown; `present` is the markdown that it was parsed from. */
  print(document: object, present?: string): Outcome<string>
  /** Sets keys of a text's front matter (null removes a key), except those in the front matter of `given`. */
  setMembers(text: string, members: Readonly<Record<string, unknown>>, given?: string): Outcome<string>
  /** Returns the title of a page that no table of contents lists; null if it has none. */
  heading(text: string): string | null
  editFile(file: Uint8Array, edit: FileEdit): FileOutcome
  /** Replaces targets in a file's body, which starts at `bodyStart`. */
  retarget(file: Uint8Array, bodyStart: number, targets: readonly ReferenceReplacement[]): FileOutcome
  /** Whether the text may link to one of the files of `tokens` (`content/mentions.ts`). */
  mentions(text: string, tokens: readonly string[]): boolean
  /** Returns `next` with the line ends of `old`. */
  keepLineEnds(old: string, next: string): string
  largePage(file: Uint8Array, path: string): LargePage
  /** Makes one change to a table of contents. */
  changeSummary(text: string, change: SummaryChange): Outcome<string>
  /**
   * Sets keys of a YAML map (null removes a key). `within` is the path of the map from the top; by default the
   * top-level map.
   */
  setYaml(text: string, changes: Readonly<Record<string, unknown>>, within?: readonly string[]): Outcome<string>
  /** Merges three versions of a table of contents. */
  mergeSummary(base: string, ours: string, theirs: string, names: SummaryNames): { text: string } | { conflict: string }
  mergePage(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
  mergeYaml(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
  /**
   * Returns the chunks of a three-way merge, in the order of the lines. Null if too many lines would have to be compared.
   * @param isPage whether front matter is merged by key
   */
  mergeChunks(base: string, ours: string, theirs: string, isPage: { isPage: boolean }): readonly MergeChunk[] | null
  /** Returns the segments to translate before a page of a translation can be woven. */
  pageNeeds(versions: PageVersions, corrections: Corrections, again: Again): PageNeeds
  /** Updates a page of a translation to its source. */
  weavePage(
    versions: PageVersions,
    corrections: Corrections,
    again: Again,
    answers: Readonly<Record<string, string>>,
  ): WovenPage
}

/**
 * Runs the tasks, in threads if they are costly. Throws `TextTooCostly` if a task exceeds its time or memory, or its
 * result is too large.
 */
export type TextWork = {
  readonly [K in keyof TextTasks]: (...args: Parameters<TextTasks[K]>) => Promise<ReturnType<TextTasks[K]>>
} & {
  /** Lets the event loop run, between slices of work on the main thread. */
  pause(): Promise<void>
  /**
   * Returns the title of each blob (`heading`) by object ID, from the outlines of known pages; '' if it has none. Blobs
   * may be missing from the result.
   */
  headings(files: Pick<TreeReader, 'read'>, oids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Runs work that keeps a file in memory that is too large for a string. Limits the number of concurrent runs. */
  large<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Thrown if a text takes more time or memory than allowed. The message is a sentence with the reason, with "It" for the
 * text.
 */
export class TextTooCostly extends Error {
  override name = 'TextTooCostly'
}

/** Returns the result of a task, or `instead` if the text is too costly. */
export async function unlessTooCostly<T>(task: Promise<T>, instead: T): Promise<T> {
  try {
    return await task
  } catch (error) {
    if (error instanceof TextTooCostly) return instead
    throw error
  }
}

/**
 * Returns the same work, which calls `note` if a result may differ the next time: a text was too costly, which a busy
 * machine may cause, or headings were read, which are missing for such texts.
 */
export function noteUnsettled(work: TextWork, note: () => void): TextWork {
  const noting = (name: string, task: (...args: never[]) => unknown) => {
    return async (...args: never[]) => {
      if (name === 'headings' || name === 'heading') note()
      try {
        return await task(...args)
      } catch (error) {
        if (error instanceof TextTooCostly) note()
        throw error
      }
    }
  }
  return Object.fromEntries(Object.entries(work).map(([name, task]) => [name, noting(name, task)])) as typeof work
}

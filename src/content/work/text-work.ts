// What the threads can do with texts, as those see it who ask them.
import type { CommentTarget } from '../blocks/comment-targets.js'
import type { ReferenceReplacement } from '../edit/rewrite-references.js'
import type { SummaryChange } from '../edit/summary-change.js'
import type { Reference } from '../reference.js'
import type { DocumentNode, Outcome, PageSource, Summary, TreeReader } from '../types.js'
import type { TomlResult } from '../toml.js'
import type { Again, Corrections, PageNeeds, PageVersions, WovenPage } from '../translation/weave.js'
import type { YamlResult } from '../yaml.js'

/** An edit of a markdown file. What is not given stays. */
export interface FileEdit {
  /** The new body. */
  document?: { markdown: string } | { document: DocumentNode }
  /** Changes the first heading, if its text is `before`. */
  title?: { before: string; after: string }
  /** Keys of the front matter to set (null removes one), except those in the front matter of the given markdown. */
  members?: Readonly<Record<string, unknown>>
  /** The same, including those in the given markdown. */
  set?: Readonly<Record<string, unknown>>
}

/** The edited file, or why it cannot be edited, in words for the client; `member` is the member of the change that is the reason. */
export type FileOutcome = { done: Uint8Array } | { refused: string; tooLarge?: true; member?: string }

/** For each version of a table of contents: the IDs of what its entries' targets name, by target. */
export type SummaryNames = Readonly<Record<'base' | 'ours' | 'theirs', Readonly<Record<string, string>>>>

/** The front matter of a markdown file that is too large to be held as a string. */
export interface LargePage extends Omit<PageSource, 'markdown' | 'bodyStart'> {
  /** Why its body is not parsed, as a sentence. */
  limit: string
}

/**
 * The tasks that parse, print or merge texts, which may be long and hostile. Each is a pure function of texts, files and small JSON
 * values, and returns JSON or a file. Callers use a `TextWork`, which runs costly tasks in threads.
 */
export interface TextTasks {
  /** A page's front matter and where its body begins. */
  page(text: string, file: string): Omit<PageSource, 'markdown'>
  yaml(text: string): YamlResult
  toml(text: string): TomlResult
  summary(text: string): Summary
  references(markdown: string): readonly Reference[]
  codeSpans(markdown: string): readonly (readonly [number, number])[]
  commentTargets(markdown: string): readonly CommentTarget[]
  /** Why a page's markdown is beyond a limit, as a sentence; null if it is not. */
  limit(markdown: string): string | null
  /** Prints a block tree as markdown; `present` is the markdown that it was parsed from. */
  print(document: DocumentNode, present?: string): Outcome<string>
  /** Sets keys of a text's front matter (null removes one), except those in the front matter of `given`. */
  setMembers(text: string, members: Readonly<Record<string, unknown>>, given?: string): Outcome<string>
  /** The title of a page that no table of contents lists; null if it has none. */
  heading(text: string): string | null
  editFile(file: Uint8Array, edit: FileEdit): FileOutcome
  /** Replaces targets in a file's body, which begins at `bodyStart`. */
  retarget(file: Uint8Array, bodyStart: number, targets: readonly ReferenceReplacement[]): FileOutcome
  /** Whether the text may link to one of the files that `tokens` were made from (`content/mentions.ts`). */
  mentions(text: string, tokens: readonly string[]): boolean
  /** `next` with the line ends of `old`. */
  keepLineEnds(old: string, next: string): string
  largePage(file: Uint8Array, path: string): LargePage
  /** Makes one change to a table of contents. */
  changeSummary(text: string, change: SummaryChange): Outcome<string>
  /** Sets keys of YAML whose top level is a map, or of a map in it (`within` names it from the top); null removes one. */
  setYaml(text: string, changes: Readonly<Record<string, unknown>>, within?: readonly string[]): Outcome<string>
  /** Merges three versions of a table of contents. */
  mergeSummary(base: string, ours: string, theirs: string, names: SummaryNames): { text: string } | { conflict: string }
  mergePage(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
  mergeYaml(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
  /** What has to be translated before a page of a translation can be woven. */
  pageNeeds(versions: PageVersions, corrections: Corrections, again: Again): PageNeeds
  /** Brings a page of a translation to its source. */
  weavePage(
    versions: PageVersions,
    corrections: Corrections,
    again: Again,
    answers: Readonly<Record<string, string>>,
  ): WovenPage
}

/** Runs the tasks, in threads if they are costly. Throws `TextTooCostly` if one takes more time or memory, or has a larger result, than allowed. */
export type TextWork = {
  readonly [K in keyof TextTasks]: (...args: Parameters<TextTasks[K]>) => Promise<ReturnType<TextTasks[K]>>
} & {
  /** Lets the event loop run, between slices of work on the main thread. */
  pause(): Promise<void>
  /** The title of each blob (`heading`), by object ID, from the outlines of pages that are known; '' if it has none. A blob may be left out. */
  headings(files: Pick<TreeReader, 'read'>, oids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Runs work that keeps a file in memory that is too large to be a string. Only a few run at the same time. */
  large<T>(work: () => Promise<T>): Promise<T>
}

/** A text takes more time or memory than allowed. The message is a sentence that says why, with "It" for the text. */
export class TextTooCostly extends Error {
  override name = 'TextTooCostly'
}

/** The result of a task, or `instead` if the text is too costly. */
export async function unlessTooCostly<T>(task: Promise<T>, instead: T): Promise<T> {
  try {
    return await task
  } catch (error) {
    if (error instanceof TextTooCostly) return instead
    throw error
  }
}

import type { Place } from '../blocks/places.js'
import type { ReferenceReplacement } from '../edit/links.js'
import type { SummaryChange } from '../edit/summary-change.js'
import type { Reference } from '../reference.js'
import type { DocumentNode, Outcome, PageSource, Summary } from '../types.js'
import type { YamlResult } from '../yaml.js'

/** What an edit of a markdown file sets; what is not given stays. */
export interface FileEdit {
  /** In place of the body. */
  document?: { markdown: string } | { document: DocumentNode }
  /** For the first heading, where it says the title until now. */
  title?: { before: string; after: string }
  /** Keys of the front matter (null removes one), but for those that the given markdown says itself. */
  members?: Readonly<Record<string, unknown>>
  /** The same, whatever the markdown says. */
  set?: Readonly<Record<string, unknown>>
}

/** A file edited, or why it cannot be, in words for the client; `member`: of the change that is to blame. */
export type FileOutcome = { done: Uint8Array } | { refused: string; tooLarge?: true; member?: string }

/** What the targets of three versions of a table of contents name, where it has an ID. */
export type SummaryNames = Readonly<Record<'base' | 'ours' | 'theirs', Readonly<Record<string, string>>>>

/** A markdown file that is too large to be held as a text: what is known of it. */
export interface LargePage extends Omit<PageSource, 'markdown' | 'bodyStart'> {
  /** Why it is not taken apart, as a sentence. */
  limit: string
}

/**
 * What takes texts apart that anybody may have written, and time with them. Each is a pure function of its arguments, which
 * are texts, files or small JSON; each answers JSON, or a file. Who calls them asks a `TextWork`, which does it out of everybody's way.
 */
export interface TextTasks {
  /** A page's front matter and where its body begins. */
  page(text: string, file: string): Omit<PageSource, 'markdown'>
  yaml(text: string): YamlResult
  summary(text: string): Summary
  references(markdown: string): readonly Reference[]
  codeSpans(markdown: string): readonly (readonly [number, number])[]
  places(markdown: string): readonly Place[]
  /** The limit that a page's markdown is beyond; null where it is beyond none. */
  limit(markdown: string): string | null
  /** A block tree as markdown; `present` = what it was read from. */
  print(document: DocumentNode, present?: string): Outcome<string>
  /** The text with keys of its front matter set (null removes one), but for those that the markdown `given` says itself. */
  setMembers(text: string, members: Readonly<Record<string, unknown>>, given?: string): Outcome<string>
  /** Title of the first top heading; null where there is none. */
  heading(text: string): string | null
  editFile(file: Uint8Array, edit: FileEdit): FileOutcome
  /** The file with other targets in its body, which begins at `bodyStart`. */
  retarget(file: Uint8Array, bodyStart: number, targets: readonly ReferenceReplacement[]): FileOutcome
  /** Whether the text can hold a link to one of the files that `tokens` (of `content/mentions.ts`) are of. */
  mentions(text: string, tokens: readonly string[]): boolean
  /** `next` with the line ends of `old`. */
  keepLineEnds(old: string, next: string): string
  largePage(file: Uint8Array, path: string): LargePage
  /** A table of contents with one change made. */
  changeSummary(text: string, change: SummaryChange): Outcome<string>
  /** YAML whose top is a mapping, with keys set; null removes one. */
  setYaml(text: string, changes: Readonly<Record<string, unknown>>): Outcome<string>
  /** Three versions of a table of contents; `names`: the IDs of what their entries name, by target. */
  mergeSummary(base: string, ours: string, theirs: string, names: SummaryNames): { text: string } | { conflict: string }
  mergePage(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
  mergeYaml(base: string, ours: string, theirs: string): { text: string } | { conflict: string }
}

/** The tasks, asked for. Throws `TextTooCostly` where one takes more time, memory or room than it may. */
export type TextWork = { readonly [K in keyof TextTasks]: (...args: Parameters<TextTasks[K]>) => Promise<ReturnType<TextTasks[K]>> } & {
  /** Lets others have their turn: between slices of what is done here and now. */
  pause(): Promise<void>
  /** Does, when its turn comes, what holds a file in memory that is too large to be a text: few at a time. */
  large<T>(work: () => Promise<T>): Promise<T>
}

/** A text that takes more time, memory or room than it may; the message is a sentence that says which, without the text's name. */
export class TextTooCostly extends Error {
  override name = 'TextTooCostly'
}

/** What `asked` answers; `instead` where the text is too costly. */
export async function unlessTooCostly<T>(asked: Promise<T>, instead: T): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TextTooCostly) return instead
    throw error
  }
}

/** Changes the text and the front matter of a page's file. */
import type { ChangeOf, PageMembers } from '../../../model/content-changes.js'
import { checkCondition } from '../../conditions/check.js'
import { ConditionError } from '../../conditions/error.js'
import { MAX_PAGE_BYTES, MAY_BE_HEAVY, pageLimit } from '../../blocks/weight.js'
import type { Outcome } from '../../types.js'
import { MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../text.js'
import { type FileEdit, TextTooCostly } from '../../work/text-work.js'
import { ChangeError } from '../change-error.js'
import { editFile as editAtOnce } from '../edit-file.js'
import type { Batch } from '../batch.js'
import { keysOf } from '../../../kernel/defined.js'

type BatchThreads = Pick<Batch, 'work'>
type GivenDocument = NonNullable<ChangeOf<'update_page'>['document']>
/**
 * Returns the result of an outcome. If the edit was rejected, throws a `ChangeError` whose message starts with `what`.
 */
export function done(outcome: Outcome<string>, what: string, member?: string): string {
  if ('done' in outcome) return outcome.done
  throw new ChangeError(
    `${what}: ${outcome.refused}${outcome.refused.endsWith('.') ? '' : '.'}`,
    member,
    outcome.tooLarge === true,
  )
}

/** Waits for work on client input. Throws `ChangeError` (413) if it is too costly. */
export async function bounded<T>(work: Promise<T>, what: string, member?: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TextTooCostly) throw new ChangeError(`${what} is too large. ${error.message}`, member, true)
    throw error
  }
}

/**
 * Returns the markdown of a change's `document`. If the block tree was parsed from `present`, the current body,
 * unchanged parts keep their bytes.
 */
export async function markdownOf({ work }: BatchThreads, document: GivenDocument, present?: string): Promise<string> {
  if ('markdown' in document) {
    const { markdown } = document
    const limit =
      markdown.length < MAY_BE_HEAVY
        ? null
        : await bounded(limitOf(work, markdown), 'The markdown', 'document/markdown')
    if (limit !== null) throw new ChangeError(`The markdown is too large. ${limit}`, 'document/markdown', true)
    return markdown
  }
  const printed = await bounded(work.print(document.document, present), 'The block tree', 'document')
  return done(printed, 'The block tree cannot be written', 'document')
}

/** Returns the limit that a text exceeds. A text that is always too long is rejected without a thread. */
const limitOf = async (work: BatchThreads['work'], markdown: string): Promise<string | null> =>
  markdown.length > MAX_PAGE_BYTES ? pageLimit(markdown) : work.limit(markdown)

/** Returns the `document` of a change for a file edit. Throws `ChangeError` (413) if the markdown exceeds a limit. */
export async function documentOf(
  batch: BatchThreads,
  document: GivenDocument,
): Promise<NonNullable<FileEdit['document']>> {
  if ('markdown' in document) return { markdown: await markdownOf(batch, document) }
  return { document: document.document }
}

/**
 * Maximum size, with the new text, of files that are edited on the main thread. Applies if markdown replaces only their
 * text.
 */
const MAX_MAIN_THREAD_BYTES = 16 * 1024

/**
 * Edits a markdown file, or creates it if it does not exist. Throws `ChangeError`, with 413 if the file is too large to
 * be edited.
 */
export async function editFile(batch: Batch, path: string, edit: FileEdit): Promise<void> {
  const { document, title, members, set } = edit
  if (!document && !title && !members && !set) return
  const file = await batch.workspace.bytes(path, MAX_TEXT_BYTES)
  if (file === 'too-large') await batch.work.large(() => editLarge(batch, path, edit))
  else await editBytes(batch, path, file ?? new Uint8Array(), edit)
  if (document) batch.written.add(path)
}

async function editLarge(batch: Batch, path: string, edit: FileEdit): Promise<void> {
  const { document, members, set } = edit
  const file = await batch.workspace.bytes(path, MAX_EDITED_BYTES)
  if (file instanceof Uint8Array) return editBytes(batch, path, file, edit)
  // Only the title changes. It is also in the table of contents, so the page can still be renamed.
  if (!document && !members && !set) return
  throw new ChangeError(
    `${path} has more than ${MAX_EDITED_BYTES} bytes, so its text cannot be changed here. Split it with Git first.`,
    oversizedMember(edit),
    true,
  )
}

async function editBytes({ work, workspace }: Batch, path: string, file: Uint8Array, edit: FileEdit): Promise<void> {
  const { document, title, members, set } = edit
  const isPlain =
    document &&
    'markdown' in document &&
    !title &&
    !members &&
    !set &&
    file.length + document.markdown.length <= MAX_MAIN_THREAD_BYTES
  const outcome = isPlain
    ? editAtOnce(file, edit)
    : await bounded(work.editFile(file, edit), path, oversizedMember(edit))
  if ('refused' in outcome) throw new ChangeError(sentence(outcome.refused), outcome.member, outcome.tooLarge === true)
  await workspace.setBytes(path, outcome.done)
}

/** Returns the member of a change that is named when a file is too large. */
const oversizedMember = ({ document }: FileEdit): string => (document ? 'document' : 'page')
const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`)

const keys: Partial<Record<keyof PageMembers, string>> = {
  emoji: 'emoji',
  icon: 'icon',
  description: 'description',
  hidden: 'hidden',
  noIndex: 'noIndex',
  noRobotsIndex: 'noRobotsIndex',
  condition: 'if',
}

/** Rejects an invalid condition, with its line and column and how to fix it. */
function checkMembers({ condition }: PageMembers): void {
  if (typeof condition !== 'string') return
  try {
    checkCondition(condition)
  } catch (error) {
    if (error instanceof ConditionError)
      throw new ChangeError(`The condition is not valid: ${error.message}`, 'condition')
    throw error
  }
}

/**
 * Returns the given members as keys of the front matter (`null` removes one); undefined if there are none. Throws
 * `ChangeError`.
 */
export function membersOf(members: PageMembers): Readonly<Record<string, unknown>> | undefined {
  checkMembers(members)
  const changes = keysOf(keys).flatMap((member) => {
    const key = keys[member]
    const value = members[member]
    return value === undefined ? [] : [[key, value] as const]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/**
 * Writes the given members into the front matter of a new page. Keys in the markdown's front matter take precedence.
 */
export async function withMembers({ work }: BatchThreads, text: string, members: PageMembers): Promise<string> {
  const changes = membersOf(members)
  if (!changes) return text
  const edited = await bounded(work.setMembers(text, changes, text), 'The front matter', 'page')
  return done(edited, "The page's front matter cannot be edited")
}

import type { ChangeOf, PageMembers } from '../../../model/content-changes.js'
import { checkCondition } from '../../conditions/check.js'
import { ConditionError } from '../../conditions/error.js'
import { MAX_PAGE_BYTES, pageLimit } from '../../blocks/weight.js'
import type { DocumentNode, Outcome } from '../../types.js'
import { MAX_EDITED_BYTES, MAX_TEXT_BYTES } from '../../text.js'
import { type FileEdit, TextTooCostly } from '../../work/text-work.js'
import { ChangeError } from '../change-error.js'
import { editFile as editAtOnce } from '../edit-file.js'
import type { Batch } from '../plan.js'

type Work = Pick<Batch, 'work'>
type GivenDocument = NonNullable<ChangeOf<'update_page'>['document']>
/** Shorter markdown is looked at when it is read. */
const MAY_BE_HEAVY = 8 * 1024

/** What was done; what was refused is told of `member`. `what` begins the sentence. */
export function done(outcome: Outcome<string>, what: string, member?: string): string {
  if ('done' in outcome) return outcome.done
  throw new ChangeError(`${what}: ${outcome.refused}${outcome.refused.endsWith('.') ? '' : '.'}`, member, outcome.tooLarge === true)
}

/** Asks for work on something that the client handed in: what is too costly is beyond a limit. */
export async function bounded<T>(work: Promise<T>, what: string, member?: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TextTooCostly) throw new ChangeError(`${what} is too large. ${error.message}`, member, true)
    throw error
  }
}

/** The markdown of a change's `document`. A block tree that was read from `present`, the body there is now, keeps the bytes of what it does not change. */
export async function markdownOf({ work }: Work, document: GivenDocument, present?: string): Promise<string> {
  if ('markdown' in document) {
    const { markdown } = document
    const limit = markdown.length < MAY_BE_HEAVY ? null : await bounded(limitOf(work, markdown), 'The markdown', 'document/markdown')
    if (limit !== null) throw new ChangeError(`The markdown is too large. ${limit}`, 'document/markdown', true)
    return markdown
  }
  const printed = await bounded(work.print(document.document as unknown as DocumentNode, present), 'The block tree', 'document')
  return done(printed, 'The block tree cannot be written', 'document')
}

/** Of a text that is too long in any case, nobody has to look at more than its length. */
const limitOf = async (work: Work['work'], markdown: string): Promise<string | null> =>
  markdown.length > MAX_PAGE_BYTES ? pageLimit(markdown) : work.limit(markdown)

/** The `document` of a change as an edit of a file takes it. Throws `ChangeError` (413) where the markdown is beyond a limit. */
export async function documentOf(batch: Work, document: GivenDocument): Promise<NonNullable<FileEdit['document']>> {
  if ('markdown' in document) return { markdown: await markdownOf(batch, document) }
  return { document: document.document as unknown as DocumentNode }
}

/** Files of so many bytes are edited at once, where markdown takes the place of their text and nothing has to be looked for in it. */
const AT_ONCE = 16 * 1024

/** Makes an edit of a markdown file; a file that is not there is an empty one. Throws `ChangeError`: 413 where the file is too large to be edited. */
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
  // A title stands in the table of contents too: such a page goes on being listed, renamed and moved.
  if (!document && !members && !set) return
  throw new ChangeError(`${path} has more than ${MAX_EDITED_BYTES} bytes, so its text cannot be changed here. Divide it with Git first.`, blameOf(edit), true)
}

async function editBytes({ work, workspace }: Batch, path: string, file: Uint8Array, edit: FileEdit): Promise<void> {
  const { document, title, members, set } = edit
  const isPlain = document && 'markdown' in document && !title && !members && !set && file.length + document.markdown.length <= AT_ONCE
  const outcome = isPlain ? editAtOnce(file, edit) : await bounded(work.editFile(file, edit), path, blameOf(edit))
  if ('refused' in outcome) throw new ChangeError(sentence(outcome.refused), outcome.member, outcome.tooLarge === true)
  await workspace.setBytes(path, outcome.done)
}

/** The member of a change that is to blame for a file being too large. */
const blameOf = ({ document }: FileEdit): string => (document ? 'document' : 'page')
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

/** Refuses a condition that no visitor could be held against, with line, column and what to do. */
function checkMembers({ condition }: PageMembers): void {
  if (typeof condition !== 'string') return
  try {
    checkCondition(condition)
  } catch (error) {
    if (error instanceof ConditionError) throw new ChangeError(`The condition cannot be read: ${error.message}`, 'condition')
    throw error
  }
}

/** The members that are given, as keys of the front matter; `null` removes one. Undefined where none is. Throws `ChangeError`. */
export function membersOf(members: PageMembers): Readonly<Record<string, unknown>> | undefined {
  checkMembers(members)
  const changes = Object.entries(keys).flatMap(([member, key]) => {
    const value = members[member as keyof PageMembers]
    return value === undefined ? [] : [[key, value] as const]
  })
  return changes.length === 0 ? undefined : Object.fromEntries(changes)
}

/** Writes the members that are given into the front matter of a new page. What the given markdown itself says wins. */
export async function withMembers({ work }: Work, text: string, members: PageMembers): Promise<string> {
  const changes = membersOf(members)
  if (!changes) return text
  const edited = await bounded(work.setMembers(text, changes, text), 'The front matter', 'page')
  return done(edited, "The page's front matter cannot be edited")
}

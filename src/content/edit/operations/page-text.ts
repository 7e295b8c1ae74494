import type { ChangeOf, PageMembers } from '../../../model/content-changes.js'
import { checkCondition } from '../../conditions/check.js'
import { ConditionError } from '../../conditions/error.js'
import { findFrontMatter } from '../../front-matter.js'
import type { DocumentNode } from '../../types.js'
import { type Outcome, TextTooCostly } from '../../work/text-work.js'
import { replaceBody } from '../front-matter.js'
import { type Batch, ChangeError } from '../plan.js'

type Work = Pick<Batch, 'work'>
type GivenDocument = NonNullable<ChangeOf<'update_page'>['document']>
/** Characters of a page that was shown at all, and so can be edited as a block tree. */
const MAX_TEXT = 10 * 1024 * 1024
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
    const limit = markdown.length < MAY_BE_HEAVY ? null : await bounded(work.limit(markdown), 'The markdown', 'document/markdown')
    if (limit !== null) throw new ChangeError(`The markdown is too large. ${limit}`, 'document/markdown', true)
    return markdown
  }
  const printed = await bounded(work.print(document.document as unknown as DocumentNode, present), 'The block tree', 'document')
  return done(printed, 'The block tree cannot be written', 'document')
}

/** The text of a file with the `document` of a change in place of its body. What markdown says in front matter of its own replaces the file's. */
export async function withDocument(batch: Work, text: string, document: GivenDocument): Promise<string> {
  if ('markdown' in document) return replaceBody(text, await markdownOf(batch, document))
  if (text.length > MAX_TEXT) throw new ChangeError(`The page has more than ${MAX_TEXT} characters: only markdown can replace its text.`, 'document', true)
  const bodyStart = findFrontMatter(text)?.bodyStart ?? 0
  const page = bodyStart === 0 ? null : await bounded(batch.work.page(text.slice(0, bodyStart), ''), 'The front matter of the page', 'page')
  const at = page?.bodyStart ?? 0
  const eol = at > 0 && !/[\r\n]$/.test(text.slice(at - 1, at)) ? '\n' : ''
  return text.slice(0, at) + eol + (await markdownOf(batch, document, text.slice(at)))
}

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

/** Writes the members that are given into the front matter; `null` removes one. What the given markdown itself says wins. */
export async function withMembers({ work }: Work, text: string, members: PageMembers, given?: string): Promise<string> {
  checkMembers(members)
  const changes = Object.entries(keys).flatMap(([member, key]) => {
    const value = members[member as keyof PageMembers]
    return value === undefined ? [] : [[key, value] as const]
  })
  if (changes.length === 0) return text
  const edited = await bounded(work.setMembers(text, Object.fromEntries(changes), given), 'The front matter', 'page')
  return done(edited, "The page's front matter cannot be edited")
}

/**
 * Reads a text that users write, in markdown or as a block tree: the body of a comment or reply, or the description of
 * a change request.
 */
import { isQuick } from '../../content/blocks/limits.js'
import { pageLimit, SMALL_WEIGHT } from '../../content/blocks/weight.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { badRequest, ServiceError } from '../../kernel/errors.js'
import { type CommentBodyInput, MAX_COMMENT_LENGTH } from '../../model/index.js'
import type { App } from '../context/app.js'

/** JSON pointer to a text in the request. Its last part names the text in errors. */
type Member = string
const nounOf = (member: Member): string => (member.includes('/description') ? 'description' : 'body')
const invalid = (path: Member, message: string): ServiceError =>
  badRequest(`The ${nounOf(path)} ${message}.`, [{ path, message }])
const tooLarge = (path: Member, message: string): ServiceError =>
  new ServiceError('too-large', `The ${nounOf(path)} ${message}`, { details: [{ path, message }] })
const TOO_LONG = `must have at most ${MAX_COMMENT_LENGTH} characters`

/** Returns the number of characters of the texts and options in a block tree. Names of node types do not count. */
function textLength(value: unknown, name = ''): number {
  if (typeof value === 'string') return name === 'object' || name === 'type' || name === 'key' ? 0 : value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [member, one]) => sum + textLength(one, Array.isArray(value) ? name : member),
    0,
  )
}

/** Prints a block tree as markdown that parses to the same tree. Throws 400, 413. */
async function printed(app: App, space: string, document: object, path: string): Promise<string> {
  // Checked first, since printing costs more than counting.
  if (textLength(document) > MAX_COMMENT_LENGTH) throw invalid(path, TOO_LONG)
  try {
    const outcome = await app.texts.for(space).print(document)
    if ('done' in outcome) return outcome.done
    throw (outcome.tooLarge ? tooLarge : invalid)(path, `cannot be written as markdown: ${outcome.refused}`)
  } catch (error) {
    if (error instanceof TextTooCostly) throw tooLarge(path, `is too large. ${error.message}`)
    throw error
  }
}

/**
 * Returns the markdown to store. Throws 400 if the text is blank, too long, or not a valid block tree, and 413 if it would take too long
 * to parse when comments or change requests are listed.
 * @param space ID of the space on whose behalf the threads parse
 * @param at JSON pointer to the text in the request, for errors
 */
export async function readWrittenText(app: App, space: string, body: CommentBodyInput, at = '/body'): Promise<string> {
  const member = `${at}/${'markdown' in body ? 'markdown' : 'document'}`
  const markdown = 'markdown' in body ? body.markdown : await printed(app, space, body.document, member)
  if (markdown.trim() === '') throw invalid(member, 'must not be blank')
  if (markdown.length > MAX_COMMENT_LENGTH) throw invalid(member, TOO_LONG)
  if (!isQuick(markdown))
    throw tooLarge(
      member,
      'has too many markers of emphasis, links or lists in one paragraph, or too many quotes or underlined headings. Shorten it.',
    )
  const limit = pageLimit(markdown, SMALL_WEIGHT)
  if (limit !== null) throw tooLarge(member, `is too large. ${limit}`)
  return markdown
}

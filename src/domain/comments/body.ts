import { DocumentError } from '../../content/blocks/document-error.js'
import { isQuick } from '../../content/blocks/limits.js'
import { printDocument } from '../../content/blocks/print.js'
import type { DocumentNode } from '../../content/types.js'
import { badRequest, type ServiceError } from '../../kernel/errors.js'
import { type CommentBodyInput, MAX_COMMENT_LENGTH } from '../../model/index.js'

const invalid = (path: string, message: string): ServiceError => badRequest(`The body ${message}.`, [{ path, message }])
const TOO_LONG = `must have at most ${MAX_COMMENT_LENGTH} characters`

/** Characters of the texts and options in a block tree; names of types count for nothing. */
function textLength(value: unknown, name = ''): number {
  if (typeof value === 'string') return name === 'object' || name === 'type' || name === 'key' ? 0 : value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [member, one]) => sum + textLength(one, Array.isArray(value) ? name : member), 0)
}

/** A block tree as markdown that reads back the same. Throws 400. */
function printed(document: object, path: string): string {
  // Looked at first: printing costs more than counting.
  if (textLength(document) > MAX_COMMENT_LENGTH) throw invalid(path, TOO_LONG)
  try {
    return printDocument(document as DocumentNode)
  } catch (error) {
    if (error instanceof DocumentError) throw invalid(path, `cannot be written: ${error.message}`)
    throw error
  }
}

/**
 * The markdown that is stored of a comment or reply. Throws 400 where it is blank, too long, or a block tree that is none.
 * @param at where it stands in the request, for the error
 */
export function readBody(body: CommentBodyInput, at = '/body'): string {
  const member = `${at}/${'markdown' in body ? 'markdown' : 'document'}`
  const markdown = 'markdown' in body ? body.markdown : printed(body.document, member)
  if (markdown.trim() === '') throw invalid(member, 'must not be blank')
  if (markdown.length > MAX_COMMENT_LENGTH) throw invalid(member, TOO_LONG)
  if (!isQuick(markdown))
    throw invalid(member, 'has too many markers of emphasis, links or lists in one paragraph, or too many quotes or underlined headings: divide it')
  return markdown
}

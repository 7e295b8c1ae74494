import type { ChangeOf, PageMembers } from '../../../model/content-changes.js'
import { DocumentError } from '../../blocks/document-error.js'
import { printDocument } from '../../blocks/print.js'
import { checkCondition } from '../../conditions/check.js'
import { ConditionError } from '../../conditions/error.js'
import { readPage } from '../../front-matter.js'
import type { DocumentNode } from '../../types.js'
import { findFrontMatter, replaceBody, setFrontMatter } from '../front-matter.js'
import { readYamlMap, YamlEditError } from '../yaml.js'
import { ChangeError } from '../plan.js'

/** The markdown of a change's `document`. A block tree that was read from `present`, the body there is now, keeps the bytes of what it does not change. */
export function markdownOf(document: NonNullable<ChangeOf<'update_page'>['document']>, present?: string): string {
  if ('markdown' in document) return document.markdown
  try {
    return printDocument(document.document as unknown as DocumentNode, present)
  } catch (error) {
    if (error instanceof DocumentError) throw new ChangeError(`The block tree cannot be written: ${error.message}.`, 'document')
    throw error
  }
}

/** The text of a file with the `document` of a change in place of its body. What markdown says in front matter of its own replaces the file's. */
export function withDocument(text: string, document: NonNullable<ChangeOf<'update_page'>['document']>): string {
  if ('markdown' in document) return replaceBody(text, document.markdown)
  const { markdown, bodyStart } = readPage(text, '')
  const eol = bodyStart > 0 && !/[\r\n]$/.test(text.slice(0, bodyStart)) ? '\n' : ''
  return text.slice(0, bodyStart) + eol + markdownOf(document, markdown)
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
export function withMembers(text: string, members: PageMembers, given?: string): string {
  checkMembers(members)
  const said = given === undefined ? new Set<string>() : keysOf(given)
  const changes = Object.entries(keys).flatMap(([member, key]) => {
    const value = members[member as keyof PageMembers]
    return value === undefined || said.has(key) ? [] : [[key, value ?? undefined] as const]
  })
  if (changes.length === 0) return text
  try {
    return setFrontMatter(text, Object.fromEntries(changes))
  } catch (error) {
    if (error instanceof YamlEditError) throw new ChangeError(`The page's front matter cannot be edited: ${error.message}`)
    throw error
  }
}

function keysOf(markdown: string): Set<string> {
  const block = findFrontMatter(markdown)
  if (!block) return new Set()
  try {
    return new Set(Object.keys(readYamlMap(markdown.slice(block.yamlStart, block.yamlEnd))))
  } catch {
    return new Set()
  }
}

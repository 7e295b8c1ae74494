import type { ChangeOf, PageMembers } from '../../../model/content-changes.js'
import { findFrontMatter, setFrontMatter } from '../front-matter.js'
import { readYamlMap, YamlEditError } from '../yaml.js'
import { ChangeError } from '../plan.js'

/** The markdown of a change's `document`. */
export function markdownOf(document: NonNullable<ChangeOf<'update_page'>['document']>): string {
  if ('markdown' in document) return document.markdown
  throw new ChangeError('A page is written as {"markdown": …}: block trees are read here, not yet written.', 'document')
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

/** Writes the members that are given into the front matter; `null` removes one. What the given markdown itself says wins. */
export function withMembers(text: string, members: PageMembers, given?: string): string {
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

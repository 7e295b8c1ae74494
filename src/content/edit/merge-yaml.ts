import { findFrontMatterBlock } from './front-matter.js'
import { sameValue } from '../json.js'
import { YamlEditError, readYamlMap, setYamlKey } from './yaml.js'

export type Merged = { text: string } | { conflict: string }

type Members = Record<string, unknown>
interface Change {
  path: string[]
  value: unknown
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)
const member = (of: Members, key: string): unknown => (Object.hasOwn(of, key) ? of[key] : undefined)

/** What theirs changed against base, where ours did not; throws the path that both changed. */
function changesOf(base: Members, ours: Members, theirs: Members, at: string[]): Change[] {
  return [...new Set([...Object.keys(base), ...Object.keys(theirs)])].flatMap((key) => {
    const path = [...at, key]
    const [was, mine, other] = [member(base, key), member(ours, key), member(theirs, key)]
    if (sameValue(was, other) || sameValue(mine, other)) return []
    if (isMembers(mine) && isMembers(other) && (isMembers(was) || was === undefined)) return changesOf(was ?? {}, mine, other, path)
    if (!sameValue(was, mine)) throw new YamlEditError(`Both sides changed ${path.join('.')}.`)
    return [{ path, value: other }]
  })
}

/**
 * Merges mappings key by key: what theirs changed is written into ours' text, of which all else stays. Lists and scalars are whole;
 * a key that both changed differently, or a text that cannot be read, is a conflict. Comments that only theirs added are not carried over.
 */
export function mergeYaml(base: string, ours: string, theirs: string): Merged {
  if (theirs === base || ours === theirs) return { text: ours }
  if (ours === base) return { text: theirs }
  try {
    const changes = changesOf(readYamlMap(base), readYamlMap(ours), readYamlMap(theirs), [])
    return { text: changes.reduce((text, { path, value }) => setYamlKey(text, path, value), ours) }
  } catch (thrown) {
    if (thrown instanceof YamlEditError) return { conflict: thrown.message }
    throw thrown
  }
}

/** Merges the front matter of three versions of a page; the answer is ours' page with the merged block: its body is ours'. */
export function mergeFrontMatter(base: string, ours: string, theirs: string): Merged {
  const merged = mergeYaml(yamlOf(base), yamlOf(ours), yamlOf(theirs))
  if ('conflict' in merged) return merged
  const block = findFrontMatterBlock(ours)
  if (block) return { text: ours.slice(0, block.yamlStart) + merged.text + ours.slice(block.yamlEnd) }
  if (merged.text === '') return { text: ours }
  const lead = ours.startsWith('\ufeff') ? '\ufeff' : ''
  const eol = ours.includes('\r\n') ? '\r\n' : '\n'
  return { text: `${lead}---${eol}${merged.text.replace(/\r?\n/g, eol)}---${eol}${eol}${ours.slice(lead.length)}` }
}

function yamlOf(text: string): string {
  const block = findFrontMatterBlock(text)
  return block ? text.slice(block.yamlStart, block.yamlEnd) : ''
}

/** Merges three versions of YAML or front matter, key by key. */
import { findFrontMatterBlock } from './front-matter.js'
import { sameValue } from '../json.js'
import { YamlEditError, readYamlMap, setYamlKey } from './yaml.js'
import { isRecord } from '../../kernel/guards.js'

export type Merged = { text: string } | { conflict: string }

type Members = Record<string, unknown>
interface Change {
  path: string[]
  value: unknown
}

const member = (of: Members, key: string): unknown => (Object.hasOwn(of, key) ? of[key] : undefined)

/** Returns the changes from base to theirs. Throws a `YamlEditError` if ours changed the same key differently. */
function changesOf(base: Members, ours: Members, theirs: Members, at: string[]): Change[] {
  return [...new Set([...Object.keys(base), ...Object.keys(theirs)])].flatMap((key) => {
    const path = [...at, key]
    const [was, mine, other] = [member(base, key), member(ours, key), member(theirs, key)]
    if (sameValue(was, other) || sameValue(mine, other)) return []
    if (isRecord(mine) && isRecord(other) && (isRecord(was) || was === undefined))
      return changesOf(was ?? {}, mine, other, path)
    if (!sameValue(was, mine)) throw new YamlEditError(`Both sides changed ${path.join('.')} in different ways.`)
    return [{ path, value: other }]
  })
}

/**
 * Merges maps key by key: the changes in theirs are applied to the text of ours, and all other text is preserved. Lists
 * and scalars are not merged. It is a conflict if both sides changed a key differently, or if a text cannot be parsed.
 * Comments that exist only in theirs are lost.
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

/** Merges the front matter of three versions of a page. The result is our page with the merged front matter. */
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

/** Compares the shared content of two revisions: reusable content and variables. */
import type { ReusableContentEntry } from '../../../content/types.js'
import type { Comparison, FoundChange } from './comparison.js'
import { defined } from '../../../kernel/defined.js'

/** Returns the changed variables as one change. */
export function findVariableChanges({ before, after }: Comparison): FoundChange[] {
  const [old, now] = [before.structure.variables, after.structure.variables]
  if (old === now) return []
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((name) => own(old, name) !== own(now, name))
    .sort()
  if (names.length === 0) return []
  const variables = Object.fromEntries(
    names.map((name) => {
      const [was, is] = [own(old, name), own(now, name)]
      return [name, { ...defined({ before: was, after: is }) }]
    }),
  )
  return [{ describe: () => ({ type: 'variables_edited', variables }) }]
}

const own = (values: Record<string, string>, name: string): string | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

/** Lists the changed pieces of reusable content, matched by ID. */
export function findReusableContentChanges({ before, after, changed }: Comparison): FoundChange[] {
  if (before.structure === after.structure) return []
  const old = new Map(before.structure.reusableContents.map((place) => [place.id, place]))
  const content = ({ id, title }: ReusableContentEntry) => ({ id, title })
  const found: FoundChange[] = []
  for (const place of after.structure.reusableContents) {
    const was = old.get(place.id)
    old.delete(place.id)
    if (!was) found.push({ describe: () => ({ type: 'reusable_content_created', reusableContent: content(place) }) })
    else if (was.gitPath !== place.gitPath || changed.has(place.gitPath)) {
      found.push({ describe: () => ({ type: 'reusable_content_edited', reusableContent: content(place) }) })
    }
  }
  for (const place of old.values())
    found.push({ describe: () => ({ type: 'reusable_content_deleted', reusableContent: content(place) }) })
  return found
}

/** Reads `.gitbook/tags.yaml`, which names the tags that pages have in their front matter. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { isRecord } from './json.js'
import type { TextWork } from './work/text-work.js'
import { yamlOf } from './yaml-work.js'

const MAX_TAGS = 1000
const MAX_LABEL = 100
/** Most tags that a page shows. */
const MAX_TAGS_OF_PAGE = 100

/**
 * Reads the names of tags: a list of `{tag, label}`, or a map from tag to `{label}` or to the label. A tag without a label is its own
 * name. What is wrong gives a diagnostic, and is left out. `file` is the path that diagnostics name.
 */
export async function readTags(work: Pick<TextWork, 'yaml'>, text: string, file: string): Promise<{ tags: Record<string, string>; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const report = (message: string, { line, column } = { line: 1, column: 1 }): void =>
    void diagnostics.push({ code: 'invalid-yaml', message, file, line, column })
  const yaml = await yamlOf(work, text)
  if (!yaml.ok) {
    report(`${file} is not valid YAML (${yaml.message}), so it names no tags. Correct it there.`, yaml.position)
    return { tags: {}, diagnostics }
  }
  const listed = isRecord(yaml.value) && Array.isArray(yaml.value['tags']) ? yaml.value['tags'] : yaml.value
  const pairs: [unknown, unknown][] = Array.isArray(listed)
    ? listed.map((one) => (isRecord(one) ? [one['tag'], one['label'] ?? one['tag']] : [one, one]))
    : Object.entries(isRecord(listed) ? listed : {}).map(([tag, one]) => [tag, isRecord(one) ? (one['label'] ?? tag) : (one ?? tag)])
  if (listed !== null && listed !== undefined && !Array.isArray(listed) && !isRecord(listed))
    report(`${file} must be a list of tags, each with tag and label, so it names no tags.`)
  if (pairs.length > MAX_TAGS) report(`${file} has more than ${MAX_TAGS} tags: those after them are ignored.`)
  const found: [string, string][] = []
  for (const [n, [tag, label]] of pairs.slice(0, MAX_TAGS).entries()) {
    const [name, shown] = [scalar(tag), scalar(label)]
    if (name !== null && shown !== null && name.length <= MAX_LABEL && shown.length <= MAX_LABEL) found.push([name, shown])
    else report(`Tag ${n + 1} of ${file} must have a tag and a label of 1 to ${MAX_LABEL} characters, so it is ignored.`)
  }
  return { tags: Object.fromEntries(found), diagnostics }
}

/** A scalar as text; null for anything else and for an empty text. */
function scalar(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null
}

/** The tags of a page by the names that the space gives them, each once; a tag without a name is shown as written. At most 100. */
export function namedTags(written: readonly string[] | undefined, names: Readonly<Record<string, string>>): string[] {
  const shown = (written ?? []).slice(0, MAX_TAGS_OF_PAGE).map((tag) => (Object.hasOwn(names, tag) ? (names[tag] as string) : tag))
  return [...new Set(shown)]
}

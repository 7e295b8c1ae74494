/** Reads `.gitbook/tags.yaml`, which names the tags in the front matter of pages. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import type { NamedTag } from './types.js'
import type { TextWork } from './work/text-work.js'
import { yamlOf } from './yaml-work.js'
import { isRecord } from '../kernel/guards.js'

const MAX_TAGS = 1000
const MAX_LABEL = 100
/** Maximum number of tags that a page shows. */
const MAX_TAGS_OF_PAGE = 100

/** Display attributes that a tag may have in addition to its label. */
const DISPLAY_ATTRIBUTES = ['color', 'emoji', 'icon'] as const

/**
 * Reads the tags of a space: a list of `{tag, label, color, emoji, icon}`, or a map from tag to these members or to the
 * label. A tag without a label is its own label. Of equal tags, the last one counts. Invalid tags give a diagnostic and
 * are omitted. `file` is the path in diagnostics.
 */
export async function readTags(
  work: Pick<TextWork, 'yaml'>,
  text: string,
  file: string,
): Promise<{ tags: NamedTag[]; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const report = (message: string, { line, column } = { line: 1, column: 1 }): void =>
    void diagnostics.push({ code: 'invalid-yaml', message, file, line, column })
  const yaml = await yamlOf(work, text)
  if (!yaml.ok) {
    report(`${file} is not valid YAML (${yaml.message}), so it names no tags. Correct it there.`, yaml.position)
    return { tags: [], diagnostics }
  }
  const listed = isRecord(yaml.value) && Array.isArray(yaml.value['tags']) ? yaml.value['tags'] : yaml.value
  const written: Record<string, unknown>[] = Array.isArray(listed)
    ? listed.map((one) => (isRecord(one) ? { ...one, tag: one['tag'] ?? one['slug'] } : { tag: one }))
    : Object.entries(isRecord(listed) ? listed : {}).map(([tag, one]) =>
        isRecord(one) ? { ...one, tag } : { tag, label: one },
      )
  if (listed !== null && listed !== undefined && !Array.isArray(listed) && !isRecord(listed))
    report(`${file} must be a list of tags, each with tag and label, so it names no tags.`)
  if (written.length > MAX_TAGS)
    report(`${file} has more than ${MAX_TAGS} tags, so the rest is ignored. Remove some tags.`)
  const found = new Map<string, NamedTag>()
  for (const [n, one] of written.slice(0, MAX_TAGS).entries()) {
    const [slug, label] = [short(one['tag']), short(one['label'] ?? one['tag'])]
    const attributes = DISPLAY_ATTRIBUTES.flatMap((name) => {
      const look = short(one[name])
      return look === null ? [] : [[name, look]]
    })
    if (slug !== null && label !== null) found.set(slug, { slug, label, ...Object.fromEntries(attributes) })
    else
      report(`Tag ${n + 1} of ${file} must have a tag and a label of 1 to ${MAX_LABEL} characters, so it is ignored.`)
  }
  return { tags: [...found.values()], diagnostics }
}

/** Returns a scalar as text of 1 to 100 characters; null for other values. */
function short(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
  const trimmed = typeof text === 'string' ? text.trim() : ''
  return trimmed !== '' && trimmed.length <= MAX_LABEL ? trimmed : null
}

/** Returns the labels of a page's tags, each once and at most 100. A tag without a label is shown as written. */
export function namedTags(written: readonly string[] | undefined, named: readonly NamedTag[]): string[] {
  if (written === undefined || written.length === 0) return []
  const labels = new Map(named.map(({ slug, label }) => [slug, label]))
  const shown = written.slice(0, MAX_TAGS_OF_PAGE).map((tag) => labels.get(tag) ?? tag)
  return [...new Set(shown)]
}

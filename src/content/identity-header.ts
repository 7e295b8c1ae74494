/** Reads and writes the commit header `page-ids`, which stores the page IDs that differ from the default. */
import {
  compareEntries,
  defaultId,
  entryOfOverride,
  type IdOverrides,
  isDefaultId,
  isEntryKind,
  overrideKey,
} from './identity.js'

const VERSION = '1'
const LINE = /^([a-z-]+) ([0-9A-Za-z]{20}) (\S+)$/
const MAX_HEADER_LENGTH = 32 * 1024 * 1024

/** Characters that are not percent-encoded in a key. */
const PLAIN = /[A-Za-z0-9._~/-]/
const encodeKey = (key: string): string =>
  [...key]
    .map((c) =>
      PLAIN.test(c)
        ? c
        : Array.from(Buffer.from(c), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
    )
    .join('')

function decodeKey(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Writes overrides as the value of the commit header `page-ids`: the format version, then one line per entry, `<kind>
 * <id> <percent-encoded key>`, in a fixed order, without a trailing line feed.
 */
export function encodePageIds(overrides: IdOverrides): string {
  const entries = [...overrides].map(([text, id]) => ({ ...entryOfOverride(text), id })).sort(compareEntries)
  return [VERSION, ...entries.map(({ kind, id, key }) => `${kind} ${id} ${encodeKey(key)}`)].join('\n')
}

/**
 * Reads the header `page-ids`. Ignores malformed lines and lines that repeat a key or an ID. A header of another
 * version is read as empty. A line with an entry's default ID removes its override.
 */
export function decodePageIds(header: string): Map<string, string> {
  const overrides = new Map<string, string>()
  if (header.length > MAX_HEADER_LENGTH) return overrides
  const [version, ...lines] = header.split('\n')
  if (version?.trim() !== VERSION) return overrides
  const used = new Set<string>()
  for (const line of lines) {
    const [, kind, id, encoded] = LINE.exec(line.trim()) ?? []
    const key = encoded === undefined ? null : decodeKey(encoded)
    if (!kind || !id || key === null || !isEntryKind(kind)) continue
    const name = overrideKey(kind, key)
    const isDefault = id === defaultId(kind, key)
    if (overrides.has(name) || (!isDefault && used.has(id))) continue
    overrides.set(name, id)
    if (!isDefault) used.add(id)
  }
  return overrides
}

/**
 * Applies a header to the overrides that it is relative to. An ID that moved to another entry is removed from the
 * former one.
 */
export function composePageIds(base: IdOverrides, header: IdOverrides): Map<string, string> {
  // A line with a default ID takes nothing from others, because that ID may be an override of another entry.
  const taken = new Set([...header].filter(([name, id]) => !isDefaultId(name, id)).map(([, id]) => id))
  const composed = new Map([...base].filter(([name, id]) => header.has(name) || !taken.has(id)))
  for (const [name, id] of header) {
    if (isDefaultId(name, id)) composed.delete(name)
    else composed.set(name, id)
  }
  return composed
}

/** Returns the header that turns `base` into `overrides`. */
export function differenceOfPageIds(base: IdOverrides, overrides: IdOverrides): string {
  if (base === overrides) return encodePageIds(new Map())
  const changed = [...overrides].filter(([name, id]) => base.get(name) !== id)
  const taken = new Set(changed.map(([, id]) => id))
  const dropped = [...base].flatMap(([name, id]) => {
    const { kind, key } = entryOfOverride(name)
    return overrides.has(name) || taken.has(id) ? [] : [[name, defaultId(kind, key)] as const]
  })
  return encodePageIds(new Map([...changed, ...dropped]))
}

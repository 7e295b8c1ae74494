import { compareEntries, defaultId, entryOfOverride, type IdOverrides, isEntryKind, overrideKey } from './identity.js'

const VERSION = '1'
const LINE = /^([a-z-]+) ([0-9A-Za-z]{20}) (\S+)$/
const MAX_HEADER_LENGTH = 32 * 1024 * 1024

/** Bytes that stand for themselves in a key. */
const PLAIN = /[A-Za-z0-9._~/-]/
const encodeKey = (key: string): string =>
  [...key].map((c) => (PLAIN.test(c) ? c : Array.from(Buffer.from(c), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''))).join('')

function decodeKey(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/**
 * Overrides as the value of the commit header `page-ids`: the format's version, then a line per entry,
 * `<kind> <id> <percent-encoded key>`, in a fixed order. Never ends with a line feed.
 */
export function encodePageIds(overrides: IdOverrides): string {
  const entries = [...overrides].map(([text, id]) => ({ ...entryOfOverride(text), id })).sort(compareEntries)
  return [VERSION, ...entries.map(({ kind, id, key }) => `${kind} ${id} ${encodeKey(key)}`)].join('\n')
}

/** Reads the header `page-ids`. Lines that are none, repeat a key or an ID, or state the default are ignored; another version is an empty map. */
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
    if (overrides.has(name) || used.has(id) || id === defaultId(kind, key)) continue
    overrides.set(name, id)
    used.add(id)
  }
  return overrides
}

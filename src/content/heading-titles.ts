/** Finds the titles of pages that no table of contents lists. */
import { Slices } from '../kernel/slices.js'
import { MAX_TITLED_PAGES } from './known-files.js'
import { readBounded } from './read-file.js'
import { decodeText, MAX_TEXT_BYTES } from './text.js'
import type { TreeReader } from './types.js'
import { type TextWork, unlessTooCostly } from './work/text-work.js'

const OID = /^[0-9a-f]{40}$/

/**
 * Returns the title of each file (`title.ts`), by path. Omits files without a title and files larger than
 * `MAX_TEXT_BYTES`.
 */
export async function headingTitles(
  reader: TreeReader,
  paths: readonly string[],
  work: Pick<TextWork, 'heading' | 'headings'>,
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  if (paths.length > MAX_TITLED_PAGES) return titles
  const slices = new Slices()
  const blobs = new Map<string, string>()
  for (const path of paths) {
    const oid = (await reader.entry(path))?.oid
    if (oid !== undefined) blobs.set(path, oid)
    if (slices.due) await slices.rest()
  }
  const stored = await work.headings(
    reader,
    [...blobs.values()].filter((oid) => OID.test(oid)),
  )
  for (const [path, oid] of blobs) {
    const title = stored.get(oid) ?? (OID.test(oid) ? '' : await headingOf(reader, oid, work))
    if (title !== '') titles.set(path, title)
    if (slices.due) await slices.rest()
  }
  return titles
}

/** Returns the title of a file that is being edited and is not a blob yet; an empty string if it has none. */
async function headingOf(reader: TreeReader, oid: string, work: Pick<TextWork, 'heading'>): Promise<string> {
  const bytes = await readBounded(reader, oid, MAX_TEXT_BYTES)
  return bytes === null ? '' : ((await unlessTooCostly(work.heading(decodeText(bytes)), null)) ?? '')
}

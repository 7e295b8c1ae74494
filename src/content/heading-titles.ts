import { LRUCache } from 'lru-cache'
import { Slices } from '../kernel/slices.js'
import { readBounded } from './read-file.js'
import { decodeText, MAX_TEXT_BYTES } from './text.js'
import type { TreeReader } from './types.js'
import { type TextWork, unlessTooCostly } from './work/text-work.js'

/** If there are more pages than this, their titles come from the names of their files. */
const MAX_PAGES = 20_000

const OID = /^[0-9a-f]{40}$/
/** Cache of titles by blob, in bytes: every edit of a repository without a table of contents needs all of them. */
const KEPT_BYTES = 8 * 1024 * 1024
const known = new LRUCache<string, string>({ maxSize: KEPT_BYTES, maxEntrySize: 4_096, sizeCalculation: (title) => 2 * title.length + 250 })

/**
 * The first H1 of each file, by path; files without one are left out. Without a table of contents, a page's title is its H1.
 * Files larger than `MAX_TEXT_BYTES` are left out too.
 */
export async function headingTitles(reader: TreeReader, paths: readonly string[], work: Pick<TextWork, 'heading'>): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  if (paths.length > MAX_PAGES) return titles
  const slices = new Slices()
  for (const path of paths) {
    const oid = (await reader.entry(path))?.oid
    if (oid === undefined) continue
    const title = known.get(oid) ?? (await headingOf(reader, oid, work))
    if (OID.test(oid)) known.set(oid, title)
    if (title !== '') titles.set(path, title)
    if (slices.due) await slices.rest()
  }
  return titles
}

/** The first H1 of a blob; '' if there is none. */
async function headingOf(reader: TreeReader, oid: string, work: Pick<TextWork, 'heading'>): Promise<string> {
  const bytes = await readBounded(reader, oid, MAX_TEXT_BYTES)
  return bytes === null ? '' : ((await unlessTooCostly(work.heading(decodeText(bytes)), null)) ?? '')
}

// Finds renamed files with a long-lived `diff-tree`.
import { required } from '../../kernel/defined.js'
import { Slices, sortInSlices } from '../../kernel/slices.js'
import type { Reader } from '../process/conversation.js'
import type { Pool, Service } from '../process/pool.js'
import type { EntryMode, TreeChange, TreeEntry } from '../types.js'

/**
 * Maximum number of files on both sides for similarity detection. With more, only renames without a change are found.
 */
const RENAME_LIMIT = 1000
const DONE = 'that is all\n'
const service: Service = {
  name: 'diff-tree',
  args: ['diff-tree', '--stdin', '-r', '-z', '-M', `-l${RENAME_LIMIT}`, '--raw', '--no-abbrev'],
}
const COLON = 0x3a
const SPACE = 0x20
const RENAME = 0x52
const COPY = 0x43
const MODES = ['100644', '100755', '120000', '160000'] as const

/**
 * Reads the output until the end marker. `diff-tree` echoes a line that names no object; such a line marks the end of
 * the output. Several outputs may arrive at once, and a file may have that line as its name. So the output is read
 * field by field: a header line, then `:meta NUL path NUL` (two paths for a rename).
 */
const untilDone: Reader<string> = (bytes) => {
  const more = { need: bytes.length + 1 }
  const isDone = (at: number): boolean => bytes.toString('latin1', at, at + DONE.length) === DONE
  if (isDone(0)) return { used: DONE.length, answer: '' }
  // This runs for each chunk of a response that may have ten megabytes. Parse the fields only if the end may be there.
  if (bytes.indexOf(DONE) < 0) return more
  let at = bytes.indexOf(10) + 1
  if (at === 0) return more
  for (;;) {
    if (bytes[at] !== COLON)
      return isDone(at) ? { used: at + DONE.length, answer: bytes.toString('utf8', 0, at) } : more
    const meta = bytes.indexOf(0, at)
    if (meta < 0) return more
    let end = bytes.indexOf(0, meta + 1)
    if (end >= 0 && hasTwoPaths(bytes, meta)) end = bytes.indexOf(0, end + 1)
    if (end < 0) return more
    at = end + 1
  }
}

/** Whether the status that ends before `end` is a rename or copy: a letter and a percentage. */
function hasTwoPaths(bytes: Buffer, end: number): boolean {
  let at = end - 1
  while (at > 0 && bytes[at] !== SPACE) at--
  return bytes[at + 1] === RENAME || bytes[at + 1] === COPY
}

const modeOf = (text: string): EntryMode => MODES.find((mode) => mode === text) ?? '100644'
const entry = (mode: string, oid: string, path: string): TreeEntry => ({ path, mode: modeOf(mode), oid })

/** Returns the differences of two trees, with renames by similarity, sorted by path. */
export async function diffWithRenames(
  pool: Pool,
  repository: string,
  before: string,
  after: string,
): Promise<TreeChange[]> {
  if (before === after) return []
  const text = await pool.askAgain(repository, service, `${before} ${after}\n${DONE}`, untilDone)
  const fields = text.slice(text.indexOf('\n') + 1).split('\0')
  const changes: TreeChange[] = []
  const slices = new Slices()
  await slices.rest()
  for (let at = 0; at + 1 < fields.length; ) {
    if (slices.due) await slices.rest()
    const [oldMode = '', newMode = '', oldId = '', newId = '', status = ''] = required(fields[at++]).slice(1).split(' ')
    const path = required(fields[at++])
    if (status.startsWith('R')) {
      const to = required(fields[at++])
      changes.push({
        status: 'renamed',
        path: to,
        from: path,
        similarity: Number(status.slice(1)),
        before: entry(oldMode, oldId, path),
        after: entry(newMode, newId, to),
      })
    } else if (status === 'A') changes.push({ status: 'added', path, after: entry(newMode, newId, path) })
    else if (status === 'D') changes.push({ status: 'deleted', path, before: entry(oldMode, oldId, path) })
    else
      changes.push({
        status: 'modified',
        path,
        before: entry(oldMode, oldId, path),
        after: entry(newMode, newId, path),
      })
  }
  return sortInSlices(changes, (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

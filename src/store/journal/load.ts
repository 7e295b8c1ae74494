// Loads the groups of a journal at start.
import { StoreDamaged } from '../errors.js'
import { hasCode, listDir, removeFile } from '../file-system.js'
import type { GroupIndex } from './group.js'
import type { Journals } from './journals.js'
import { type JournalEntry, type Segment, segmentFile } from './segment.js'

/**
 * Loads a group at start. Its segments must exist with the right length (their content is checked when it is read).
 * Removes other files in the folder, which an interrupted checkpoint left.
 * @param damaged receives the damage of a segment. A read that needs it throws the same error
 */
export async function loadGroup(
  journals: Journals,
  name: string,
  id: string,
  index: GroupIndex | null,
  added: JournalEntry[],
  damaged: (error: StoreDamaged) => void,
): Promise<void> {
  journals.load(name, id, index, added)
  const { folder, segments } = journals.group(name, id)
  const files = new Map(segments.map((segment) => [segmentFile(folder, segment), segment]))
  for (const [file, segment] of files) {
    const error = await findDamage(journals, file, segment)
    if (error) damaged(error)
  }
  for (const one of await listDir(journals.fs, folder))
    if (!files.has(`${folder}/${one}`)) await removeFile(journals.fs, `${folder}/${one}`)
}

async function findDamage({ fs }: Journals, file: string, { bytes }: Segment): Promise<StoreDamaged | null> {
  let size: number
  try {
    size = await fs.size(file)
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT')) return new StoreDamaged(file, 0, 'it is missing')
    throw thrown
  }
  if (size === bytes) return null
  return new StoreDamaged(file, Math.min(size, bytes), `it has ${size} bytes instead of ${bytes}`)
}

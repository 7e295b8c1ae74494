/** Finds the pointers of Git LFS in revisions, and which of their objects are not here. */
import { isMarkdown } from '../../content/paths.js'
import type { LfsPointer } from '../../content/lfs-pointer.js'
import { isFile } from '../../content/read-file.js'
import type { Repository, Snapshot } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { lfsObjectId, lfsObjects } from '../../model/index.js'
import type { App } from '../context/app.js'
import { pointerIn } from '../revisions/lfs-files.js'

/** A pointer of a revision. */
export interface FoundPointer extends LfsPointer {
  /** Its Git object ID. */
  blob: string
}

/** Blobs whose sizes are asked for at a time. */
const AT_ONCE = 1_000

/** What is the same for two pointers to the same object. A hash with another size is another one, of which one at least is wrong. */
const nameOf = ({ oid, size }: LfsPointer): string => `${oid} ${size}`

/** The pointers of a revision, by what they name. Pages are never pointers. A blob that was looked at is not read again. */
async function pointersAt(app: App, repo: Repository, revision: CommitId): Promise<Map<string, FoundPointer>> {
  const snapshot = await repo.at(revision)
  const slices = new Slices()
  const found = new Map<string, FoundPointer>()
  const unknown = new Set<string>()
  for (const entry of await snapshot.walk()) {
    if (slices.due) await slices.rest()
    if (!isFile(entry) || isMarkdown(entry.path)) continue
    const known = app.content.pointers.get(entry.oid)
    if (known === undefined) unknown.add(entry.oid)
    else if (known !== 'none') found.set(nameOf(known), { ...known, blob: entry.oid })
  }
  const blobs = [...unknown]
  for (let at = 0; at < blobs.length; at += AT_ONCE)
    for (const one of await readPointers(app, snapshot, blobs.slice(at, at + AT_ONCE))) found.set(nameOf(one), one)
  return found
}

async function readPointers(app: App, snapshot: Snapshot, blobs: readonly string[]): Promise<FoundPointer[]> {
  const sizes = await snapshot.sizes(blobs)
  const found: FoundPointer[] = []
  for (const [index, blob] of blobs.entries()) {
    const pointer = await pointerIn(app, snapshot, blob, sizes[index] as number)
    if (pointer) found.push({ ...pointer, blob })
  }
  return found
}

/** Which objects count as missing. */
interface PointerFile {
  /** Also those that failed and are not due yet. */
  asked: boolean
  /** Also those whose file is gone. */
  deep: boolean
}

/**
 * The objects that the pointers of some revisions name and that a space does not have, those first that were not tried yet. Revisions that the repository
 * does not have are passed over.
 */
export async function missingObjects(
  app: App,
  space: string,
  repo: Repository,
  revisions: readonly CommitId[],
  wanted: PointerFile,
): Promise<FoundPointer[]> {
  const now = app.clock.now().toISOString()
  const missing = new Map<string, FoundPointer>()
  const failed = new Map<string, FoundPointer>()
  const slices = new Slices()
  for (const revision of new Set(revisions)) {
    if (!(await repo.hasCommit(revision))) continue
    for (const [name, pointer] of await pointersAt(app, repo, revision)) {
      if (slices.due) await slices.rest()
      if (missing.has(name) || failed.has(name)) continue
      const doc = await app.store.get(lfsObjects, lfsObjectId(space, pointer.oid))
      const isHere = doc?.state === 'present' && !(wanted.deep && !(await app.lfsFiles.has(doc)))
      const later = doc?.state === 'failed' && !wanted.asked && doc.retryAt !== undefined && doc.retryAt > now
      if (!isHere && !later) (doc?.state === 'failed' ? failed : missing).set(name, pointer)
    }
  }
  return [...missing.values(), ...failed.values()]
}

/** Finds Git LFS pointers in revisions, and their missing objects. */
import { required } from '../../kernel/defined.js'
import { isMarkdown } from '../../content/paths.js'
import type { LfsPointer } from '../../content/lfs-pointer.js'
import { isFile } from '../../content/read-file.js'
import type { Repository, Snapshot } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { Slices } from '../../kernel/slices.js'
import { lfsObjectId, lfsObjects } from '../../model/index.js'
import type { App } from '../context/app.js'
import { pointerIn } from '../revisions/lfs-files.js'

/** A pointer in a revision. */
export interface FoundPointer extends LfsPointer {
  /** Its Git object ID. */
  blob: string
}

/** Number of blobs whose sizes are read at a time. */
const SIZES_BATCH = 1_000

/**
 * Returns a key for the object of a pointer. Two pointers with one hash and different sizes have different keys; at
 * least one of them is wrong.
 */
const nameOf = ({ oid, size }: LfsPointer): string => `${oid} ${size}`

/** Reads the pointers of a revision by object key. Pages are never pointers. Each blob is read only once. */
async function pointersAt(app: App, repo: Repository, revision: CommitId): Promise<Map<string, FoundPointer>> {
  const snapshot = await repo.objects.snapshot(revision)
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
  for (let at = 0; at < blobs.length; at += SIZES_BATCH)
    for (const one of await readPointers(app, snapshot, blobs.slice(at, at + SIZES_BATCH))) found.set(nameOf(one), one)
  return found
}

async function readPointers(app: App, snapshot: Snapshot, blobs: readonly string[]): Promise<FoundPointer[]> {
  const sizes = await snapshot.sizes(blobs)
  const found: FoundPointer[] = []
  for (const [index, blob] of blobs.entries()) {
    const pointer = await pointerIn(app, snapshot, blob, required(sizes[index]))
    if (pointer) found.push({ ...pointer, blob })
  }
  return found
}

/** Options that define which objects count as missing. */
interface PointerFile {
  /** Whether to include failed objects before their retry is due. */
  asked: boolean
  /** Whether to include objects whose file is gone. */
  deep: boolean
}

/**
 * Lists the objects that pointers in some revisions refer to and the space lacks. Objects that were not tried yet come
 * first. Revisions that the repository lacks are skipped.
 */
export async function missingObjects(
  app: App,
  space: string,
  repo: Repository,
  revisions: readonly CommitId[],
  options: PointerFile,
): Promise<FoundPointer[]> {
  const now = app.clock.now().toISOString()
  const missing = new Map<string, FoundPointer>()
  const failed = new Map<string, FoundPointer>()
  const slices = new Slices()
  for (const revision of new Set(revisions)) {
    if (!(await repo.objects.hasCommit(revision))) continue
    for (const [name, pointer] of await pointersAt(app, repo, revision)) {
      if (slices.due) await slices.rest()
      if (missing.has(name) || failed.has(name)) continue
      const doc = await app.store.get(lfsObjects, lfsObjectId(space, pointer.oid))
      const isHere = doc?.state === 'present' && !(options.deep && !(await app.lfsFiles.has(doc)))
      const later = doc?.state === 'failed' && !options.asked && doc.retryAt !== undefined && doc.retryAt > now
      if (!isHere && !later) (doc?.state === 'failed' ? failed : missing).set(name, pointer)
    }
  }
  return [...missing.values(), ...failed.values()]
}

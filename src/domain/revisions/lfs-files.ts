/** Checks files of a space for Git LFS pointers and reports the state of their objects. */
import { type LfsPointer, MAX_POINTER_BYTES, MIN_POINTER_BYTES, readPointer } from '../../content/lfs-pointer.js'
import type { Snapshot } from '../../git/index.js'
import type { Diagnostic } from '../../kernel/diagnostic.js'
import { Slices } from '../../kernel/slices.js'
import { lfsObjectId, lfsObjects, lfsSpaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'

/** A pointer and the state of its object. */
export interface LfsFile extends LfsPointer {
  /** `local`: the space does not use Git LFS, so the pointer is an ordinary file. */
  state: 'present' | 'waiting' | 'failed' | 'local'
  /** A sentence with the reason why the object is missing. */
  problem?: string
}

/** Reads the pointer in a blob. Null if it is an ordinary file. The result is cached. */
export async function pointerIn(
  app: App,
  snapshot: Pick<Snapshot, 'read'>,
  oid: string,
  size: number,
): Promise<LfsPointer | null> {
  const known = app.content.pointers.get(oid)
  if (known !== undefined) return known === 'none' ? null : known
  const pointer = size < MIN_POINTER_BYTES || size >= MAX_POINTER_BYTES ? null : readPointer(await snapshot.read(oid))
  app.content.pointers.set(oid, pointer ?? 'none')
  return pointer
}

/**
 * Reads the pointer in a blob of a space, with the state of its object. Null if it is an ordinary file.
 * @param size size of the blob in bytes
 */
export async function lfsFileOf(
  app: App,
  space: string,
  snapshot: Pick<Snapshot, 'read'>,
  oid: string,
  size: number,
): Promise<LfsFile | null> {
  const pointer = await pointerIn(app, snapshot, oid, size)
  if (!pointer) return null
  const spaceDoc = await app.store.get(lfsSpaces, space)
  if (!spaceDoc)
    return {
      ...pointer,
      state: 'local',
      problem: 'It is a Git LFS pointer, but the space was not imported from a repository with the file.',
    }
  const doc = await app.store.get(lfsObjects, lfsObjectId(space, pointer.oid))
  if (doc?.state === 'present' && doc.size === pointer.size) return { ...pointer, state: 'present' }
  const wrong =
    doc?.state === 'present'
      ? `Its pointer states ${pointer.size} bytes, but the file with that hash has ${doc.size}. Correct the pointer.`
      : undefined
  const problem = wrong ?? doc?.problem ?? spaceDoc.problem
  return problem === undefined
    ? { ...pointer, state: 'waiting', problem: 'It was not yet fetched from Git LFS.' }
    : { ...pointer, state: 'failed', problem }
}

/** Returns a stamp of the space's LFS objects. It changes when an object is fetched, fails or is removed. */
export const lfsStamp = async (app: App, space: string): Promise<string> =>
  String((await app.store.get(lfsSpaces, space))?.version ?? 0)

/** Returns the diagnostic for a Git LFS file that is not available. Null if it is. */
export const lfsDiagnostic = (file: string, { state, problem }: LfsFile): Diagnostic | null =>
  state === 'present'
    ? null
    : {
        code: 'lfs-object',
        message: `${file} is stored in Git LFS and is not available here. ${problem ?? ''}`.trim(),
        file,
      }

/** Copies the LFS records of a space, in the transaction that stores the copy. */
export async function copyLfs(tx: Transaction, from: string, to: string): Promise<void> {
  const spaceDoc = await tx.get(lfsSpaces, from)
  if (!spaceDoc) return
  const { version: _of, ...rest } = spaceDoc
  await tx.insert(lfsSpaces, { ...rest, id: to, remotes: [] })
  const slices = new Slices()
  for (const { version: _version, ...one } of await tx.find(lfsObjects, 'space', from)) {
    if (slices.due) await slices.rest()
    await tx.insert(lfsObjects, { ...one, id: lfsObjectId(to, one.oid), space: to })
  }
}

/**
 * Removes the LFS records of a space, in the transaction that purges it. The next maintenance deletes files that no
 * other space uses.
 */
export async function removeLfs(tx: Transaction, space: string): Promise<void> {
  for (const { id } of await tx.find(lfsObjects, 'space', space)) await tx.remove(lfsObjects, id)
  if (await tx.get(lfsSpaces, space)) await tx.remove(lfsSpaces, space)
}

// The manifest, which records which checkpoints belong together.
import { parseSealed, sealedJson } from './checkpoint-file.js'
import { StoreTooNew } from './errors.js'
import { readIfThere, replaceFile } from './file-system.js'
import type { FileSystem } from './types.js'

/** The state of all checkpoints together; the file `store.json`. */
export interface Manifest {
  /** Version of the file formats. */
  readonly format: number
  /** The last migration that the checkpoints contain. */
  readonly migrated: number
  /** The first transaction of the log that the checkpoints do not contain. */
  readonly logFrom: number
  /** Number of checkpoint files with documents before `logFrom`, per table. It allows a start to detect a lost file. */
  readonly owners: Readonly<Record<string, number>>
}

/** 2: since journals were added. */
export const FORMAT = 2
export const emptyManifest: Manifest = { format: FORMAT, migrated: 0, logFrom: 1, owners: {} }

/** Returns the folder layout of a store. */
export const layout = (dir: string) => ({
  manifest: `${dir}/store.json`,
  log: `${dir}/log`,
  documents: `${dir}/documents`,
  journals: `${dir}/journals`,
  /** Damaged files that a repair replaced. */
  damaged: `${dir}/damaged`,
  lock: `${dir}/lock`,
})

/**
 * Reads the manifest; null if there is none. Throws `StoreDamaged`, `StoreTooNew`.
 * @param flipped called with the position of a bit that was corrected
 */
export async function findManifest(
  fs: FileSystem,
  path: string,
  flipped?: (at: number) => void,
): Promise<Manifest | null> {
  const bytes = await readIfThere(fs, path)
  if (bytes === null) return null
  const manifest = parseSealed(path, bytes, flipped) as Manifest
  if (manifest.format > FORMAT)
    throw new StoreTooNew(
      path,
      `the store has format ${manifest.format}, but this release supports formats up to ${FORMAT}`,
    )
  return manifest
}

/** Replaces the manifest durably. */
export async function writeManifest(fs: FileSystem, dir: string, manifest: Manifest): Promise<void> {
  await replaceFile(fs, layout(dir).manifest, sealedJson(manifest))
  await fs.syncDir(dir)
}

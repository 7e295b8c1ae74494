/** A file in each repository of a node that records how far the copy has followed the database. */
import { readFileSync, rmSync, statSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Head } from './head.js'

const FILE = 'bindery-node'

/** The recorded position of the repository on the disk. */
export type NodeState = Omit<Head, 'epoch'>

/**
 * Reads the state. Returns null if there is none or it is unreadable: then the repository is filled as if it were
 * empty.
 */
export function readState(repository: string): NodeState | null {
  try {
    const { incarnation, sequence, chain }: NodeState = JSON.parse(readFileSync(join(repository, FILE), 'utf8'))
    return typeof incarnation === 'string' && typeof chain === 'string' && Number.isSafeInteger(sequence)
      ? { incarnation, sequence, chain }
      : null
  } catch {
    return null
  }
}

/** Returns the time when the file was last written, in milliseconds since 1970; null if there is no file. */
export const stateChangedAt = (repository: string): number | null =>
  statSync(join(repository, FILE), { throwIfNoEntry: false })?.mtimeMs ?? null

/**
 * Writes the state. Objects and refs must be durable before. The file itself need not be: if it is lost, packs are read
 * again.
 */
export async function writeState(repository: string, { incarnation, sequence, chain }: NodeState): Promise<void> {
  const file = join(repository, FILE)
  await writeFile(`${file}.new`, JSON.stringify({ incarnation, sequence, chain }))
  await rename(`${file}.new`, file)
}

/** Deletes the state. The repository then is an ordinary one that no longer belongs to a node. */
export const forgetState = (repository: string): void => rmSync(join(repository, FILE), { force: true })

/** What a node remembers, in a file of its repository, of how far the database's moves have been followed there. */
import { readFileSync, rmSync, statSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Head } from './head.js'

const FILE = 'bindery-node'

/** Where the repository on the disk stands. */
export type NodeState = Omit<Head, 'epoch'>

/** Null if there is none, or it cannot be read: then the repository is filled as if it were empty. */
export function readState(repository: string): NodeState | null {
  try {
    const { incarnation, sequence, chain } = JSON.parse(readFileSync(join(repository, FILE), 'utf8')) as NodeState
    return typeof incarnation === 'string' && typeof chain === 'string' && Number.isSafeInteger(sequence)
      ? { incarnation, sequence, chain }
      : null
  } catch {
    return null
  }
}

/** When the file was last written, in milliseconds since 1970; null if there is none. */
export const stateChangedAt = (repository: string): number | null =>
  statSync(join(repository, FILE), { throwIfNoEntry: false })?.mtimeMs ?? null

/** Objects and refs are durable before. The file itself need not be: one that is lost costs only that packs are read again. */
export async function writeState(repository: string, { incarnation, sequence, chain }: NodeState): Promise<void> {
  const file = join(repository, FILE)
  await writeFile(`${file}.new`, JSON.stringify({ incarnation, sequence, chain }))
  await rename(`${file}.new`, file)
}

/** The repository no longer belongs to a node: it is one like any other. */
export const forgetState = (repository: string): void => rmSync(join(repository, FILE), { force: true })

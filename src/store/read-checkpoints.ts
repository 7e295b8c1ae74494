/** Reads the checkpoint files at start. The damage of a file concerns only its table. */
import { basename, dirname } from 'node:path'
import { Low } from 'lowdb'
import { type Checkpoint, checkpointFile } from './checkpoint-file.js'
import type { Damages } from './damages.js'
import { StoreDamaged } from './errors.js'
import { fileNameOf } from './file-name.js'
import { listDir } from './file-system.js'
import { deepFreeze } from './json.js'
import { isJournal } from './journal/journals.js'
import type { JournalEntry } from './journal/segment.js'
import { layout } from './manifest.js'
import { readableDocuments, readableGroup, setAside } from './repair.js'
import type { FileSystem, StoreEvent } from './types.js'
import type { AnyDocument } from './view.js'

/** One checkpoint file and the log's additions to it. */
export interface OwnerState {
  seq: number
  readonly documents: Map<string, AnyDocument>
  /** For a group of a journal: the records that the log adds. */
  readonly added: JournalEntry[]
  readonly onDisk: boolean
  /** Whether the log refers to it since `logFrom`. Then its file may be out of date. */
  touched: boolean
  /** Whether a bit of its file was corrected. */
  readonly isFlipped: boolean
}
export type Owners = Map<string, Map<string, OwnerState>>

/** Receives events of a recovery, and the damage that concerns only one table. */
export interface Findings {
  readonly repair: boolean
  tell(event: StoreEvent): void
  /** @param file name of the checkpoint file without `.json`, or null if the damage may concern any file of the table */
  damaged(table: string, file: string | null, error: StoreDamaged): void
  recordsDamaged(error: StoreDamaged): void
}

export function findingsOf(
  tell: (event: StoreEvent) => void,
  { damages, repair }: { damages: Damages | undefined; repair: boolean },
): Findings {
  const note = (error: StoreDamaged, add: (damages: Damages, error: StoreDamaged) => void): void => {
    const repairable = error.asRepairable()
    if (!damages) throw repairable
    add(damages, repairable)
    tell({ event: 'damaged', error: repairable })
  }
  return {
    repair,
    tell,
    damaged: (table, file, error) => {
      const { file: path, what } = error
      if (repair) tell({ event: 'repaired', file: path, documents: 0, kept: null, what })
      else note(error, (all, noted) => all.add(table, file, noted))
    },
    recordsDamaged: (error) => note(error, (all, noted) => all.addRecords(noted)),
  }
}

const READ_AT_ONCE = 16
const NOTHING: Checkpoint = { collection: '', owner: '', seq: 0, documents: [] }

export const pathOf = (documents: string, table: string, owner: string): string =>
  `${documents}/${fileNameOf(table)}/${fileNameOf(owner)}.json`

/** Names of the checkpoint files that could not be read, without `.json`, by table. */
export type Unread = Map<string, Set<string>>

const SUFFIX = '.json'

/** Returns the receiver of a corrected bit's position in a file. */
export const flipIn =
  ({ tell }: Findings, file: string) =>
  (offset: number): void =>
    tell({ event: 'bit-corrected', file, offset })

export async function readCheckpoints(
  fs: FileSystem,
  documents: string,
  findings: Findings,
): Promise<{ owners: Owners; unread: Unread }> {
  const owners: Owners = new Map()
  const unread: Unread = new Map()
  const files: [table: string, file: string][] = []
  for (const folder of await listDir(fs, documents)) {
    for (const name of await listDir(fs, `${documents}/${folder}`))
      if (name.endsWith(SUFFIX)) files.push([folder, `${documents}/${folder}/${name}`])
  }
  const waiting = files.values()
  const read = async (): Promise<void> => {
    for (const [folder, file] of waiting) {
      try {
        await readCheckpoint(fs, documents, file, { owners, findings })
      } catch (error) {
        if (!(error instanceof StoreDamaged)) throw error
        if (findings.repair) {
          await repairCheckpoint(fs, documents, file, { owners, findings, error })
          continue
        }
        const name = basename(file, SUFFIX)
        unread.set(folder, (unread.get(folder) ?? new Set()).add(name))
        // A renamed file replaces another one, whose name is unknown.
        findings.damaged(folder, error instanceof Renamed ? null : name, error)
      }
    }
  }
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read))
  return { owners, unread }
}

class Renamed extends StoreDamaged {}

/** Takes over the readable documents of a damaged file, and sets it aside. */
async function repairCheckpoint(
  fs: FileSystem,
  documents: string,
  file: string,
  { owners, findings, error }: { owners: Owners; findings: Findings; error: StoreDamaged },
): Promise<void> {
  const table = basename(dirname(file))
  const name = basename(file, SUFFIX)
  const bytes = await fs.readFile(file)
  const journals = `${dirname(documents)}/journals/${table}/${name}`
  const found = isJournal(table)
    ? await readableGroup(fs, journals, bytes, name)
    : error instanceof Renamed
      ? null
      : readableDocuments(bytes, name)
  const kept = await setAside(fs, file, layout(dirname(documents)).damaged, `${table}-${basename(file)}`)
  const { what } = error
  findings.tell({ event: 'repaired', file, documents: found?.documents.length ?? 0, kept, what })
  if (found === null) return
  byOwner(owners, table).set(found.owner, {
    // The log is applied again from its start: its operations contain complete documents.
    seq: 0,
    documents: new Map(found.documents.map((document) => [document.id, deepFreeze(document)])),
    added: [],
    onDisk: true,
    touched: false,
    isFlipped: true,
  })
}

async function readCheckpoint(
  fs: FileSystem,
  documents: string,
  file: string,
  { owners, findings }: { owners: Owners; findings: Findings },
): Promise<void> {
  let isFlipped = false
  const flipped = (offset: number): void => {
    isFlipped = true
    flipIn(findings, file)(offset)
  }
  const low = new Low(checkpointFile(fs, file, flipped), NOTHING)
  await low.read()
  if (low.data === NOTHING) throw new StoreDamaged(file, 0, 'it disappeared while it was being read')
  const { collection: table, owner, seq, documents: held } = low.data
  if (pathOf(documents, table, owner) !== file)
    throw new Renamed(file, 0, `it is the file of ${table} ${JSON.stringify(owner)}: it was renamed`)
  byOwner(owners, table).set(owner, {
    seq,
    documents: new Map(held.map((document) => [document.id, document])),
    added: [],
    onDisk: true,
    touched: false,
    isFlipped,
  })
}

export function byOwner(owners: Owners, table: string): Map<string, OwnerState> {
  let found = owners.get(table)
  if (!found) owners.set(table, (found = new Map()))
  return found
}

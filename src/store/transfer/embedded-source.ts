/** Reads a store in a folder without changing anything in it except its lock. */
import { resolve } from 'node:path'
import type { Journal } from '../../kernel/documents.js'
import { StoreDamaged, StoreTooNew } from '../errors.js'
import { nodeFileSystem } from '../file-system.js'
import { deepFreeze } from '../json.js'
import { isJournal, type Journals } from '../journal/journals.js'
import { type JournalEntry, readSegment } from '../journal/segment.js'
import { findManifest, FORMAT, layout } from '../manifest.js'
import { inOrder } from '../migrate.js'
import { recover } from '../recovery.js'
import type { FileSystem, Migration } from '../types.js'
import { AT_ONCE, type StoreSource } from './types.js'

/** A store must be migrated to this release before it can be read unchanged. */
export class StoreTooOld extends Error {
  override name = 'StoreTooOld'
}

interface SourceOptions {
  dir: string
  migrations: readonly Migration[]
  journals: readonly Journal<never>[]
}

const refuse = (): never => {
  throw new Error('the store is opened read-only')
}
/** The real file system, but without any changes: the cleanup at start does nothing. */
const readOnly: FileSystem = {
  ...nodeFileSystem,
  open: refuse,
  mkdir: refuse,
  rename: refuse,
  syncDir: refuse,
  unlink: async () => {},
}

/**
 * Opens the store of a folder for reading. Holds all documents in memory, as a server does. Throws `StoreLocked` while
 * a server uses it, `StoreDamaged`, `StoreTooNew`, `StoreTooOld`.
 */
export async function openEmbeddedSource({ dir: given, migrations, journals }: SourceOptions): Promise<StoreSource> {
  const dir = resolve(given)
  const paths = layout(dir)
  const manifest = await findManifest(readOnly, paths.manifest)
  if (manifest === null)
    throw new StoreDamaged(paths.manifest, 0, 'it is missing: the folder does not contain the documents of a server')
  const lock = nodeFileSystem.lock(dir, paths.lock)
  try {
    const found = await recover(readOnly, dir, () => {})
    const newest = inOrder(migrations).length
    if (found.migrated > newest)
      throw new StoreTooNew(
        dir,
        `the documents are at migration ${found.migrated}, but the latest one in this release is ${newest}`,
      )
    if (manifest.format < FORMAT || found.migrated < newest)
      throw new StoreTooOld(
        `${dir} was last used by an earlier release. Start this release on it once (\`bindery serve\`), stop it, and try again.`,
      )
    const documents = [...found.documents].filter(([name, list]) => !isJournal(name) && list.length > 0)
    const byTable = new Map(documents.map(([name, list]) => [name, list.map(({ document }) => document)]))
    return {
      migrated: found.migrated,
      tables: async () => [...byTable.keys()].sort(),
      async *documents(table) {
        const all = byTable.get(table) ?? []
        for (let from = 0; from < all.length; from += AT_ONCE) yield all.slice(from, from + AT_ONCE)
      },
      async groups() {
        const names = Object.keys(found.journals.counts())
        return names.flatMap((journal) =>
          found.journals.names(journal).map((group) => {
            const { first, next } = found.journals.group(journal, group)
            return { journal, group, first, next }
          }),
        )
      },
      records: ({ journal, group, first }) =>
        recordsOf(found.journals, timesOf(journals, journal), { journal, group, first }),
      close: async () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Returns a function that reads the time of a journal's record. */
function timesOf(journals: readonly Journal<never>[], name: string): (record: object) => string {
  const found = journals.find((one) => one.name === name)
  if (!found) throw new StoreTooNew(name, `this release has no journal ${name}`)
  return found.at as (record: object) => string
}

async function* recordsOf(
  journals: Journals,
  timeOf: (record: object) => string,
  { journal, group: name, first }: { journal: string; group: string; first: number },
): AsyncGenerator<JournalEntry[]> {
  const group = journals.group(journal, name)
  for (const segment of group.segments) {
    const lines = await readSegment(journals.fs, group.folder, segment)
    const records = lines.map((line, n) => {
      const record = deepFreeze<object>(JSON.parse(line))
      return { position: segment.first + n, at: timeOf(record), record }
    })
    yield records.filter(({ position }) => position >= first)
  }
  const rest = group.tail.filter(({ position }) => position >= first)
  for (let from = 0; from < rest.length; from += AT_ONCE) yield rest.slice(from, from + AT_ONCE)
}

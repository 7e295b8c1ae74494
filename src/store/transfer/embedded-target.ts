/** Writes the content of another store into a folder. */
import { resolve } from 'node:path'
import { Checkpointer } from '../checkpointer.js'
import { Database, type RawDocument } from '../database.js'
import { ensureDir, nodeFileSystem } from '../file-system.js'
import { Log } from '../log.js'
import { layout } from '../manifest.js'
import { recover } from '../recovery.js'
import { type AnyTable, ownerOf } from '../view.js'
import type { StoreSource } from './types.js'

/**
 * Writes all documents and journals of a source into a folder that does not exist yet. The store is complete when the
 * promise resolves. After an interruption, delete the folder.
 */
export async function writeEmbeddedStore(
  given: string,
  source: StoreSource,
  tables: readonly AnyTable[],
): Promise<void> {
  const fs = nodeFileSystem
  const dir = resolve(given)
  await ensureDir(fs, dir)
  const lock = fs.lock(dir, layout(dir).lock)
  let log: Log | undefined
  try {
    const { journals, segment, lastSeq } = await recover(fs, dir, () => {})
    log = await Log.open(fs, layout(dir).log, segment, lastSeq + 1)
    const database = new Database(lastSeq, journals)
    const checkpointer = new Checkpointer(fs, dir, database, log)
    const definitions = new Map(tables.map((one) => [one.name, one]))
    for (const name of await source.tables()) {
      const raws: RawDocument[] = []
      const of = definitions.get(name)
      for await (const some of source.documents(name))
        for (const document of some) raws.push({ document, owner: of ? ownerOf(of, document) : '' })
      database.load(name, raws)
      for (const { owner } of raws) checkpointer.touch(name, owner)
    }
    for (const extent of await source.groups()) {
      const { journal, group, first, next } = extent
      journals.load(journal, group, { id: group, version: 1, first, next: first, segments: [] }, [])
      const written = journals.group(journal, group)
      for await (const some of source.records(extent)) {
        written.tail.push(...some)
        const { installed } = await journals.flush(journal, group)
        installed()
      }
      if (written.next !== next)
        throw new Error(
          `the journal ${journal} of ${JSON.stringify(group)} should end before position ${next}, but ends before ${written.next}`,
        )
      checkpointer.touch(journal, group)
    }
    await checkpointer.run(source.migrated)
  } finally {
    await log?.close()
    lock.release()
  }
}

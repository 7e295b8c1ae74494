/** Changes the content of a store while no server uses it: as a source for a new store, or in the database. */
import type { Database, Session } from '../../postgres/index.js'
import type { JournalEntry } from '../journal/segment.js'
import { keyText } from '../postgres/encoding.js'
import type { AnyDocument, AnyTable } from '../view.js'
import { insertDocuments, insertGroup, insertRecords } from './postgres-target.js'
import type { GroupExtent, StoreSource } from './types.js'

/** A record for the end of a journal. */
export interface AddedRecord {
  journal: string
  group: string
  at: string
  record: object
}

/** The changes. The same input must give the same result. */
export interface StoreChange {
  /** Returns the new document; null = it is removed. */
  document(table: string, document: AnyDocument): AnyDocument | null
  record(record: object): object
  documents: readonly { table: string; document: AnyDocument }[]
  records: readonly AddedRecord[]
}

/** Returns a source with the changes. */
export function rewrittenSource(source: StoreSource, change: StoreChange): StoreSource {
  const added = ({ journal, group }: Pick<GroupExtent, 'journal' | 'group'>) =>
    change.records.filter((one) => one.journal === journal && one.group === group)
  const groups = async (): Promise<GroupExtent[]> => {
    const there = await source.groups()
    const other = change.records.filter(
      (one) => !there.some(({ journal, group }) => one.journal === journal && one.group === group),
    )
    const fresh = other.map(({ journal, group }) => ({ journal, group, first: 1, next: 1 }))
    return [...there, ...fresh].map((extent) => ({ ...extent, next: extent.next + added(extent).length }))
  }
  return {
    ...source,
    groups,
    tables: async () =>
      [...new Set([...(await source.tables()), ...change.documents.map(({ table }) => table)])].sort(),
    async *documents(table) {
      for await (const some of source.documents(table))
        yield some.flatMap((document) => change.document(table, document) ?? [])
      yield change.documents.flatMap((one) => (one.table === table ? [one.document] : []))
    },
    async *records(extent) {
      const own = added(extent)
      const before = { ...extent, next: extent.next - own.length }
      if (before.next > before.first)
        for await (const some of source.records(before))
          yield some.map((entry) => ({ ...entry, record: change.record(entry.record) }))
      yield own.map(({ at, record }, n): JournalEntry => ({ position: before.next + n, at, record }))
    },
  }
}

/**
 * Makes the changes in the database, in one transaction together with `alongside`. The
 * caller then rewrites the tables, because their files still contain the former rows.
 */
export async function rewritePostgresStore(
  database: Database,
  source: StoreSource,
  change: StoreChange,
  { tables, alongside }: { tables: readonly AnyTable[]; alongside: (session: Session) => Promise<void> },
): Promise<void> {
  // bound: the documents and records of one space
  const documents = new Map<string, { gone: string[]; written: AnyDocument[] }>()
  for (const table of await source.tables()) {
    const [gone, written]: [string[], AnyDocument[]] = [[], []]
    for await (const some of source.documents(table))
      for (const document of some) {
        const result = change.document(table, document)
        if (result === document) continue
        gone.push(document.id)
        if (result !== null) written.push(result)
      }
    documents.set(table, { gone, written })
  }
  for (const { table, document } of change.documents) {
    const found = documents.get(table) ?? { gone: [], written: [] }
    documents.set(table, { ...found, written: [...found.written, document] })
  }
  const records: { extent: GroupExtent; entry: JournalEntry }[] = []
  const extents = await source.groups()
  for (const extent of extents)
    for await (const some of source.records(extent))
      for (const entry of some) {
        const record = change.record(entry.record)
        if (record !== entry.record) records.push({ extent, entry: { ...entry, record } })
      }
  await database.transact(async (session) => {
    for (const [table, { gone, written }] of documents)
      await replaceDocuments(session, { table, of: tables.find(({ name }) => name === table), gone, written })
    for (const { extent, entry } of records) await replaceRecord(session, extent, entry)
    for (const one of change.records) await appendRecord(session, extents, one)
    await alongside(session)
  }, 'READ COMMITTED')
}

async function replaceDocuments(
  session: Session,
  { table, of, gone, written }: { table: string; of: AnyTable | undefined; gone: string[]; written: AnyDocument[] },
): Promise<void> {
  const ids = gone.map(keyText)
  if (ids.length > 0)
    for (const rows of ['documents', 'document_keys', 'document_places'])
      await session.query(`DELETE FROM ${rows} WHERE of = $1 AND id = ANY($2)`, [table, ids])
  if (written.length > 0) await insertDocuments(session, { name: table, of, some: written })
}

async function replaceRecord(session: Session, { journal, group }: GroupExtent, entry: JournalEntry): Promise<void> {
  const text = 'UPDATE journal_records SET body = $4 WHERE journal = $1 AND grp = $2 AND position = $3'
  await session.query(text, [journal, keyText(group), entry.position, JSON.stringify(entry.record)])
}

async function appendRecord(
  session: Session,
  extents: readonly GroupExtent[],
  { journal, group, at, record }: AddedRecord,
): Promise<void> {
  const extent = extents.find((one) => one.journal === journal && one.group === group)
  const position = extent?.next ?? 1
  if (extent)
    await session.query('UPDATE journal_groups SET next = $3 WHERE journal = $1 AND grp = $2', [
      journal,
      keyText(group),
      position + 1,
    ])
  else await insertGroup(session, { journal, group, first: 1, next: 2 })
  await insertRecords(session, { journal, group, first: position, next: position + 1 }, [{ position, at, record }])
}

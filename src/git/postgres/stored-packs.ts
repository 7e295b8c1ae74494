/** The packs in the database: writes them in rows of bounded size, lists them, and reads them. */
import { newId } from '../../kernel/ids.js'
import type { Session } from '../../postgres/index.js'
import type { NewPack, PackPart } from './new-pack.js'
import { CHUNK_BYTES } from './schema.js'

export const PACK = 0
export const INDEX = 1

/** A pack of a repository. */
export interface StoredPack {
  readonly id: string
  readonly bytes: number
  readonly indexBytes: number
  /** The move that introduced it. A copy with all moves up to this one has its objects. */
  readonly sequence: number
}

/** Whether one statement can read and write the pack. */
export const isSmall = ({ pack, index }: NewPack): boolean => pack.bytes <= CHUNK_BYTES && index.bytes <= CHUNK_BYTES

/**
 * Writes a pack that belongs to no repository yet, and returns its ID. If it belongs to none after an hour, it is
 * deleted.
 */
export async function storePack(session: Session, { pack, index }: NewPack): Promise<string> {
  const id = newId()
  await session.query('INSERT INTO packs (id, bytes, index_bytes) VALUES ($1, $2, $3)', [id, pack.bytes, index.bytes])
  for (const [part, { chunks }] of [
    [PACK, pack],
    [INDEX, index],
  ] as const) {
    let n = 0
    for await (const bytes of chunks())
      await session.query('INSERT INTO pack_chunks VALUES ($1, $2, $3, $4)', [id, part, n++, bytes], 'store-chunk')
  }
  return id
}

/** Stores a small pack and adds it to a repository in one statement. */
export async function storeSmallPack(
  session: Session,
  id: string,
  pack: NewPack,
  of: { name: string; sequence: number },
): Promise<void> {
  const [packed, index] = [await only(pack.pack), await only(pack.index)]
  const text = `WITH made AS (INSERT INTO packs (id, bytes, index_bytes) VALUES ($1, $2, $3)),
    chunks AS (INSERT INTO pack_chunks VALUES ($1, ${PACK}, 0, $4), ($1, ${INDEX}, 0, $5))
    INSERT INTO repository_packs (name, pack, sequence) VALUES ($6, $1, $7)`
  await session.query(
    text,
    [id, pack.pack.bytes, pack.index.bytes, packed, index, of.name, of.sequence],
    'store-small-pack',
  )
}

/** Returns the single chunk of a small file. */
async function only({ chunks }: PackPart): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks()) all.push(chunk)
  return Buffer.concat(all)
}

/** Adds a stored pack to a repository. */
export async function addPack(session: Session, id: string, of: { name: string; sequence: number }): Promise<void> {
  await session.query('INSERT INTO repository_packs (name, pack, sequence) VALUES ($1, $2, $3)', [
    of.name,
    id,
    of.sequence,
  ])
}

/** Returns the packs that a copy with the first `after` moves lacks, oldest first; -1 = all packs. */
export async function listPacks(session: Session, name: string, after = -1): Promise<StoredPack[]> {
  const text = `SELECT id, bytes::float8 AS bytes, index_bytes::float8 AS "indexBytes", sequence::float8 AS sequence
    FROM repository_packs JOIN packs ON id = pack WHERE name = $1 AND sequence > $2 AND retired IS NULL ORDER BY sequence, id`
  return session.query<StoredPack>(text, [name, after], 'repository-packs')
}

/** Returns the total size of the packs and indexes of each repository, in bytes. */
export async function readSizes(session: Session, names: readonly string[]): Promise<Map<string, number>> {
  const text = `SELECT name, sum(bytes + index_bytes)::float8 AS bytes
    FROM repository_packs JOIN packs ON id = pack WHERE name = ANY($1) AND retired IS NULL GROUP BY name`
  const rows = await session.query<{ name: string; bytes: number }>(text, [names], 'repository-sizes')
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}

/**
 * Returns the packs of a repository that contain an object. The database searches their indexes for the 20 bytes of the
 * ID, which may be split over two rows.
 */
export async function packsWith(session: Session, name: string, oid: string): Promise<string[]> {
  const text = `SELECT DISTINCT pack FROM (
      SELECT c.pack, c.bytes || coalesce(substring(lead(c.bytes) OVER (PARTITION BY c.pack ORDER BY c.n) FROM 1 FOR 19), ''::bytea) AS bytes
      FROM repository_packs r JOIN pack_chunks c ON c.pack = r.pack AND c.part = ${INDEX} WHERE r.name = $1 AND r.retired IS NULL
    ) AS indexes WHERE position($2::bytea IN bytes) > 0`
  const rows = await session.query<{ pack: string }>(text, [name, Buffer.from(oid, 'hex')], 'packs-with')
  return rows.map(({ pack }) => pack)
}

/** Reads the packs and indexes of some small packs. Packs that no longer exist are left out. */
export async function readSmallPacks(
  session: Session,
  ids: readonly string[],
): Promise<Map<string, { pack: Buffer; index: Buffer }>> {
  const rows = await session.query<{ id: string; pack: Buffer; index: Buffer }>(
    `SELECT p.pack AS id, p.bytes AS pack, i.bytes AS index FROM pack_chunks p JOIN pack_chunks i ON i.pack = p.pack AND i.part = ${INDEX} AND i.n = 0
     WHERE p.pack = ANY($1) AND p.part = ${PACK} AND p.n = 0`,
    [ids],
    'read-small-packs',
  )
  return new Map(rows.map(({ id, ...both }) => [id, both]))
}

/** Yields a file of a pack row by row. Ends early if the pack is gone, so the caller must count the bytes. */
export async function* readChunks(session: Session, id: string, part: number): AsyncGenerator<Buffer> {
  for (let n = 0; ; n++) {
    const [row] = await session.query<{ bytes: Buffer }>(
      'SELECT bytes FROM pack_chunks WHERE pack = $1 AND part = $2 AND n = $3',
      [id, part, n],
      'read-chunk',
    )
    if (!row) return
    yield row.bytes
  }
}

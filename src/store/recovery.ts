/**
 * Reads the state of a store from the disk at start: checkpoints and the log after them. Checks that nothing is
 * missing.
 */
import type { Damages } from './damages.js'
import type { RawDocument } from './database.js'
import { StoreDamaged } from './errors.js'
import { fileNameOf } from './file-name.js'
import { listDir, removeLeftover } from './file-system.js'
import { deepFreeze } from './json.js'
import type { GroupIndex } from './journal/group.js'
import { isJournal, Journals } from './journal/journals.js'
import { loadGroup } from './journal/load.js'
import { mendSegments } from './journal/mend.js'
import { type Batch, createSegment, type NewestSegment, listSegments, readSegment, toRestore } from './log.js'
import { emptyManifest, findManifest, layout, type Manifest, writeManifest } from './manifest.js'
import {
  byOwner,
  type Findings,
  findingsOf,
  flipIn,
  type Owners,
  type OwnerState,
  pathOf,
  readCheckpoints,
  type Unread,
} from './read-checkpoints.js'
import type { FileSystem, StoreEvent } from './types.js'

/** The state of the disk at start. */
interface RecoveredState {
  readonly manifest: Manifest
  readonly documents: Map<string, RawDocument[]>
  readonly journals: Journals
  /** Checkpoint files that are out of date, as [table, owner]. */
  readonly dirty: (readonly [string, string])[]
  readonly migrated: number
  readonly lastSeq: number
  readonly segment: NewestSegment
  readonly checkpoints: number
  readonly replayed: number
  /** Whether a bit was corrected, so that a checkpoint should replace the files. */
  readonly corrected: boolean
}

/**
 * Reads the checkpoints and the log. Each checkpoint file records its last transaction, and only later transactions are
 * applied to it. So an interrupted checkpoint does not matter. Throws `StoreDamaged`, `StoreTooNew`.
 * @param damages receives the damage of single tables. Without it, such damage is thrown as well. With `repair`, damaged
 * files are replaced by their readable documents
 */
export async function recover(
  fs: FileSystem,
  dir: string,
  log: (event: StoreEvent) => void,
  { damages, repair = false }: { damages?: Damages; repair?: boolean } = {},
): Promise<RecoveredState> {
  const paths = layout(dir)
  let corrected = false
  const found = (event: StoreEvent): void => {
    if (event.event === 'bit-corrected' || event.event === 'repaired') corrected = true
    log(event)
  }
  const findings = findingsOf(found, { damages, repair })
  const flipped = flipIn(findings, paths.manifest)
  const manifest = (await findManifest(fs, paths.manifest, flipped)) ?? (await createEmptyStore(fs, dir))
  const { owners, unread } = await readCheckpoints(fs, paths.documents, findings)
  const checkpoints = count(owners, () => true)
  const { batches, segment, lastSeq } = await readLog(fs, paths.log, manifest.logFrom, findings)
  if (segment.size > segment.good)
    log({ event: 'tail-cut', file: segment.path, offset: segment.good, bytes: segment.size - segment.good })

  let migrated = manifest.migrated
  const expected: Record<string, number> = {}
  for (const batch of batches) {
    noteTouched(batch, { owners, unread, expected, documents: paths.documents }, findings)
    for (const [index, { ops, migrated: to }] of batch.transactions.entries()) {
      migrated = Math.max(migrated, to ?? 0)
      for (const op of ops) apply(ownerState(owners, op.c, op.o), op, batch.seq + index)
    }
  }
  checkNoneIsLost({ owners, unread, expected, documents: paths.documents }, manifest, findings)

  const documents = new Map<string, RawDocument[]>()
  const journals = new Journals(fs, paths.journals, damages)
  const dirty: [string, string][] = []
  for (const [table, byOwner] of owners) {
    for (const [owner, state] of byOwner) {
      checkIsBelow(state, lastSeq, pathOf(paths.documents, table, owner))
      if (state.touched || state.isFlipped) dirty.push([table, owner])
    }
    if (isJournal(table))
      dirty.push(...(await loadJournal(journals, table, byOwner, { unread, findings, damaged: paths.damaged })))
    else documents.set(table, await documentsOf({ fs, dir: paths.documents, findings }, table, byOwner))
  }
  return {
    corrected,
    manifest,
    documents,
    journals,
    dirty,
    migrated,
    lastSeq,
    segment,
    checkpoints,
    replayed: batches.reduce((n, batch) => n + batch.transactions.length, 0),
  }
}

/** Loads the groups of a journal. Returns those whose segments a repair replaced, as [table, group]. */
async function loadJournal(
  journals: Journals,
  table: string,
  groups: Map<string, OwnerState>,
  { unread, findings, damaged }: { unread: Unread; findings: Findings; damaged: string },
): Promise<[string, string][]> {
  const mended: [string, string][] = []
  for (const [group, { documents, added }] of groups) {
    // Without its checkpoint, the locations of its records are unknown.
    if (unread.get(table)?.has(fileNameOf(group))) continue
    const index = ([...documents.values()][0] as unknown as GroupIndex) ?? null
    // After a repair, segments contain records that the log adds again.
    const young = index === null ? added : added.filter(({ position }) => position >= index.next)
    // A repair reads the segments below.
    await loadGroup(journals, table, group, index, young, findings.repair ? () => {} : findings.recordsDamaged)
    if (!findings.repair) continue
    const { folder, segments } = journals.group(table, group)
    const options = { folder, damaged, prefix: `${table}-${fileNameOf(group)}`, tell: findings.tell }
    const readable = await mendSegments(journals.fs, segments, options)
    if (readable.every((one) => segments.includes(one)) && readable.length === segments.length) continue
    journals.replaceSegments(table, group, readable)
    mended.push([table, group])
  }
  return mended
}

/** Returns the documents of a table. Removes checkpoint files without documents that the log does not refer to. */
async function documentsOf(
  { fs, dir, findings }: { fs: FileSystem; dir: string; findings: Findings },
  table: string,
  owners: Map<string, OwnerState>,
): Promise<RawDocument[]> {
  const ids = new Set<string>()
  const list: RawDocument[] = []
  for (const [owner, { touched, isFlipped, documents }] of owners) {
    const file = pathOf(dir, table, owner)
    // A repair has already moved its file away. The next checkpoint removes a file with a corrected bit.
    if (!touched && !isFlipped && documents.size === 0) await removeLeftover(fs, file)
    for (const document of documents.values()) {
      if (ids.has(document.id)) {
        const what = `document ${JSON.stringify(document.id)} is also in another file of ${table}`
        findings.damaged(table, null, new StoreDamaged(file, 0, what))
        continue
      }
      ids.add(document.id)
      list.push({ document, owner })
    }
  }
  return list
}

function checkIsBelow({ seq }: OwnerState, lastSeq: number, file: string): void {
  if (seq > lastSeq)
    throw new StoreDamaged(
      file,
      0,
      `it contains transaction ${seq}, but the log ends with ${lastSeq}: the log was truncated`,
    )
}

/** Creates an empty store. The manifest is written last: the store exists only with it. */
async function createEmptyStore(fs: FileSystem, dir: string): Promise<Manifest> {
  const paths = layout(dir)
  for (const { path, first } of await listSegments(fs, paths.log)) {
    // An interrupted start leaves an empty segment. Anything else belongs to a store whose manifest was lost.
    const { batches, good } = await readSegment(fs, path, first)
    if (batches.length > 0 || first !== 1)
      throw new StoreDamaged(paths.manifest, 0, `it is missing, but ${path} has ${good} bytes`)
  }
  if ((await listDir(fs, paths.documents)).length > 0)
    throw new StoreDamaged(paths.manifest, 0, `it is missing, but there are documents in ${paths.documents}`)
  await createSegment(fs, paths.log, 1)
  await writeManifest(fs, dir, emptyManifest)
  return emptyManifest
}

interface Segment extends NewestSegment {
  readonly batches: readonly Batch[]
}

async function readLog(fs: FileSystem, dir: string, logFrom: number, findings: Findings) {
  const all = await listSegments(fs, dir)
  const segments: Segment[] = []
  for (const { path, first } of all) {
    if (first < logFrom) continue
    const { flipped, ...read } = await readSegment(fs, path, first)
    flipped.forEach(flipIn(findings, path))
    segments.push({ path, first, ...read })
  }
  const { used, unused } = withoutUnused(segments)
  const batches: Batch[] = []
  let next = logFrom
  for (const [index, { path, first, good, size, batches: own }] of used.entries()) {
    if (first !== next) throw new StoreDamaged(path, 0, `the log file that starts with transaction ${next} is missing`)
    if (good < size && index < used.length - 1)
      throw new StoreDamaged(path, good, 'it ends in the middle of a record', toRestore(good))
    for (const batch of own) {
      batches.push(batch)
      next += batch.transactions.length
    }
  }
  const segment = used.at(-1)
  if (!segment) throw new StoreDamaged(dir, 0, `the log file that starts with transaction ${logFrom} is missing`)
  // These files are left from a checkpoint that was interrupted just before its end, or from a failed rotation.
  for (const { path, first } of all) if (first < logFrom || unused.has(path)) await removeLeftover(fs, path)
  return { batches, segment, lastSeq: next - 1 }
}

/**
 * Separates the segments that were never used: empty ones whose first transaction is in an older segment, or was being
 * written there. They come from a rotation that succeeded although the system reported a failure (see `Log.rotate`).
 */
function withoutUnused(segments: readonly Segment[]): { used: Segment[]; unused: Set<string> } {
  const used: Segment[] = []
  const unused = new Set<string>()
  let next = 0
  for (const segment of segments) {
    const last = used.at(-1)
    const isUnused =
      segment.batches.length === 0 &&
      last !== undefined &&
      (segment.first < next || (segment.first === next && last.good < last.size))
    if (isUnused) {
      unused.add(segment.path)
      continue
    }
    used.push(segment)
    next = segment.batches.reduce((n, batch) => n + batch.transactions.length, segment.first)
  }
  return { used, unused }
}

function ownerState(owners: Owners, table: string, owner: string): OwnerState {
  const of = byOwner(owners, table)
  let state = of.get(owner)
  if (!state)
    of.set(
      owner,
      (state = { seq: 0, documents: new Map(), added: [], onDisk: false, touched: false, isFlipped: false }),
    )
  return state
}

function apply(state: OwnerState, op: Batch['transactions'][number]['ops'][number], seq: number): void {
  if (seq <= state.seq) return
  if ('add' in op) state.added.push({ position: op.n, at: op.t, record: deepFreeze(op.add) })
  else if ('put' in op) state.documents.set(op.put.id, deepFreeze(op.put))
  else state.documents.delete(op.remove)
}

/** The checkpoint files during a recovery. */
interface Checkpoints {
  readonly owners: Owners
  readonly unread: Unread
  /** By table, the number of files that existed before the log and that the log refers to. */
  readonly expected: Record<string, number>
  /** The folder of the files. */
  readonly documents: string
}

/**
 * Counts, by table, the checkpoint files that existed before the log and that the log refers to. Reports those that are
 * missing. Marks them as touched.
 */
function noteTouched(batch: Batch, { owners, unread, expected, documents }: Checkpoints, findings: Findings): void {
  const fresh = new Set(batch.fresh.map((pair) => JSON.stringify(pair)))
  for (const { ops } of batch.transactions) {
    for (const { c, o } of ops) {
      const state = ownerState(owners, c, o)
      if (state.touched) continue
      state.touched = true
      if (fresh.has(JSON.stringify([c, o]))) continue
      expected[c] = (expected[c] ?? 0) + 1
      if (state.onDisk) continue
      const name = fileNameOf(o)
      if (unread.get(c)?.has(name)) continue
      findings.damaged(c, name, new StoreDamaged(pathOf(documents, c, o), 0, 'it is missing'))
    }
  }
}

function checkNoneIsLost({ owners, unread, expected, documents }: Checkpoints, manifest: Manifest, findings: Findings) {
  for (const table of new Set([...owners.keys(), ...unread.keys(), ...Object.keys(manifest.owners)])) {
    const states = [...(owners.get(table) ?? [])]
    const untouched = states.filter(([, state]) => !state.touched && state.documents.size > 0).length
    const touched = new Set(states.filter(([, state]) => state.touched).map(([owner]) => fileNameOf(owner)))
    const unreadUntouched = [...(unread.get(table) ?? [])].filter((name) => !touched.has(name)).length
    const found = untouched + unreadUntouched + (expected[table] ?? 0)
    const wanted = manifest.owners[table] ?? 0
    if (found === wanted) continue
    const what = `it should contain ${wanted} files with documents, but contains ${found}`
    findings.damaged(table, null, new StoreDamaged(`${documents}/${fileNameOf(table)}`, 0, what))
  }
}

const count = (owners: Owners, wanted: (state: OwnerState) => boolean): number =>
  [...owners.values()].reduce((sum, of) => sum + [...of.values()].filter(wanted).length, 0)

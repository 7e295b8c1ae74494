// The deep check: compares what the service reads from a repository with what a second Git implementation reads.
import { type CommitId, type TreeId, asOid } from '../../kernel/ids.js'
import { encodeObject, type ObjectType } from '../objects/hash.js'
import { findInPacks } from '../objects/pack-index.js'
import type { DeepFindings, Repository } from '../types.js'
import { openSecondReader, type SecondReader } from './second-reader.js'

/** Maximum number of compared refs, because isomorphic-git reads packed-refs again for every ref. */
const MAX_REFS = 2000
const MIB = 1024 * 1024

interface Check {
  service: Pick<Repository, 'refs' | 'objects' | 'path'>
  second: SecondReader
  complaints: string[]
  /** Objects that were compared or left out. */
  seen: Set<string>
  leftObjects: number
}

/**
 * Reads every ref, all commits reachable from the refs, and the trees and files of the commits that refs name with
 * isomorphic-git. Compares them with the service's data (from its caches, as for a page). If the two differ, one of
 * them does not match the disk.
 */
export async function deepCheck(service: Check['service'], maxPackBytes: number): Promise<DeepFindings> {
  const second = await openSecondReader(service.path, maxPackBytes)
  const check: Check = { service, second, complaints: [], seen: new Set(), leftObjects: 0 }
  const notes = second.left.map(
    ({ name, bytes }) =>
      `${name} (${Math.ceil(bytes / MIB)} MiB) was not compared: the deep check reads at most ${maxPackBytes / MIB} MiB of packs in total`,
  )
  const heads = await compareRefs(check, notes)
  await compareCommits(check, heads)
  for (const [ref, commit] of heads) {
    const info = await service.objects.commit(commit).catch(() => null)
    if (info) await compareTree(check, info.tree, ref)
  }
  if (check.leftObjects > 0) notes.push(`${check.leftObjects} objects are in packs that were not compared`)
  return { complaints: check.complaints, notes }
}

async function compareRefs({ service, second, complaints }: Check, notes: string[]): Promise<Map<string, CommitId>> {
  const ours = await service.refs.list('refs/')
  const theirs = new Set(await second.refs())
  for (const ref of ours.keys()) if (!theirs.has(ref)) complaints.push(`${ref}: isomorphic-git does not list it`)
  const names = [...ours].slice(0, MAX_REFS)
  if (names.length < ours.size) notes.push(`${ours.size - names.length} of ${ours.size} refs were not compared`)
  for (const [ref, oid] of names) {
    const other = await second.resolve(ref).catch(wordsOf)
    if (other !== oid) complaints.push(`${ref}: the service reads ${oid}, isomorphic-git ${other}`)
  }
  return ours
}

/** Compares all commits that are reachable from the heads. A ref may name a tag, which the service does not read. */
async function compareCommits(check: Check, heads: ReadonlyMap<string, CommitId>): Promise<void> {
  const open: [id: string, from: string][] = [...heads].map(([ref, id]) => [id, ref])
  for (let next = open.pop(); next; next = open.pop()) {
    const [id, from] = next
    const ours = await check.service.objects.commit(asOid(id)).catch(() => null)
    const type = await compareObject(check, id, from, ours ? 'commit' : null)
    if (ours && type === 'commit') {
      const theirs = await check.second.commit(id).catch(() => null)
      if (theirs && (theirs.tree !== ours.tree || theirs.parents.join() !== ours.parents.join()))
        check.complaints.push(`commit ${id}: the service and isomorphic-git read different trees or parents`)
    } else if (!ours && type === 'commit')
      check.complaints.push(`commit ${id} (reachable from ${from}): the service cannot read it`)
    for (const parent of ours?.parents ?? []) if (!check.seen.has(parent)) open.push([parent, id])
  }
}

async function compareTree(check: Check, root: TreeId, ref: string): Promise<void> {
  const open: [oid: TreeId, path: string][] = check.seen.has(root) ? [] : [[root, '']]
  for (let next = open.pop(); next; next = open.pop()) {
    const [oid, path] = next
    if (check.seen.has(oid)) continue
    const tree = check.service.objects.tree(oid)
    const entries = await tree.list('').catch(() => null)
    const type = await compareObject(check, oid, `${ref}:${path}`, 'tree')
    if (entries === null) check.complaints.push(`tree ${oid} (${ref}:${path}): the service cannot read it`)
    if (type === 'tree' && entries) await compareEntries(check, oid, `${ref}:${path}`, entries)
    for (const entry of entries ?? []) {
      const below = path === '' ? entry.path : `${path}/${entry.path}`
      if (entry.mode === '040000') open.push([asOid(entry.oid), below])
      else if (entry.mode !== '160000' && !check.seen.has(entry.oid))
        await compareFile(check, tree, entry.oid, `${ref}:${below}`)
    }
  }
}

async function compareEntries(
  { second, complaints }: Check,
  oid: string,
  where: string,
  entries: readonly { path: string; mode: string; oid: string }[],
): Promise<void> {
  const theirs = await second.tree(oid).catch(() => null)
  if (!theirs) return
  const same =
    theirs.size === entries.length && entries.every((entry) => theirs.get(entry.path) === `${entry.mode} ${entry.oid}`)
  if (!same) complaints.push(`tree ${oid} (${where}): the service and isomorphic-git read different entries`)
}

async function compareFile(
  check: Check,
  tree: ReturnType<Repository['objects']['tree']>,
  oid: string,
  where: string,
): Promise<void> {
  const type = await compareObject(check, oid, where, 'blob')
  const ours = await tree.read(oid).catch(wordsOf)
  if (typeof ours === 'string') check.complaints.push(`blob ${oid} (${where}): the service cannot read it: ${ours}`)
  // isomorphic-git has read an object whose hash is the ID. If our content has the same hash, the two are equal.
  else if (type !== null && encodeObject('blob', ours).oid !== oid)
    check.complaints.push(`blob ${oid} (${where}): the service reads different content`)
}

/**
 * Checks that isomorphic-git finds the object, and that its hash matches its ID. Returns its type; null if it was left
 * out or is unreadable.
 */
async function compareObject(
  check: Check,
  oid: string,
  where: string,
  type: ObjectType | null,
): Promise<string | null> {
  check.seen.add(oid)
  try {
    const found = await check.second.object(oid)
    if (encodeObject(found.type as ObjectType, found.content).oid !== oid)
      check.complaints.push(`object ${oid} (${where}): isomorphic-git reads content that does not match the name`)
    else if (type !== null && found.type !== type)
      check.complaints.push(`object ${oid} (${where}): it is a ${found.type}, not a ${type}`)
    return found.type
  } catch (error) {
    const pack =
      check.second.left.length > 0 ? (await findInPacks(`${check.service.path}/objects`, [oid])).get(oid) : undefined
    if (pack !== undefined && check.second.left.some(({ name }) => name === pack)) check.leftObjects++
    else
      check.complaints.push(`${type ?? 'object'} ${oid} (${where}): isomorphic-git cannot read it: ${wordsOf(error)}`)
    return null
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

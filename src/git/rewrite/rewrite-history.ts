/**
 * Removes files, texts and people from the whole history of a repository: writes a second repository that has never had
 * them. The repository itself does not change.
 */
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CommitId, type RefName, asOid } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import { createRepository } from '../lifecycle/create.js'
import { findAbsent, listRefs } from '../lifecycle/plain.js'
import { type Disk, syncPath, writeSynced } from '../objects/disk.js'
import type { EncodedObject } from '../objects/hash.js'
import { packEntry, type RawEntry } from '../objects/pack-format.js'
import { writePack } from '../objects/pack-writer.js'
import { wholeCommand } from '../process/whole-command.js'
import type { LocalParts } from '../repository.js'
import { Rewriter, type Sink } from './rewriter.js'
import type { RewriteOrder, RewriteResult, RewrittenRef } from './types.js'

/** Maximum time without output of a Git command on the whole repository, in milliseconds. */
const LONG_MS = 6 * 3_600_000
/** Size of the new objects that are collected before they are written as a pack. */
const PACK_BYTES = 32 * 1024 * 1024
const PACK_OBJECTS = 10_000

/** The part of an open repository that a rewrite reads. */
type Source = Pick<LocalParts, 'path' | 'objects' | 'launcher' | 'disk'>

/** Finds what a rewrite would change. Writes nothing. */
export async function planRewrite(source: Source, order: RewriteOrder): Promise<RewriteResult> {
  return (await run(source, order, async () => {})).result
}

/**
 * Rewrites the history into a new bare repository at `target`, whose objects are those that its refs need. It has no
 * reflogs. Throws `GitError` if the new repository is incomplete, or still has something that was to be removed.
 */
export async function writeRewritten(
  source: Source,
  order: RewriteOrder,
  { reposDir, target }: { reposDir: string; target: string },
): Promise<RewriteResult> {
  const { disk, path } = source
  let result: RewriteResult | null = null
  await createRepository(disk, reposDir, target, async (building) => {
    const borrowed = join(building, 'objects/info/alternates')
    await writeFile(borrowed, `${join(path, 'objects')}\n`)
    const packs = new NewPacks(disk, join(building, 'objects/pack'))
    const made = await run(source, order, (object) => packs.add(object))
    await packs.flush()
    await writeSynced(disk, join(building, 'packed-refs'), [packedRefs(made.result.refs)], 0o644)
    await copyFile(join(path, 'HEAD'), join(building, 'HEAD'))
    await copyFile(join(path, 'config'), join(building, 'config'))
    await mustRun(building, ['repack', '-a', '-d', '-q', '-n', '--no-write-bitmap-index'])
    await rm(borrowed)
    await mustRun(building, ['rev-list', '--objects', '--all', '--quiet'])
    result = await withoutKept(source, building, made.result)
    for (const one of ['HEAD', 'config', 'objects/pack', 'objects/info']) await syncPath(disk, join(building, one))
  })
  if (result === null) throw new GitError('the history was not rewritten')
  return result
}

async function run({ path, objects }: Source, order: RewriteOrder, put: Sink): Promise<{ result: RewriteResult }> {
  const refs = (await listRefs(path)).map((line) => {
    const [object = '', ref = ''] = line.split(' ')
    return { object, ref }
  })
  const rewriter = new Rewriter(objects, order, put)
  const commits = await commitsOf(path)
  if (order.paths.length > 0) for (const commit of commits) await rewriter.collect(commit)
  for (const commit of commits) await rewriter.commit(commit)
  const moved: RewrittenRef[] = []
  for (const { object, ref } of refs) {
    const to = ref.replaceAll(/\b[0-9a-f]{40}\b/g, (oid) => rewriter.names.get(oid) ?? oid)
    moved.push({
      from: ref as RefName,
      to: to as RefName,
      oldObject: object,
      newObject: await rewriter.target(object),
    })
  }
  const { names, saying, removed, files, signatures, named, unread, lfsObjects, stillAt } = rewriter
  return {
    result: {
      names,
      commits: rewriter.commits,
      saying,
      refs: moved,
      removed: [...removed],
      files,
      signatures,
      stillAt: [...stillAt],
      named: [...named],
      unread: [...unread],
      lfsObjects: [...lfsObjects],
    },
  }
}

/** Returns all commits that refs contain, parents first. */
async function commitsOf(path: string): Promise<CommitId[]> {
  const listed = await mustRun(path, ['rev-list', '--all', '--topo-order', '--reverse'])
  return listed.split('\n').flatMap((line) => (line === '' ? [] : [asOid(line)]))
}

/** A removed file may still be needed at another path. Everything else must be gone. */
async function withoutKept(source: Source, building: string, result: RewriteResult): Promise<RewriteResult> {
  const absent = new Set(result.removed.length === 0 ? [] : await findAbsent(source.launcher, building, result.removed))
  const kept = result.removed.filter((oid) => !absent.has(oid))
  if (kept.length > 0 && result.stillAt.length === 0)
    throw new GitError(`the new repository still contains ${kept.slice(0, 5).join(', ')}`)
  return { ...result, removed: [...absent] }
}

const packedRefs = (refs: readonly RewrittenRef[]): Buffer =>
  Buffer.from(
    `# pack-refs with: sorted \n${[...refs]
      .sort((a, b) => (a.to < b.to ? -1 : 1))
      .map(({ to, newObject }) => `${newObject} ${to}\n`)
      .join('')}`,
  )

async function mustRun(path: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await wholeCommand(path, args, LONG_MS)
  if (code !== 0) throw new GitError(`git ${args[0]} in ${path} failed: ${stderr.trim().slice(0, 1000)}`)
  return stdout
}

/** Collects new objects into packs. */
class NewPacks {
  #waiting: EncodedObject[] = []
  #bytes = 0

  constructor(
    readonly disk: Disk,
    readonly folder: string,
  ) {}

  async add(object: EncodedObject): Promise<void> {
    this.#waiting.push(object)
    this.#bytes += object.content.length
    if (this.#bytes > PACK_BYTES || this.#waiting.length >= PACK_OBJECTS) await this.flush()
  }

  async flush(): Promise<void> {
    const objects = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    if (objects.length > 0) await writePack(this.disk, this.folder, objects.length, entriesOf(objects))
  }
}

async function* entriesOf(objects: readonly EncodedObject[]): AsyncGenerator<RawEntry> {
  for (const object of objects) yield { oid: object.oid, bytes: await packEntry(object) }
}

/**
 * Moves repositories: into the database as one pack and all refs each, and out of it in the way that a node fills its
 * copies.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  importRepository,
  forgetState,
  fsck,
  openGit,
  openSharedGit,
  removeStored,
  type SharedGit,
} from '../../git/index.js'
import type { CommitId, RefName } from '../../kernel/ids.js'
import type { Database } from '../../postgres/index.js'
import type { Installation, Report } from './installation.js'

/** Number of repositories per set of copies, after which their disk space is freed. */
const AT_ONCE = 50
const BLOB_BYTES = 1024 ** 3

/** Runs work with the repositories of the database, with copies in a folder. */
async function withCopies(
  database: Database,
  reposDir: string,
  work: (git: SharedGit) => Promise<void>,
): Promise<void> {
  const local = await openGit({ reposDir, maxBlobBytes: BLOB_BYTES })
  try {
    const git = await openSharedGit(local, { database })
    await work(git).finally(() => git.close())
  } finally {
    await local.close()
  }
}

/** Runs work with a temporary folder of copies, a limited number of repositories at a time. */
async function inTurns(
  database: Database,
  names: readonly string[],
  work: (git: SharedGit, name: string, n: number) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < names.length; from += AT_ONCE) {
    const folder = await mkdtemp(join(tmpdir(), 'bindery-migrate-'))
    const remove = (): void => rmSync(folder, { recursive: true, force: true })
    process.once('exit', remove)
    try {
      await withCopies(database, folder, async (git) => {
        for (const [at, name] of names.slice(from, from + AT_ONCE).entries()) await work(git, name, from + at + 1)
      })
    } finally {
      process.off('exit', remove)
      await rm(folder, { recursive: true, force: true })
    }
  }
}

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, at) => line === b[at])

/**
 * Moves all repositories of a folder into the database. Complete ones are skipped; those that the source does not have
 * are removed.
 */
export async function moveIntoDatabase(
  source: Installation,
  reposDir: string,
  { database, target, tell }: IntoDatabase,
): Promise<void> {
  const names = await source.repositories()
  const here = new Set(await target.repositories())
  const wrong = [...here].filter((name) => !names.includes(name))
  const missing: string[] = []
  for (const name of names) {
    if (here.has(name) && sameLines(await source.refs(name), await target.refs(name))) continue
    if (here.has(name)) wrong.push(name)
    missing.push(name)
  }
  for (const name of wrong) await removeStored(database, name)
  for (const [at, name] of missing.entries()) {
    const refs = (await source.refs(name)).map((line): [RefName, CommitId] => {
      const [to, ref] = line.split(' ') as [CommitId, RefName]
      return [ref, to]
    })
    await importRepository(database, { name, path: join(reposDir, `${name}.git`), refs })
    tell(`Repository ${name} (${at + 1} of ${missing.length})`)
  }
}

interface IntoDatabase {
  database: Database
  target: Installation
  tell: Report
}

/** Fills a folder with all repositories of the database. Existing ones are updated. */
export async function moveIntoFolder(
  source: Installation,
  reposDir: string,
  { database, tell }: Omit<IntoDatabase, 'target'>,
): Promise<void> {
  const names = await source.repositories()
  await withCopies(database, reposDir, async (git) => {
    for (const [at, name] of names.entries()) {
      await git.refresh(name)
      tell(`Repository ${name} (${at + 1} of ${names.length})`)
    }
  })
}

/** Turns the copies of a node in a folder into independent repositories. */
export function becomeOwnRepositories(reposDir: string, names: readonly string[]): void {
  for (const name of names) forgetState(join(reposDir, `${name}.git`))
}

/** Compares names and refs on both sides. Returns the differences, one per line, and the number of refs. */
export async function compareRepositories(
  source: Installation,
  target: Installation,
): Promise<{ differences: string[]; repositories: number; refs: number }> {
  const [mine, theirs] = [await source.repositories(), await target.repositories()]
  const differences = sameLines(mine, theirs)
    ? []
    : [`repositories: ${mine.length} in the source, ${theirs.length} in the target`]
  let refs = 0
  for (const name of mine.filter((one) => theirs.includes(one))) {
    const [here, there] = [await source.refs(name), await target.refs(name)]
    refs += here.length
    if (!sameLines(here, there))
      differences.push(
        `repository ${name}: ${here.length} refs in the source, ${there.length} in the target, and they differ`,
      )
  }
  return { differences, repositories: mine.length, refs }
}

/**
 * Reads every repository of the database into an empty folder and checks it. Returns the complaints of `git fsck
 * --strict` that the source does not have.
 */
export async function checkStored(
  database: Database,
  names: readonly string[],
  { reposDir, tell }: { reposDir: string; tell: Report },
): Promise<string[]> {
  const found: string[] = []
  await inTurns(database, names, async (git, name, n) => {
    await git.refresh(name)
    const repository = await git.open(name)
    found.push(...(await newComplaints(name, await repository.upkeep.check(), join(reposDir, `${name}.git`))))
    tell(`Repository ${name} checked (${n} of ${names.length})`)
  })
  return found
}

/** Returns the complaints about a repository that do not apply to the source, with its name. */
async function newComplaints(name: string, complaints: readonly string[], source: string): Promise<string[]> {
  if (complaints.length === 0) return []
  const known = new Set(await fsck(source))
  return complaints.filter((line) => !known.has(line)).map((line) => `repository ${name}: ${line}`)
}

/**
 * Reads and writes the ledger of a run in the result's repository. It records the written file for each source file,
 * and the hashes of its units.
 */
import type { FileChange, Repository, Snapshot, TreeEntry } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Lease } from '../../kernel/lease.js'
import { Slices } from '../../kernel/slices.js'
import type { App } from '../context/app.js'
import { moveRefs } from '../commits/move-branch.js'
import { commitMessage, serviceSignature } from '../commits/make-commit.js'
import { isOid } from '../../kernel/ids.js'

/** Ref of the newest ledger, whose parents are the earlier ones. */
const LEDGER = 'refs/bindery/translation'
/** The commit header that names the ledger of a run. */
export const LEDGER_HEADER = 'translation-ledger'
/** Maximum number of commits that are searched for the last run. */
const MAX_WALK = 20_000
const FIRST_WALK = 100

/** One file of the source at the last run. */
export interface KnownFile {
  id: string
  /** Blob of the source; '' for the initial files of the space. */
  source: string
  /** Blob that the run wrote. */
  written: string
  path: string
  mode: TreeEntry['mode']
  /** Whether a unit stayed in the source language. */
  kept: boolean
  /** Whether people edited a part of it. */
  edited: boolean
}

/** The record of the last run. */
export interface Ledger {
  commit: CommitId | null
  /** The revision of the source. */
  source: string
  files: Map<string, KnownFile>
  snapshot: Snapshot | null
}

const lineOf = ({ id, source, written, path, mode, kept, edited }: KnownFile): string =>
  `${id} ${source} ${written} ${mode} ${kept ? 'k' : '-'}${edited ? 'e' : '-'} ${path}\n`

function readLine(line: string): KnownFile {
  const [id = '', source = '', written = '', mode, flags = '', ...path] = line.split(' ')
  return {
    id,
    source,
    written,
    mode: mode as KnownFile['mode'],
    kept: flags.includes('k'),
    edited: flags.includes('e'),
    path: path.join(' '),
  }
}

/** Finds the ledger of the newest run in the history of `head`. Null if there is none. */
export async function findLedger(repo: Repository, head: CommitId): Promise<Ledger | null> {
  for (const limit of [FIRST_WALK, MAX_WALK]) {
    const history = await repo.history.log({ from: head, limit })
    const ledger = history.find(({ headers }) => headers[LEDGER_HEADER] !== undefined)?.headers[LEDGER_HEADER]
    if (ledger !== undefined && isOid(ledger) && (await repo.objects.hasCommit(ledger))) return readLedger(repo, ledger)
    if (ledger !== undefined || history.length < limit) return null
  }
  return null
}

async function readLedger(repo: Repository, commit: CommitId): Promise<Ledger> {
  const snapshot = await repo.objects.snapshot(commit)
  const index = await snapshot.entry('index')
  const [first = '', ...lines] = index ? (await snapshot.read(index.oid)).toString().split('\n') : []
  const files = new Map<string, KnownFile>()
  const slices = new Slices()
  for (const line of lines) {
    if (slices.due) await slices.rest()
    const file = readLine(line)
    if (line !== '') files.set(file.id, file)
  }
  return { commit, source: first.replace('source ', ''), files, snapshot }
}

/** Returns the hashes of a file's units; '' if there are none. */
export async function unitsOf({ snapshot }: Ledger, id: string): Promise<string> {
  const entry = await snapshot?.entry(`units/${id}`)
  return snapshot && entry ? (await snapshot.read(entry.oid)).toString() : ''
}

/** Writes the ledger of a run. It is unreferenced until the run's commit names it. */
export async function writeLedger(
  app: App,
  repo: Repository,
  before: Ledger,
  next: { source: string; files: ReadonlyMap<string, KnownFile>; units: ReadonlyMap<string, string> },
): Promise<CommitId> {
  const changes: FileChange[] = [
    { path: 'index', content: Buffer.from(`source ${next.source}\n${[...next.files.values()].map(lineOf).join('')}`) },
  ]
  for (const [id, text] of next.units) changes.push({ path: `units/${id}`, content: Buffer.from(text) })
  for (const id of before.files.keys())
    if (!next.files.has(id) && (await before.snapshot?.entry(`units/${id}`)))
      changes.push({ path: `units/${id}`, delete: true })
  const signature = serviceSignature(app)
  return repo.objects.write({
    parents: before.commit === null ? [] : [before.commit],
    changes,
    message: commitMessage('Ledger of a translation'),
    author: signature,
    committer: signature,
  })
}

/** Protects a ledger from pruning with a chain of commits that have all ledgers as parents. */
export async function keepLedger(app: App, repo: Repository, ledger: CommitId, lease: Lease): Promise<void> {
  const head = repo.refs.head(LEDGER)
  if (head === ledger || (head !== null && (await repo.history.isAncestor(ledger, head)))) return
  let to = ledger
  if (head !== null && !(await repo.history.isAncestor(head, ledger))) {
    const signature = serviceSignature(app)
    const { tree } = await repo.objects.commit(ledger)
    to = await repo.objects.write({
      parents: [head, ledger],
      changes: [],
      tree,
      message: 'Keep the ledgers of a translation\n',
      author: signature,
      committer: signature,
    })
  }
  await moveRefs(repo, [{ ref: LEDGER, from: head, to }], 'keep the ledger of a translation', lease)
}

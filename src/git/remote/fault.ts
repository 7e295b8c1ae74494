// Explains what Git rejected in a fetch: the path and the commit instead of an object ID.
import { required } from '../../kernel/defined.js'
import { parseTree, type Tree } from '../objects/tree-codec.js'
import { RemoteError } from '../errors.js'
import { stream } from './inspect.js'
import { bounded } from './classify.js'
import { isGitFolder, whyRefusedByGit } from '../trees/path.js'
import { type GitSetting, runGit } from './run.js'

/** An object that Git's fsck rejected. `says` is the reason: `hasDotgit: contains '.git'`. */
interface Fault {
  oid: string
  says: string
}

/** Maximum size of a tree that is searched for the name, in bytes. */
const MAX_TREE_BYTES = 4 * 1024 * 1024

/** Finds the rejected object in the standard error of a fetch; null if the fetch failed for another reason. */
export function faultOf(stderr: string): Fault | null {
  for (const line of stderr.split(/[\r\n]+/)) {
    const found = line.startsWith('remote:') ? null : /object ([0-9a-f]{40}): (\w+: .*)/.exec(line)
    if (found) return { oid: required(found[1]), says: bounded(required(found[2])) }
  }
  return null
}

/**
 * Returns the error for a fault, with its path and the newest commit in the history of `head` that contains it.
 * @param at a quarantine that contains the rejected object; null if there is none: then the error names only the object
 * ID
 * @param sent the subject of the error message: the rejected data
 */
export async function refusalOf(
  fault: Fault,
  ref: string,
  at: { git: GitSetting; head: string; timeoutMs: number } | null,
  sent = 'The data from the remote',
): Promise<RemoteError> {
  const place = at && (await findPlace(fault, at.git, at.head, at.timeoutMs))
  const what = place
    ? `${place.what}, in commit ${place.commit} of ${bounded(ref)}, is dangerous or damaged`
    : `the history of ${bounded(ref)} contains an object that is dangerous or damaged`
  return new RemoteError(
    'unsafe-content',
    `${sent} was rejected: ${what}. Git: ${fault.says} (object ${fault.oid}). Remove it from the branch and its history, and try again.`,
  )
}

interface ErrorPosition {
  /** A phrase for the error: `"docs/.git"`. */
  what: string
  commit: string
}

const FOUND = Symbol('found')

async function findPlace(
  { oid, says }: Fault,
  git: GitSetting,
  head: string,
  timeoutMs: number,
): Promise<ErrorPosition | null> {
  const started = Date.now()
  let commit = ''
  let path: string | null = null
  // rev-list prints the newest commits first, each followed by its objects that no newer commit has. So the last
  // printed commit contains the object.
  const args = ['rev-list', '--objects', '--in-commit-order', head]
  await stream(git, args, timeoutMs, '\n', (record) => {
    const isCommit = record.length === 40
    if (isCommit) commit = record.toString('latin1')
    if (record.toString('latin1', 0, 40) !== oid) return
    path = isCommit ? null : record.toString('utf8', 41)
    throw FOUND
  }).catch(() => {})
  if (commit === '') return null
  if (path === null) return commit === oid ? { what: 'the commit itself', commit } : null
  const name = await faultyName(oid, says, git, timeoutMs - (Date.now() - started))
  return { what: phraseOf(path, name), commit }
}

const quoted = (path: string): string => JSON.stringify(path.slice(0, 300))

function phraseOf(path: string, name: string | null): string {
  if (name === null) return path === '' ? 'the top folder' : quoted(path)
  return name === ''
    ? `an entry without a name in ${path === '' ? 'the top folder' : quoted(path)}`
    : quoted(path === '' ? name : `${path}/${name}`)
}

/** Returns the name of the folder entry with the fault; null if the object is not a folder, or no entry looks wrong. */
async function faultyName(oid: string, says: string, git: GitSetting, timeoutMs: number): Promise<string | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  const run = await runGit(git, ['cat-file', 'tree', oid], {
    timeoutMs,
    onOutput: (piece, stop) => {
      bytes += piece.length
      if (bytes > MAX_TREE_BYTES) stop()
      else pieces.push(piece)
    },
  })
  if (run.code !== 0) return null
  try {
    return faultyEntry(parseTree(Buffer.concat(pieces)), says)
  } catch {
    return null
  }
}

function faultyEntry({ nodes }: Tree, says: string): string | null {
  const seen = new Set<string>()
  for (const { name, oid } of nodes) {
    const isSpecial =
      /^\.git(modules|attributes|ignore)|^\.mailmap/i.test(name) && says.toLowerCase().includes(name.toLowerCase())
    if (isDangerous(name) || isSpecial || seen.has(name) || /^0{40}$/.test(oid)) return name
    seen.add(name)
  }
  return null
}

/** Whether Git rejects the name or, as on Windows, a part of it between backslashes. */
const isDangerous = (name: string): boolean =>
  name.includes('/') || whyRefusedByGit(name) !== null || name.split('\\').some(isGitFolder)

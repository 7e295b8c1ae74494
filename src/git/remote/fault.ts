import { parseTree, type Tree } from '../objects/tree-codec.js'
import { RemoteError } from '../errors.js'
import { stream } from './inspect.js'
import { bounded } from './classify.js'
import { isGitFolder, whyRefusedByGit } from '../trees/path.js'
import { runGit } from './run.js'

/** An object that Git's fsck refused, and why, in its words: `hasDotgit: contains '.git'`. */
export interface Fault {
  oid: string
  says: string
}

/** Trees of more bytes are not looked through for the name. */
const MAX_TREE_BYTES = 4 * 1024 * 1024

/** What a fetch was refused for, from its standard error; null where that was no object's content. */
export function faultOf(stderr: string): Fault | null {
  for (const line of stderr.split(/[\r\n]+/)) {
    const found = line.startsWith('remote:') ? null : /object ([0-9a-f]{40}): (\w+: .*)/.exec(line)
    if (found) return { oid: found[1] as string, says: bounded(found[2] as string) }
  }
  return null
}

/**
 * The refusal of a fault, with the path at which the history of `head` has it and the newest commit that does.
 * @param env of a quarantine that holds what was refused; null where it could not be had: then the object alone is named
 */
export async function refusalOf(fault: Fault, ref: string, at: { env: Record<string, string>; head: string; timeoutMs: number } | null): Promise<RemoteError> {
  const place = at && (await findPlace(fault, at.env, at.head, at.timeoutMs))
  const what = place
    ? `${place.what}, in commit ${place.commit} of ${bounded(ref)}, is dangerous or damaged`
    : `the history of ${bounded(ref)} holds an object that is dangerous or damaged`
  return new RemoteError(
    'unsafe-content',
    `What the remote sends is refused: ${what}. Git: ${fault.says} (object ${fault.oid}). Take it out of the branch, its history included, and start again.`,
  )
}

interface Place {
  /** As it stands in a sentence: `"docs/.git"`. */
  what: string
  commit: string
}

const FOUND = Symbol('found')

async function findPlace({ oid, says }: Fault, env: Record<string, string>, head: string, timeoutMs: number): Promise<Place | null> {
  const started = Date.now()
  let commit = ''
  let path: string | null = null
  // The newest commits first, each followed by what no newer one has: the last one named has it.
  const args = ['rev-list', '--objects', '--in-commit-order', head]
  await stream(args, env, timeoutMs, '\n', (record) => {
    const isCommit = record.length === 40
    if (isCommit) commit = record.toString('latin1')
    if (record.toString('latin1', 0, 40) !== oid) return
    path = isCommit ? null : record.toString('utf8', 41)
    throw FOUND
  }).catch(() => {})
  if (commit === '') return null
  if (path === null) return commit === oid ? { what: 'the commit itself', commit } : null
  const name = await namesIn(oid, says, env, timeoutMs - (Date.now() - started))
  return { what: spoken(path, name), commit }
}

const quoted = (path: string): string => JSON.stringify(path.slice(0, 300))

function spoken(path: string, name: string | null): string {
  if (name === null) return path === '' ? 'the topmost folder' : quoted(path)
  return name === '' ? `an entry without a name in ${path === '' ? 'the topmost folder' : quoted(path)}` : quoted(path === '' ? name : `${path}/${name}`)
}

/** Which entry of a folder the fault is about; null where the object is no folder, or no entry of it stands out. */
async function namesIn(oid: string, says: string, env: Record<string, string>, timeoutMs: number): Promise<string | null> {
  const pieces: Buffer[] = []
  let bytes = 0
  const run = await runGit(['cat-file', 'tree', oid], {
    env,
    timeoutMs,
    onOutput: (piece, stop) => {
      bytes += piece.length
      if (bytes > MAX_TREE_BYTES) stop()
      else pieces.push(piece)
    },
  })
  if (run.code !== 0) return null
  try {
    return standingOut(parseTree(Buffer.concat(pieces)), says)
  } catch {
    return null
  }
}

function standingOut({ nodes }: Tree, says: string): string | null {
  const seen = new Set<string>()
  for (const { name, oid } of nodes) {
    const isSpecial = /^\.git(modules|attributes|ignore)|^\.mailmap/i.test(name) && says.toLowerCase().includes(name.toLowerCase())
    if (isDangerous(name) || isSpecial || seen.has(name) || /^0{40}$/.test(oid)) return name
    seen.add(name)
  }
  return null
}

/** Whether Git refuses the name, or (on Windows, where a backslash parts names) a part of it. */
const isDangerous = (name: string): boolean => name.includes('/') || whyRefusedByGit(name) !== null || name.split('\\').some(isGitFolder)

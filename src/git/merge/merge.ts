/** Merges two commits with `git merge-tree` in a scratch folder, and returns the merged tree or the conflicts. */
import { type CommitId, asOid } from '../../kernel/ids.js'
import { GitError, MissingObject } from '../errors.js'
import { encodeCommit } from '../objects/commit-codec.js'
import type { ObjectDatabase } from '../objects/database.js'
import { type EncodedObject, encodeObject } from '../objects/hash.js'
import type { ObjectWriter } from '../objects/writer.js'
import type { ScratchFolder } from '../objects/scratch.js'
import type { Tree } from '../objects/tree-codec.js'
import { ConversationLost } from '../process/conversation.js'
import type { Pool, Service } from '../process/pool.js'
import { objectsBeyond } from '../trees/new-objects.js'
import type { MergeInput, MergeOutcome } from '../types.js'
import { conflictsOf } from './conflicts.js'
import { type MergeOutput, readMergeOutput } from './parse.js'

const SETTINGS = [
  '-c',
  'merge.directoryRenames=false',
  '-c',
  'merge.renames=true',
  '-c',
  'merge.renameLimit=1000',
  '-c',
  'merge.conflictStyle=merge',
]
// Output of a merge is temporary. Objects that a commit needs are written again, durably.
const VOLATILE = ['-c', 'core.fsync=none']
const ARGS = [...SETTINGS, ...VOLATILE, 'merge-tree', '--write-tree', '-z', '--allow-unrelated-histories', '--stdin']
/** Maximum time of a merge in milliseconds. Git prints nothing before it is done. */
const SILENCE_MS = 180_000
/** Time in milliseconds after which a merge must not slow down the service: merges of pages take some ten milliseconds. */
const YIELDS_AFTER_MS = 2_000
/** Maximum number of damaged objects that are repaired before a merge fails. */
const MAX_DAMAGED = 20
const PLACEHOLDER = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

/**
 * Merges the trees of two commits with Git's strategy `ort`. New objects are in the scratch folder, not in the
 * repository, so a preview can also merge. If the repository has a file for an object, Git does not write it again,
 * even if the file is damaged. Such a file is removed, and the merge repeated. Throws `MissingObject`.
 */
export async function mergeTrees(
  objects: ObjectDatabase,
  writer: ObjectWriter,
  pool: Pool,
  input: MergeInput,
): Promise<MergeOutcome> {
  for (let damaged = 0; ; damaged++) {
    try {
      const { output, commits } = await merge(objects, pool, input)
      const lost = await findLost(objects, input, output)
      if (lost === null) return outcomeOf(output, commits)
      if (damaged >= MAX_DAMAGED || !(await writer.removeDamaged(lost)))
        throw new MissingObject(`cannot read object ${lost} of a merge`)
    } catch (error) {
      // Git exits when it reads an empty object.
      if (!(error instanceof ConversationLost) || damaged >= MAX_DAMAGED || (await writer.removeEmpty()) === 0)
        throw error
    }
  }
}

async function merge(
  objects: ObjectDatabase,
  pool: Pool,
  input: MergeInput,
): Promise<{ output: MergeOutput; commits: string[] }> {
  const folder = await objects.scratch.folder((before) => pool.finishService(objects.repository, service(before)))
  for (const id of [input.ours, input.theirs])
    if (!(await objects.hasCommit(id))) throw new MissingObject(`there is no commit ${id}`)
  const [ours, theirs] =
    input.base === undefined ? [input.ours, input.theirs] : await onBase(objects, folder, input, input.base)
  const output = pool.canUnbuffer
    ? await pool.askAgain(objects.repository, service(folder), `${ours} ${theirs}\n`, readMergeOutput)
    : await mergeOnce(pool, objects.repository, folder, ours, theirs)
  return { output, commits: [ours, theirs] }
}

const service = (folder: ScratchFolder): Service => ({
  name: `merge-tree ${folder.name}`,
  args: ARGS,
  unbuffered: true,
  env: folder.env,
  silenceMs: SILENCE_MS,
  yieldsAfterMs: YIELDS_AFTER_MS,
})

function outcomeOf(output: MergeOutput, commits: readonly string[]): MergeOutcome {
  const tree = asOid(output.tree)
  return output.clean ? { clean: true, tree } : { clean: false, tree, conflicts: conflictsOf(output, commits) }
}

/** Returns an unreadable object of the result; null if all are readable. */
async function findLost(
  objects: ObjectDatabase,
  { ours, theirs }: MergeInput,
  { tree }: MergeOutput,
): Promise<string | null> {
  const sides = await Promise.all([ours, theirs].map(async (id) => (await objects.commit(id)).tree))
  const trees = new Set<string>()
  let reading = tree
  const readTree = (oid: string): Promise<Tree> => {
    trees.add(oid)
    return objects.tree(oid).catch((error: unknown) => {
      reading = oid
      throw error
    })
  }
  try {
    const made = await objectsBeyond(tree, sides, readTree)
    return await objects.findUnreadable([...made].filter((oid) => !trees.has(oid)))
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    return reading
  }
}

/** Merges without `stdbuf`: with one process per merge, which flushes its output when it ends. */
async function mergeOnce(
  pool: Pool,
  repository: string,
  folder: ScratchFolder,
  ours: string,
  theirs: string,
): Promise<MergeOutput> {
  const stdout = await pool.launcher.mustRun(ARGS, {
    cwd: repository,
    env: folder.env,
    input: `${ours} ${theirs}\n`,
    timeoutMs: SILENCE_MS,
  })
  const reading = readMergeOutput(stdout)
  if (!('answer' in reading)) throw new GitError('the output of merge-tree is incomplete')
  return reading.answer
}

/**
 * Returns commits with the same trees whose merge base is `base`, since Git 2.39 has no option for the merge base. Each
 * tree gets a new commit whose only parent is the base, regardless of the real histories. The same input gives the same
 * two commits. They are in the scratch folder, where only Git reads them.
 */
async function onBase(
  objects: ObjectDatabase,
  folder: ScratchFolder,
  { ours, theirs }: MergeInput,
  base: CommitId,
): Promise<[string, string]> {
  await objects.commit(base)
  const makeCommit = async (commit: CommitId, message: string): Promise<EncodedObject> => {
    const { tree } = await objects.commit(commit)
    return encodeObject(
      'commit',
      encodeCommit({ tree, parents: [base], author: PLACEHOLDER, committer: PLACEHOLDER, message }),
    )
  }
  const [left, right] = await Promise.all([makeCommit(ours, `ours: ${ours}`), makeCommit(theirs, `theirs: ${theirs}`)])
  await objects.scratch.put(folder, [left, right])
  return [left.oid, right.oid]
}

import type { CommitId, TreeId } from '../../kernel/ids.js'
import { MissingObject } from '../errors.js'
import { encodeCommit } from '../objects/commit-codec.js'
import type { ObjectDatabase } from '../objects/database.js'
import { type EncodedObject, encodeObject } from '../objects/hash.js'
import type { ObjectWriter } from '../objects/writer.js'
import { GitError } from '../errors.js'
import type { Pool, Service } from '../process/pool.js'
import type { MergeOutcome } from '../types.js'
import { conflictsOf } from './conflicts.js'
import { type MergeAnswer, readMergeAnswer } from './parse.js'

const SETTINGS = ['-c', 'merge.directoryRenames=false', '-c', 'merge.renames=true', '-c', 'merge.renameLimit=1000', '-c', 'merge.conflictStyle=merge']
// Nothing names the result yet: `write` makes durable what a commit takes from it.
const VOLATILE = ['-c', 'core.fsync=none']
const ARGS = [...SETTINGS, ...VOLATILE, 'merge-tree', '--write-tree', '-z', '--allow-unrelated-histories', '--stdin']
const service: Service = { name: 'merge-tree', args: ARGS, unbuffered: true }
const NOBODY = { name: 'Bindery', email: 'bindery@localhost', seconds: 0, offset: 0 }

export interface MergeInput {
  ours: CommitId
  theirs: CommitId
  base?: CommitId
}

/** Merges two commits' trees by Git's own strategy (`ort`). Writes objects, none of them durable. Throws `MissingObject`. */
export async function mergeTrees(objects: ObjectDatabase, writer: ObjectWriter, pool: Pool, input: MergeInput): Promise<MergeOutcome> {
  const [ours, theirs] = input.base === undefined ? [input.ours, input.theirs] : await onBase(objects, writer, input, input.base)
  for (const id of [ours, theirs]) if (!(await objects.hasCommit(id))) throw new MissingObject(`there is no commit ${id}`)
  const answer = pool.canUnbuffer
    ? await pool.askAgain(objects.repository, service, `${ours} ${theirs}\n`, readMergeAnswer)
    : await mergeOnce(pool, objects.repository, ours, theirs)
  const tree = answer.tree as TreeId
  return answer.clean ? { clean: true, tree } : { clean: false, tree, conflicts: conflictsOf(answer, [ours, theirs]) }
}

/** Where `stdbuf` is missing: one process, which flushes when it ends. */
async function mergeOnce(pool: Pool, repository: string, ours: string, theirs: string): Promise<MergeAnswer> {
  const stdout = await pool.launcher.mustRun(ARGS, { cwd: repository, input: `${ours} ${theirs}\n` })
  const reading = readMergeAnswer(stdout)
  if (!('answer' in reading)) throw new GitError('merge-tree answered in part')
  return reading.answer
}

/**
 * Git 2.39 takes no merge base. So both trees are put on commits of their own whose only parent is the base: then it is
 * their merge base, whatever the real histories say. The two are the same whenever the same is asked, and nothing names them.
 */
async function onBase(objects: ObjectDatabase, writer: ObjectWriter, { ours, theirs }: MergeInput, base: CommitId): Promise<[string, string]> {
  await objects.commit(base)
  const stand = async (commit: CommitId, message: string): Promise<EncodedObject> => {
    const { tree } = await objects.commit(commit)
    return encodeObject('commit', encodeCommit({ tree, parents: [base], author: NOBODY, committer: NOBODY, message }))
  }
  const [left, right] = await Promise.all([stand(ours, `ours: ${ours}`), stand(theirs, `theirs: ${theirs}`)])
  await writer.writeVolatile([left, right])
  return [left.oid, right.oid]
}

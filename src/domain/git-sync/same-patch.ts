import type { Repository, TreeChange } from '../../git/index.js'

/** Bytes of a patch beyond which two are not compared. */
const MAX_BYTES = 256 * 1024

/** Whether two changes of text files take out and put in the same lines in the same surroundings, wherever in the file. */
export async function samePatch(repo: Repository, a: TreeChange, b: TreeChange): Promise<boolean> {
  if (a.status !== b.status || a.before?.mode !== b.before?.mode || a.after?.mode !== b.after?.mode) return false
  const [one, other] = await Promise.all([patchOf(repo, a), patchOf(repo, b)])
  return one !== null && one === other
}

async function patchOf(repo: Repository, { before, after }: TreeChange): Promise<string | null> {
  // A file that was deleted, or added, is the same change only where its whole content is the same.
  if (!before || !after) return null
  const patch = await repo.diffText({ before: before.oid, after: after.oid, words: false, maxBytes: MAX_BYTES })
  return patch === null || patch.length === 0 ? null : changedLines(patch.toString('latin1'))
}

/** Hunks without their line numbers and headings: what `git patch-id` compares. */
const changedLines = (patch: string): string => patch.replace(/^@@ [^\n]*$/gm, '@@')

/** Runs `git diff` on two versions of a file, by lines or words, with a limit on the output. */
import { isOid } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import { type Finished, type Launcher, TooMuchOutput } from '../process/launcher.js'
import type { TextDiffQuery } from '../types.js'

const TIMEOUT_MS = 10_000
/** Exit codes of `git diff` without an error: no difference, and a difference. */
const SUCCEEDED = new Set([0, 1])
/** Maximum number of bytes before the first `@@`: the names of the two blobs. */
const HEADING_BYTES = 1000

/** Implements `Repository.diffText`. Kills Git if its output is longer than `maxBytes`. */
export async function diffText(
  launcher: Launcher,
  repository: string,
  { before, after, words, maxBytes, context = 3 }: TextDiffQuery,
): Promise<Buffer | null> {
  if (!isOid(before) || !isOid(after)) throw new GitError('a text diff needs full object IDs')
  if (before === after) return Buffer.alloc(0)
  const how = words ? ['--word-diff=porcelain'] : []
  const args = [
    'diff',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    '--text',
    `--unified=${context}`,
    ...how,
    before,
    after,
    '--',
  ]
  const result = await launcher
    .run(args, { cwd: repository, timeoutMs: TIMEOUT_MS, maxBytes: maxBytes + HEADING_BYTES })
    .catch(tooMuch)
  if (result === null) return null
  const { code, stderr, stdout } = result
  if (code === null || !SUCCEEDED.has(code))
    throw new GitError(`git diff failed with exit code ${code}: ${stderr.trim().slice(0, 1000)}`)
  const start = stdout.indexOf('\n@@ ')
  const text = start < 0 ? Buffer.alloc(0) : stdout.subarray(start + 1)
  return text.length > maxBytes ? null : text
}

function tooMuch(error: unknown): Finished | null {
  if (error instanceof TooMuchOutput) return null
  throw error
}

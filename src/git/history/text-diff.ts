import { GitError } from '../errors.js'
import { type Finished, type Launcher, TooMuchOutput } from '../process/launcher.js'
import type { TextDiffQuery } from '../types.js'

const TIMEOUT_MS = 10_000
/** Exit codes of `git diff`: 0 and 1 are answers. */
const ANSWERED = new Set([0, 1])
/** Bytes before the first `@@`: the names of the two blobs. */
const HEADING_BYTES = 1000
const OID = /^[0-9a-f]{40}$/

/** How two blobs differ line by line (`git diff`), or word by word (`--word-diff=porcelain`), from the first `@@` on. Null where that is longer than `maxBytes`: Git is ended there. */
export async function diffText(launcher: Launcher, repository: string, { before, after, words, maxBytes }: TextDiffQuery): Promise<Buffer | null> {
  if (!OID.test(before) || !OID.test(after)) throw new GitError('a text diff takes object IDs')
  if (before === after) return Buffer.alloc(0)
  const how = words ? ['--word-diff=porcelain'] : []
  const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--text', '--unified=3', ...how, before, after, '--']
  const answer = await launcher.run(args, { cwd: repository, timeoutMs: TIMEOUT_MS, maxBytes: maxBytes + HEADING_BYTES }).catch(tooMuch)
  if (answer === null) return null
  const { code, stderr, stdout } = answer
  if (code === null || !ANSWERED.has(code)) throw new GitError(`git diff ended with ${code}: ${stderr.trim().slice(0, 1000)}`)
  const start = stdout.indexOf('\n@@ ')
  const text = start < 0 ? Buffer.alloc(0) : stdout.subarray(start + 1)
  return text.length > maxBytes ? null : text
}

function tooMuch(error: unknown): Finished | null {
  if (error instanceof TooMuchOutput) return null
  throw error
}

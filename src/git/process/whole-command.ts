/**
 * Runs one Git command to its end, for rare work such as an integrity check or a bundle. Requests use the launcher
 * instead.
 */
import { simpleGit } from 'simple-git'
import { GitError } from '../errors.js'
import { hermeticEnvironment } from './environment.js'

interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs a Git command through simple-git and waits for its end, with any exit code. Not for requests: the process is
 * started from this one, which blocks while the kernel copies its page tables. `args` must not come from users. The
 * command is killed after `silenceMs` without output.
 */
export async function wholeCommand(cwd: string, args: readonly string[], silenceMs: number): Promise<CommandResult> {
  const env = hermeticEnvironment('/nonexistent')
  let ending: { code: number; stderr: string } | null = null
  const git = simpleGit({
    baseDir: cwd,
    timeout: { block: silenceMs },
    // simple-git removes all Git variables that are not listed here.
    allowEnvironment: Object.keys(env).filter((name) => name.startsWith('GIT_')),
    // Needed for the variables that exclude other configuration files.
    unsafe: { allowUnsafeConfigPaths: true },
    // simple-git treats a failure without output as a success.
    errors: (error, { exitCode, stdErr }) => {
      ending = { code: exitCode, stderr: Buffer.concat(stdErr).toString() }
      return exitCode > 0 ? undefined : error
    },
  }).env(env)
  try {
    const stdout = await git.raw([...args])
    const { code, stderr } = ending ?? { code: 0, stderr: '' }
    return { code, stdout, stderr }
  } catch (error) {
    throw new GitError(`git ${args[0]} was killed, or could not be started`, { cause: error })
  }
}

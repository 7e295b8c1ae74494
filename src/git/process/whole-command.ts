import { simpleGit } from 'simple-git'
import { GitError } from '../errors.js'
import { hermeticEnvironment } from './environment.js'

export interface CommandResult {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs a Git command to its end, outside of requests: the process is started from this one, which stops everything else for as
 * long as copying its page tables takes. For arguments of our own alone. `silenceMs`: it is ended when it says nothing for so
 * long. Judges no exit code.
 */
export async function wholeCommand(cwd: string, args: readonly string[], silenceMs: number): Promise<CommandResult> {
  const env = hermeticEnvironment('/nonexistent')
  let ending: { code: number; stderr: string } | null = null
  const git = simpleGit({
    baseDir: cwd,
    timeout: { block: silenceMs },
    // The guard drops what is not named here, as it would any of Git's variables that the server was started with.
    allowEnvironment: Object.keys(env).filter((name) => name.startsWith('GIT_')),
    // Which it asks for the variables that keep other settings out.
    unsafe: { allowUnsafeConfigPaths: true },
    // The library takes a silent failure for a success.
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
    throw new GitError(`git ${args[0]} could not be run to its end`, { cause: error })
  }
}

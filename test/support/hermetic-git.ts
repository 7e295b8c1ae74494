import { publishing } from './by-hand.js'
import { runCommand } from './commands.js'

/** An environment in which Git reads no outside configuration and writes fixed names and dates. */
export const hermeticEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  // Every commit, fetch and push would start a process that looks for work.
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'receive.autogc',
  GIT_CONFIG_VALUE_1: 'false',
  GIT_AUTHOR_NAME: 'Ada Author',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Author',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/**
 * Runs Git in `cwd` and returns its trimmed standard output. Throws with its standard error. `env` is added to the
 * environment.
 */
export async function git(
  cwd: string,
  args: readonly string[],
  input?: string | Buffer,
  env: NodeJS.ProcessEnv = {},
): Promise<string> {
  return (await gitBytes(cwd, args, input, env)).toString('utf8').trim()
}

/** Like `git`, but returns the output as unchanged bytes. */
export function gitBytes(
  cwd: string,
  args: readonly string[],
  input?: string | Buffer,
  env: NodeJS.ProcessEnv = {},
): Promise<Buffer> {
  return publishing(cwd, args, git, () => run(cwd, args, input, env))
}

async function run(
  cwd: string,
  args: readonly string[],
  input?: string | Buffer,
  env: NodeJS.ProcessEnv = {},
): Promise<Buffer> {
  const { code, stdout, stderr } = await runCommand('git', args, { cwd, env: { ...hermeticEnv, ...env }, input })
  if (code !== 0) throw new Error(`git ${args.join(' ')}: exit ${code}: ${stderr}${stdout.slice(0, 2000)}`)
  return stdout
}

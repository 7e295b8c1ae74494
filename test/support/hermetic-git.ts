import { spawn } from 'node:child_process'

/** An environment in which Git sees no configuration but its own, and writes fixed names and dates. */
export const hermeticEnv: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  LC_ALL: 'C',
  HOME: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada Author',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada Author',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
}

/** Runs Git in `cwd` and answers its standard output, trimmed; throws with its standard error. `env` is added to the environment. */
export function git(cwd: string, args: readonly string[], input?: string | Buffer, env: NodeJS.ProcessEnv = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, { cwd, env: { ...hermeticEnv, ...env }, stdio: 'pipe' })
    const out: Buffer[] = []
    const err: Buffer[] = []
    child.stdout.on('data', (piece) => out.push(piece))
    child.stderr.on('data', (piece) => err.push(piece))
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(out).toString('utf8').trim())
      else reject(new Error(`git ${args.join(' ')}: exit ${code}: ${Buffer.concat(err)}`))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}

/** Lets Git index and check a pack that arrives in pieces. */
import type { GitRun, GitSetting } from './run.js'
import { TOLERATED } from './tolerated.js'

/** An index-pack process that waits for the pack. */
export interface PackIndexing {
  /** Passes bytes to the process; false = the process has ended. */
  write(piece: Buffer): Promise<boolean>
  /**
   * Ends the input and waits for the process. Exit code 1: the pack is valid, but refers to objects that existed
   * before.
   */
  end(): Promise<GitRun>
  kill(): Promise<void>
}

/**
 * Starts `git index-pack`, which checks each object, and that all referenced objects exist. Its output is not synced.
 * @param git includes the folder to write to
 * @param signal kills the process
 */
export async function startIndexPack({ launcher, env }: GitSetting, signal: AbortSignal): Promise<PackIndexing> {
  const strict = `--strict=${TOLERATED.map((name) => `${name}=warn`).join(',')}`
  const args = [
    '-c',
    'core.fsync=none',
    'index-pack',
    '--stdin',
    '--fix-thin',
    '--check-self-contained-and-connected',
    strict,
  ]
  const running = await launcher.start('git', args, { cwd: '/', env })
  const { stream, ended } = running
  const kill = (): void => running.kill()
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  let over = false
  const end = ended.then(({ code, signal: by = null, stderr }): GitRun => {
    over = true
    signal.removeEventListener('abort', kill)
    stream.destroy()
    return { code, signal: by, stdout: '', stderr, ended: null }
  })
  // The output is the name of the pack, which is not needed.
  stream.resume()
  return {
    async write(piece) {
      if (over || stream.destroyed) return false
      if (!stream.write(piece)) await Promise.race([new Promise((drained) => stream.once('drain', drained)), end])
      return !over
    },
    end() {
      stream.end()
      return end
    },
    async kill() {
      kill()
      await end
    },
  }
}

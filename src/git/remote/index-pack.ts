/** Has Git index and check a pack that arrives here piece by piece. */
import type { GitRun, GitSetting } from './run.js'
import { TOLERATED } from './tolerated.js'

/** The process, while it waits for the pack. */
export interface PackIndexing {
  /** Passes the next bytes on; false = the process has ended. */
  write(piece: Buffer): Promise<boolean>
  /** Says that this was all, and waits for the end. Exit code 1: the pack is sound, but refers to objects that were here before. */
  end(): Promise<GitRun>
  kill(): Promise<void>
}

/**
 * Starts `git index-pack`, which checks each object, and that all objects are there to which it refers. What it writes is not synced.
 * @param git with the folder to write to
 * @param signal kills it
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
  // The name of the pack, which nobody needs.
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

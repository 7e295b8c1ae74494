import { rm } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { startGitHttp } from '../../test/support/git-http.js'
import { git } from '../../test/support/hermetic-git.js'
import { generateRepository } from './generated.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, importInto, newSpace, startService } from './processes.js'

const ROUNDS = 7

/**
 * Compares fetch and adoption over smart HTTP into an untouched space, until `git/info` reports success, with `git
 * clone --bare` of the same URL. Also measures the first read of all imported content.
 */
export async function adoptions(dir: string, given: readonly string[]): Promise<Line[]> {
  const root = join(dir, 'remotes')
  await generateRepository(join(root, 'generated.git'), 1000, 300)
  for (const path of given)
    await git(root, ['clone', '--quiet', '--bare', resolve(path), join(root, `${basename(path)}.git`)])
  const remotes = await startGitHttp({ root })
  const service = await startService(join(dir, 'adoptions'))
  const lines: Line[] = []
  try {
    for (const name of ['generated.git', ...given.map((path) => `${basename(path)}.git`)]) {
      const url = `${remotes.url}/${name}`
      const ref = await git(join(root, name), ['symbolic-ref', 'HEAD'])
      const readings: number[] = []
      const adopt = async (): Promise<number> => {
        const space = await newSpace(service)
        const took = await timed(() => importInto(service, space, url, ref))
        readings.push(await timed(() => call(service, 'GET', `/v1/spaces/${space}/content`)))
        return took
      }
      const clone = async (round: number): Promise<number> => {
        const target = join(dir, `clone-${round}.git`)
        const took = await timed(() => git(dir, ['clone', '--quiet', '--bare', url, target]))
        await rm(target, { recursive: true })
        return took
      }
      await adopt()
      await clone(0)
      const found = await interleaved(ROUNDS, { ours: adopt, native: clone })
      lines.push({
        name: `adoption / git clone --bare, ${name}`,
        sense: 'most',
        target: 1.5,
        ratios: ratiosOf(found.ours, found.native),
        detail: `${ms(median(found.ours))} to ${ms(median(found.native))}; first read with diagnostics ${ms(median(readings))}`,
      })
    }
  } finally {
    await service.stop()
    await remotes.close()
  }
  return lines
}

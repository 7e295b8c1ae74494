import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { moduleArguments } from '../../support/own-process.js'
import { suite } from '../../support/suite.js'
import { openWorld } from './fixture.js'

const test = suite('Git processes whose server is gone')

/** Returns the command lines of all processes that contain `word`. */
async function processes(word: string): Promise<string[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(all.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.map((line) => line.replaceAll('\0', ' ')).filter((line) => line.includes(word))
}

async function until(done: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (await done()) return true
    await wait(100)
  }
  return false
}

for (const operation of ['push', 'fetch'])
  test(`a ${operation} does not outlive a server that is killed`, async () => {
    const world = await openWorld({ neverResponds: operation === 'push' ? 'all' : 'pack' })
    try {
      const { url } = world.remote
      const commit = await world.ours.commit({ 'a.md': 'a\n' })
      const server = spawn(
        process.execPath,
        [...moduleArguments('../process/stuck-process.js', import.meta.url), operation, world.ours.path, url, commit],
        {
          stdio: 'inherit',
        },
      )
      const ended = once(server, 'exit')
      const remotes = async (): Promise<string[]> =>
        (await processes(url)).filter((line) => !line.includes('stuck-process'))
      assert.ok(
        await until(
          async () =>
            world.server.requests.length > 0 && (await remotes()).some((line) => line.includes('remote-http')),
        ),
      )
      server.kill('SIGKILL')
      await ended
      assert.ok(await until(async () => (await remotes()).length === 0), (await remotes()).join('\n'))
    } finally {
      await world.close()
    }
  })

test.run()

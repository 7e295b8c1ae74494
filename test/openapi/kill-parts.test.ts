// @own-process: it starts and kills servers
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openApiVersions } from '../../src/model/index.js'
import { type ServerProcess, startServer, until } from '../races/server-process.js'
import { startService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { entry, operation, put, settled, spaceWith } from './fixture.js'

const test = suite('openapi/kill-parts')

/** Whether the server has a process that reads a specification. */
function isReading({ child }: ServerProcess): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      return parent === child.pid && /specs\/entry\.[jt]s/.test(readFileSync(`/proc/${name}/cmdline`, 'latin1'))
    } catch {
      return false // it has just ended
    }
  })
}

test(
  'kills while the pages of versions of an earlier release are made: each version has them in the end, and each space is told once',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'bindery-parts-'))
    let here = await startService({ dir })
    const paths = (name: string) =>
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`/${name}${at}`, { get: operation(`${name} ${at}`) }]))
    await put(here, 'pets', paths('first'))
    await put(here, 'pets', paths('second'))
    const desk = await spaceWith(here, entry('pets', { title: 'Reference', props: { grouping: 'by-operation' } }))
    const made = (await here.service.app.store.all(openApiVersions)).sort((a, b) => a.number - b.number)
    const earlier = ({ parts: _parts, index: _index, ...left }: (typeof made)[number]) => ({
      ...left,
      parts: undefined,
      index: undefined,
      partBytes: 0,
    })
    for (const version of made) await here.service.app.store.replace(openApiVersions, earlier(version) as never)
    await here.service.close()
    for (let kills = 0; kills < 3; kills++) {
      const server = await startServer(dir)
      // The last start may find that all is made.
      if (kills < 2) await until(() => (isReading(server) ? true : null))
      await server.kill('server')
    }
    here = await startService({ dir })
    await settled(here)
    const after = (await here.service.app.store.all(openApiVersions)).sort((a, b) => a.number - b.number)
    assert.equal(
      after.map(({ id, parts, index, partBytes }) => ({ id, parts, index, partBytes })),
      made.map(({ id, parts, index, partBytes }) => ({ id, parts, index, partBytes })),
    )
    const { body } = await here.admin.call('get', `/v1/spaces/${desk.space}/content/pages`).expect(200)
    assert.is(body.pages[1].pages[0].pages.length, 300)
    const { items } = (await here.admin.call('get', `/v1/spaces/${desk.space}/revisions`).expect(200)).body
    const told = items.filter(({ git }: { git: { message: string } }) => git.message.includes('OpenAPI-Version: pets'))
    assert.ok(told.length <= 1, `${told.length} revisions tell of one version`)
    await here.close()
  },
  { timeoutMs: 240_000 },
)

test.run()

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { commitTo } from '../commits/fixture.js'
import { caller } from '../races/client.js'
import { startServer, TOKEN } from '../races/server-process.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'

const KILLS = runs(2, 50)
const PAGES = 400
const test = suite('search: kill -9')

const textOf = (page: number, round: number): string =>
  `# Page ${page}\n\n${Array.from({ length: 8 }, (_, i) => `## Part ${i}\n\nRound${round}word page${page}word part${i}word, and some more text about it.`).join('\n\n')}\n`

test(
  'search finds everything after a kill during an index build',
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-search-'))
    let space = ''
    for (let round = 0; round <= KILLS; round++) {
      const server = await startServer(dir, {})
      const call = caller(server.url, TOKEN, () => {})
      if (round === 0) space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs' })).body.id
      const paths = Array.from({ length: PAGES }, (_, i) => `p${i}.md`)
      const summary = `# Table of contents\n\n${paths.map((path) => `* [${path}](${path})`).join('\n')}\n`
      await commitTo(join(dir, 'repos', `${space}.git`), {
        'SUMMARY.md': summary,
        ...Object.fromEntries(paths.map((path, i) => [path, textOf(i, round)])),
      })
      const search = (query: string) => call('GET', `/v1/spaces/${space}/search?limit=1000&query=${query}`)
      if (round < KILLS) {
        const asked = search(`round${round}word`).catch(() => null)
        await sleep(100 + 250 * round)
        await server.kill('tree')
        await asked
        continue
      }
      const { status, body } = await search(`round${round}word`)
      assert.is(status, 200)
      assert.is(body.count, PAGES)
      for (const page of [0, 17, PAGES - 1])
        assert.is((await search(`page${page}word`)).body.items[0].title, `p${page}.md`)
      for (let old = 0; old < round; old++)
        assert.is(
          (await search(`round${old}word part`)).body.items.filter((one: { sections: { body: string }[] }) =>
            one.sections.some(({ body }) => body.includes(`**Round${old}word**`)),
          ).length,
          0,
        )
      server.child.kill('SIGTERM')
      assert.is(await server.ended, 0)
    }
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 240_000 },
)

test.run()

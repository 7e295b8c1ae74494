import * as assert from 'uvu/assert'
import { repositoryName } from '../../src/domain/context/refs.js'
import { searchSpaces } from '../../src/domain/search/search.js'
import { searchablePages } from '../../src/domain/search/update-index.js'
import { headOf } from '../../src/domain/revisions/main-content.js'
import { spaces } from '../../src/model/index.js'
import { openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('search: first index of a large space', startService)

const PAGES = 1_100
const paths = Array.from({ length: PAGES }, (_, n) => `p${n}.md`)
const desk = await openDesk(here, {
  'SUMMARY.md': `# Table of contents\n\n${paths.map((path) => `* [${path}](${path})`).join('\n')}\n`,
  ...Object.fromEntries(paths.map((path, n) => [path, `# Page ${n}\n\nRambutan ${n}.\n`])),
})

/** Stops the update of the index once a part of it is published. Returns a function that continues it. */
function stopAfterPart(): () => void {
  const { search } = here.service.app
  const [add, set] = [search.add.bind(search), search.set.bind(search)]
  let go = (): void => {}
  const released = new Promise<void>((done) => {
    go = done
  })
  let isPublished = false
  search.set = async (...given) => {
    const done = await set(...given)
    isPublished = true
    return done
  }
  search.add = async (...given) => {
    if (isPublished) await released
    return add(...given)
  }
  return () => {
    Object.assign(search, { add, set })
    go()
  }
}

test('a search during the first indexing finds what is indexed and says that it is partial', async () => {
  const { app } = here.service
  const query = (): Promise<{ count: number; partial?: boolean }> =>
    here.admin
      .call('get', `/v1/spaces/${desk.space}/search?query=rambutan`)
      .expect(200)
      .then(({ body }) => body)
  const goOn = stopAfterPart()
  const early = await query()
  assert.is(early.partial, true)
  assert.is(early.count, 1_000)
  // The part is of this revision, so a search reads the facts of the found pages only.
  const pages = app.pages.pages.bind(app.pages)
  let asked = 0
  app.pages.pages = (owner, files, oids) => {
    const all = [...oids]
    asked += all.length
    return pages(owner, files, all)
  }
  const again = await query()
  app.pages.pages = pages
  assert.equal(again, early)
  assert.ok(asked < 100, `the facts of ${asked} pages were read`)

  const doc = await app.store.get(spaces, desk.space)
  if (!doc) throw new Error('the space is missing')
  const space = { doc, role: 'read' as const, repo: await app.git.open(repositoryName(desk.space)) }
  const searchable = await searchablePages(app, space, headOf(space))
  const allowed = searchable.pages.slice(0, 50).map(({ id, oid }): [string, string] => [id, oid])
  const found = await searchSpaces(app, 'someone', [space], { query: 'rambutan', limit: 10 }, async () => allowed, 100)
  assert.equal([found.partial, found.items[0]?.pages.length], [true, 50])

  goOn()
  let whole = await query()
  for (let attempt = 0; whole.partial && attempt < 20; attempt++) whole = await query()
  assert.equal([whole.count, 'partial' in whole], [1_000, false])
  const { body } = await here.admin.call('get', `/v1/spaces/${desk.space}/search?query=${PAGES - 1}`).expect(200)
  assert.is(body.items[0].title, `p${PAGES - 1}.md`)
})

test.run()

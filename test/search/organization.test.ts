import * as assert from 'uvu/assert'
import { updateIndex } from '../../src/domain/search/update-index.js'
import { repositoryName } from '../../src/domain/context/refs.js'
import { spaces } from '../../src/model/index.js'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('search of an organization under load', startService)

const SPACES = 8
const SUMMARY = '# Table of contents\n\n* [Page](a.md)\n'
const all: Desk[] = []
for (let n = 0; n < SPACES; n++) {
  // Of different lengths, so that the scores of the spaces differ.
  const text = `# Page\n\nRambutan. ${'More words about it. '.repeat(n)}\n`
  all.push(await openDesk(here, { 'SUMMARY.md': SUMMARY, 'a.md': text }))
}
const desks = all.map(({ space }) => space)

interface Response {
  items: { id: string }[]
  count: number
  next?: { page: string }
  partial?: boolean
}
const search = async (more = ''): Promise<Response> =>
  (await here.admin.call('get', `/v1/orgs/${here.organization}/search?query=rambutan${more}`).expect(200)).body
const idsOf = ({ items }: Response): string[] => items.map(({ id }) => id)

/** Makes the index of a space outdated, with an update that does not end. Returns a function that ends it. */
function holdUp(space: string): () => void {
  const { app } = here.service
  app.search.known.delete(space)
  app.search.updates.set(space, new Promise(() => {}))
  return () => void app.search.updates.delete(space)
}

test('a complete result is not marked partial, and identical requests return the same', async () => {
  const first = await search()
  assert.equal([first.count, 'partial' in first], [SPACES, false])
  assert.equal(await search(), first)
})

test('spaces whose index is not ready do not delay others and make the result partial', async () => {
  const whole = await search()
  const [one, two, three, four] = desks as [string, string, string, string]
  const held = [one, two, three, four].map(holdUp)
  const some = await search()
  for (const end of held) end()
  assert.equal(
    idsOf(some),
    idsOf(whole).filter((id) => ![one, two, three, four].includes(id)),
  )
  assert.equal([some.count, some.partial], [SPACES - 4, true])
  assert.equal(await search(), whole)
})

test('a space that is missing in one response moves no results to another page', async () => {
  const ids = idsOf(await search())
  const first = await search('&limit=3')
  const end = holdUp(ids[1] as string)
  const second = await search(`&limit=3&page=${first.next?.page}`)
  end()
  const third = await search(`&limit=3&page=${second.next?.page}`)
  assert.equal([first, second, third].flatMap(idsOf), ids)
  assert.equal([second.partial, third.next], [true, undefined])
})

test('a space whose main moves during the search is found', async () => {
  const { app } = here.service
  const { search: index } = app
  const desk = all[0] as Desk
  const { space } = desk
  const find = index.find.bind(index)
  index.find = async (...asked) => {
    index.find = find
    await desk.human({ 'SUMMARY.md': SUMMARY, 'a.md': '# Page\n\nRambutan, moved.\n' })
    const doc = await app.store.get(spaces, space)
    if (doc) await updateIndex(app, { doc, role: 'read', repo: await app.git.open(repositoryName(space)) })
    return find(...asked)
  }
  const found = await search()
  assert.equal([found.count, 'partial' in found], [SPACES, false])
})

test.run()

import * as assert from 'uvu/assert'
import type { Files } from '../support/bare-repository.js'
import { longestStretch } from '../support/main-thread.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { expectStatus, openDesk } from './fixture.js'

// @own-process: it measures the main thread
const [test, here] = await suiteWith('merges of many files', startService)

/**
 * In milliseconds. The same work blocks for 90 to 190 ms on an idle machine and up to 350 ms on a busy one. Without
 * pauses, it blocked for seconds.
 */
const LONGEST = 800
const STUBS = size(5_000, 12_000)
const PAGES = size(1_200, 3_000)

const filesOf = (count: number, file: (n: number) => Files): Files =>
  Object.assign({}, ...Array.from({ length: count }, (_, n) => file(n)))

test(`other requests run during the comparison and merge of ${STUBS} equal moved stubs`, async () => {
  const desk = await openDesk(
    here,
    filesOf(STUBS, (n) => ({ [`a/p${n}.md`]: 'stub\n' })),
  )
  const request = await desk.changeRequest()
  const moved = filesOf(STUBS, (n) => ({ [`a/p${n}.md`]: null, [`b/p${n}.md`]: 'stub\n' }))
  await desk.human(moved, { ref: request.ref })
  await desk.human({ 'x.md': '# X\n' })
  const compared = await longestStretch(() =>
    desk.admin.call('get', `${request.url}/conflicts`).expect(expectStatus(200)),
  )
  assert.ok(compared < LONGEST, `${compared} ms`)
  const merged = await longestStretch(() => request.merge())
  assert.ok(merged < LONGEST, `${merged} ms`)
  assert.is((await desk.paths()).length, STUBS + 1)
})

test(`other requests run during the search for conflicts in ${PAGES} pages`, async () => {
  const edition = (word: string): Files =>
    filesOf(PAGES, (n) => ({ [`a/p${n}.md`]: `# Page ${n}\n\nA line ${word}.\n` }))
  const desk = await openDesk(here, edition('of the base'))
  const request = await desk.changeRequest()
  await desk.human(edition('of theirs'), { ref: request.ref })
  await desk.human(edition('of mine'))
  const found = await longestStretch(() => desk.admin.call('get', `${request.url}/conflicts`).expect(expectStatus(200)))
  assert.ok(found < LONGEST, `${found} ms`)
})

test.run()

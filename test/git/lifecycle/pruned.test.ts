import * as assert from 'uvu/assert'
import { onPostgres } from '../../support/on-postgres.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { openDesk } from '../../commits/fixture.js'

const [test, here] = await suiteWith('content that an admin pruned', startService)

test('a page is reverted to a pruned text if that can be rewritten, and fails with 409 otherwise', async () => {
  const long = `# Long\n\n${'A line of text that goes on and on.\n'.repeat(12_000)}`
  const desk = await openDesk(here, {
    'README.md': '# Home\n',
    'SUMMARY.md': '# Summary\n\n* [Home](README.md)\n* [Short](short.md)\n* [Long](long.md)\n',
    'short.md': '# Short\n\nnow\n',
    'long.md': '# Long\n\nnow\n',
  })
  await desk.git('update-ref', 'refs/heads/side', 'main')
  const side = await desk.human({ 'short.md': '# Short\n\nthen\n', 'long.md': long }, { ref: 'refs/heads/side' })
  const [short, large] = [await desk.id('short'), await desk.id('long')]
  for (const page of [short, large])
    await here.admin.call('get', `${desk.url}/revisions/${side}/page/${page}`).expect(200)
  for (const args of [
    ['update-ref', '-d', 'refs/heads/side'],
    ['reflog', 'expire', '--expire=now', '--all'],
    ['gc', '--quiet', '--prune=now'],
  ])
    await desk.git(...args)
  await desk.write([{ operation: 'revert_page', page: short, revision: side }])
  assert.is(await desk.file('short.md'), '# Short\n\nthen\n')
  const back = { operation: 'revert_page', page: large, revision: side }
  if (onPostgres) {
    // The database still has objects that were pruned in the copy of a node.
    await desk.write([back])
    assert.is(await desk.file('long.md'), long)
  } else {
    const { error } = await desk.write([back], 409)
    assert.match(error.message, /object [0-9a-f]{40}\) is missing from the space's repository/)
  }
  assert.is(await desk.git('fsck', '--strict', '--full', '--no-dangling'), '')
})
test.run()

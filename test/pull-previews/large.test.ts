import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startPreviewing } from './fixture.js'

/** `PREVIEW_FILES=10000 npm test -- pull-previews/large` uses a pull request of the maximum size that hosts show. */
const FILES = Number(process.env.PREVIEW_FILES ?? 1_200)

const [test, here] = await suiteWith('previews of large and odd pull requests', () => startPreviewing())

test(`a preview counts ${FILES} files with broken links, keeps 50 and does not block requests`, async () => {
  const docs = await here.connected('github')
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [`many/${n % 100}/page-${n}.md`, `# Page ${n}\n\n[Gone](gone-${n}.md)\n`]),
  )
  const list = [
    '# Table of contents',
    '',
    '* [Home](README.md)',
    '* [Guide](guide.md)',
    ...Object.keys(files).map((path, n) => `* [Page ${n}](${path})`),
  ]
  const number = await docs.open({ ...files, 'SUMMARY.md': `${list.join('\n')}\n` })
  let isOver = false
  let answered = 0
  const forward = here.forward(POLL_MS).then(() => (isOver = true))
  while (!isOver) {
    assert.is((await fetch(`${here.service.url}/healthz`)).status, 200)
    answered++
    await new Promise((done) => setTimeout(done, 20))
  }
  await forward
  assert.ok(answered > 0)
  const { state, problems, status } = await docs.preview(number)
  assert.equal([state, problems.length, status.state], ['ready', 50, 'failure'])
  assert.match(status.description, new RegExp(`^${FILES} new problems: `))
})

test('unrelated history, outside links, submodules and case conflicts are judged one by one', async () => {
  const docs = await here.connected('github')
  const fine = await docs.open({ 'guide.md': '# Guide\n\nFine.\n' })
  const numbers = [
    await docs.open({ 'out.md': { link: '../../../../etc/passwd' } }),
    await docs.open({ sub: { submodule: 'a'.repeat(40) } }),
    await docs.open({ 'GUIDE.md': '# Another\n' }),
    await docs.open({ 'a/../../b.md': '# Up\n' }),
    await docs.open({ 'README.md': `${'['.repeat(20_000)}\n` }),
    await docs.open({ 'README.md': Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80]) }),
  ]
  const tree = await git(docs.bare.path, ['mktree'], '')
  const orphan = await git(docs.bare.path, ['commit-tree', tree.trim(), '-m', 'Nothing in common'])
  await git(docs.bare.path, ['update-ref', 'refs/heads/topic-8', orphan.trim()])
  docs.host.repository.open({
    head: 'topic-8',
    base: 'main',
    title: '\u202e\u0000\u001b[31m'.repeat(3_000),
    body: '',
    author: '<script>',
  })
  await git(docs.bare.path, ['update-ref', 'refs/pull/8/head', orphan.trim()])
  await here.forward(POLL_MS)
  for (const number of [fine, ...numbers, 8]) {
    const { state, status, title } = await docs.preview(number)
    assert.ok(
      (state === 'ready' || state === 'refused') && ['success', 'failure'].includes(status.state),
      `number ${number}`,
    )
    assert.ok(title.length <= 500)
  }
  assert.is((await docs.preview(fine)).status.state, 'success')
  assert.is((await docs.shown()).problem, undefined)
  const texts = JSON.stringify(await docs.list())
  assert.not.match(texts, /root:x/)
})

test.run()

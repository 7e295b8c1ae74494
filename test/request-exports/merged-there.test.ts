import * as assert from 'uvu/assert'
import { foreignIn } from '../support/foreign-objects.js'
import { git } from '../support/hermetic-git.js'
import { commitPlainly } from '../support/plain-edit.js'
import { removeConnections } from '../support/remove-connections.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('change requests merged on the host', startExporting)
test.afterEach(() => removeConnections(here.service))

const FILES = { 'README.md': '# Home\n', 'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n' }

for (const method of ['merge', 'squash', 'rebase'] as const) {
  test(`${method}: a merge on the host imports the content once and records the merge`, async () => {
    const story = await here.connected(FILES)
    const number = await story.request('Guide', 'How to.\n')
    const opened = await story.export(number)
    assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
    assert.is(opened.status, 'open')
    const pull = story.pull()
    assert.equal([pull.title, pull.base, `refs/heads/${pull.head}`], ['Add Guide', 'main', opened.branch])
    assert.ok(pull.body.startsWith('About Guide.\n'), pull.body)
    assert.equal(await story.remoteFiles(opened.branch), await story.files(`refs/heads/change-requests/${number}`))
    assert.is(
      (await story.git('rev-list', '--count', `${opened.commit}`, '^refs/heads/main')).trim(),
      '1',
      'one commit, on what the host has',
    )

    await story.write('Second', 'More.\n', number)
    await here.forward(11_000)
    await here.forward(0)
    assert.is(story.host.repository.pulls.length, 1)
    assert.equal(await story.remoteFiles(opened.branch), await story.files(`refs/heads/change-requests/${number}`))

    await story.bare.commit({ 'other.md': '# Other\n' }, { message: 'Work beside it' })
    await story.merge(method)
    await here.forward(2 * MINUTE)
    await here.forward(2 * MINUTE)
    const done = await story.exported(number)
    assert.is(done.problem, undefined, JSON.stringify(done.problem))
    assert.is(done.status, 'merged')
    assert.is(done.merged.method, method)
    assert.is(done.merged.commits.length, method === 'rebase' ? 2 : 1)
    assert.is(done.merged.commits.at(-1), await story.bare.head())
    const request = await story.changeRequest(number)
    assert.is(request.status, 'merged')
    assert.is(request.revisionMerged, done.merged.revision)
    assert.equal(await story.files(), await story.remoteFiles())
    assert.is((await story.files())['SUMMARY.md']?.split('Guide').length, 2, 'listed once')
    assert.equal(await story.all('open'), [], 'no conflict')
    assert.ok(
      (await story.git('log', '-1', '--format=%B', done.merged.revision)).includes(
        `Merged-As: ${done.merged.commits.at(-1)}`,
      ),
    )

    const changes = (
      await here.service.admin.call('get', `${story.base}/change-requests/${number}/changes`).expect(200)
    ).body
    assert.ok(JSON.stringify(changes).includes('Guide'), 'what it changed can still be seen')
    const head = await story.bare.head()
    await here.forward(20 * MINUTE)
    assert.is(await story.bare.head(), head, 'nothing goes back to the host')
    assert.is((await story.git('fsck', '--strict', '--no-dangling')).trim(), '')
  })
}

/** The root and its files at the old and the new place. */
const CONTENT = {
  'README.md': '# Home\n\nWelcome to the handbook.\n',
  'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n* [Setup](setup.md)\n* [Usage](usage.md)\n',
  'setup.md': '# Setup\n\nHow to install it.\n',
  'usage.md': '# Usage\n\nHow to use it.\n',
}
const below = (root: string, path: string): string => (root === '' ? path : `${root}/${path}`)
const inRoot = (root: string): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(CONTENT).map(([path, text]) => [below(root, path), text])),
  ...(root === '' ? {} : { '.gitbook.yaml': `root: ${root}\n` }),
})
const movedRoot = (from: string, to: string): Record<string, string | null> => ({
  ...Object.fromEntries(Object.keys(inRoot(from)).map((path) => [path, null])),
  ...inRoot(to),
})

/** The IDs of the pages by path, on main or in a change request. */
async function idsByPath(story: Story, number?: number): Promise<Record<string, string>> {
  const at = number === undefined ? story.base : `${story.base}/change-requests/${number}`
  const { pages } = (await here.service.admin.call('get', `${at}/content/pages`).expect(200)).body
  const idsIn = (list: Page[]): [string, string][] =>
    list.flatMap(({ id, git: file, pages: within }) => [
      ...(file ? [[file.path, id] as [string, string]] : []),
      ...idsIn(within),
    ])
  return Object.fromEntries(idsIn(pages))
}
interface Page {
  id: string
  git?: { path: string }
  pages: Page[]
}

/** Waits for the import and the export. Both sides must have the page "Guide" below the root. Returns the page IDs. */
async function settledAs(story: Story, number: number, root: string): Promise<Record<string, string>> {
  for (let round = 0; round < 3; round++) await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
  assert.equal(await story.all('open'), [], 'no conflict')
  const files = await story.files()
  assert.equal(await story.remoteFiles(), files)
  const pages = [...Object.keys(CONTENT), 'guide.md']
  const expected = [...pages.map((path) => below(root, path)), ...(root === '' ? [] : ['.gitbook.yaml'])]
  assert.equal(Object.keys(files).sort(), expected.sort())
  const ids = await idsByPath(story)
  assert.equal(
    Object.keys(ids).sort(),
    pages
      .filter((path) => path !== 'SUMMARY.md')
      .map((path) => below(root, path))
      .sort(),
  )
  return ids
}

const ROOTS = [
  ['squash', '', 'docs'],
  ['merge', 'docs', ''],
  ['rebase', '', 'docs'],
  ['squash', 'docs', ''],
  ['merge', '', 'docs'],
  ['rebase', 'docs', ''],
] as const
for (const [method, from, to] of isSoak ? ROOTS : ROOTS.slice(0, 3))
  test(`${method}: a page of a change request follows the root that people moved from "${from}" to "${to}"`, async () => {
    const story = await here.connected(inRoot(from))
    const number = await story.request('Guide', 'How to.\n')
    const before = await idsByPath(story, number)
    await story.export(number)
    await story.bare.commit(movedRoot(from, to))
    await story.merge(method)
    const after = await settledAs(story, number, to)
    assert.is(after[below(to, 'guide.md')], before[below(from, 'guide.md')])
  })

test('a page that people added follows the root that a change request moved', async () => {
  const story = await here.connected(inRoot(''))
  const number = await story.request('Unrelated', 'It is removed again.\n')
  const branch = `refs/heads/change-requests/${number}`
  await commitPlainly(story.repository, { ...movedRoot('', 'docs'), 'unrelated.md': null }, 'Move the root', {
    ref: branch,
  })
  await story.export(number)
  await story.bare.commit({
    'guide.md': '# Guide\n\nHow to.\n',
    'SUMMARY.md': `${CONTENT['SUMMARY.md']}* [Guide](guide.md)\n`,
  })
  await story.merge('squash')
  await settledAs(story, number, 'docs')
})

test('local edits after a merge on the host stay open on a base that contains the merge', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  await story.export(number)
  await story.write('Late', 'Too late.\n', number)
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.exported(number)).status, 'merged')
  assert.is((await story.changeRequest(number)).status, 'draft')
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  const files = await story.files()
  assert.ok(files['late.md']?.includes('Too late.'), Object.keys(files).join())
  assert.is(files['SUMMARY.md']?.split('Guide').length, 2)
})

/** Runs `work` once, before the next push arrives at the host's branch. */
function beforePush(work: () => Promise<void>): void {
  here.remotes.behaviour.onRequest = async ({ method, url }) => {
    if (method !== 'POST' || !url.endsWith('git-receive-pack')) return
    delete here.remotes.behaviour.onRequest
    await work()
  }
}

/**
 * A change request whose last edit is pushed after its pull request was merged at the previous commit. `also` runs
 * after the merge and before the push.
 */
async function mergedBeforePush(
  method: 'merge' | 'squash' | 'rebase',
  provider: 'github' | 'gitlab' | 'gitea' | 'bitbucket',
  also: (story: Story) => Promise<void> = async () => {},
) {
  const story = await here.connected(FILES, { provider })
  const number = await story.request('Guide', 'How to.\n')
  const opened = await story.export(number)
  assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
  await story.write('Late', 'Acknowledged.\n', number)
  let merged = false
  beforePush(async () => {
    await story.merge(method)
    merged = true
    await also(story)
  })
  await here.forward(11_000)
  assert.ok(merged, 'the merge came between the look and the push')
  return { story, number, first: opened.revision as string }
}
type Story = Awaited<ReturnType<typeof here.connected>>

/** The late edit stays in an open change request, which reports it. It reaches both sides when that is merged. */
async function keepsTheRest(story: Story, number: number, first: string): Promise<void> {
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  const done = await story.exported(number)
  assert.equal([done.status, done.problem], ['merged', undefined])
  assert.match(done.reason, new RegExp(`merged with revision ${first}`))
  const request = await story.changeRequest(number)
  assert.is(request.status, 'draft')
  const ref = `refs/heads/change-requests/${number}`
  assert.match((await story.files(ref))['late.md'] ?? '', /Acknowledged/)
  assert.is((await story.files())['late.md'], undefined)
  assert.is((await story.git('merge-base', 'refs/heads/main', ref)).trim(), first, 'main has what was merged')
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  await here.forward(11_000)
  await here.forward(2 * MINUTE)
  for (const files of [await story.files(), await story.remoteFiles()]) {
    assert.match(files['late.md'] ?? '', /Acknowledged/)
    assert.match(files['guide.md'] ?? '', /How to/)
    assert.is(files['SUMMARY.md']?.split('Guide').length, 2, 'listed once')
  }
  assert.equal(await story.all('open'), [], 'no conflict')
}

const LATE = [
  ['github', 'squash'],
  ['gitea', 'rebase'],
  ['github', 'merge'],
  ['github', 'rebase'],
  ['gitlab', 'squash'],
  ['gitea', 'merge'],
  ['bitbucket', 'squash'],
] as const
for (const [provider, method] of isSoak ? LATE : LATE.slice(3))
  test(`${provider}, ${method}: an edit that is pushed after the merge stays in the change request`, async () => {
    const { story, number, first } = await mergedBeforePush(method, provider)
    await keepsTheRest(story, number, first)
  })

test('an edit stays in the change request if the late push gets no response', async () => {
  const { story, number, first } = await mergedBeforePush('squash', 'gitea', async () => {
    here.remotes.behaviour.losePushResponses = true
  })
  delete here.remotes.behaviour.losePushResponses
  assert.is((await story.exported(number)).problem?.cause, 'unreachable')
  await keepsTheRest(story, number, first)
})

test('an edit stays in the change request if the host deletes the branch with the merge', async () => {
  const { story, number, first } = await mergedBeforePush('squash', 'github', async (merging) => {
    await git(merging.bare.path, ['update-ref', '-d', `refs/heads/${merging.pull().head}`])
  })
  await keepsTheRest(story, number, first)
})

test('commits that people merge along with the change request complete it', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  await story.bare.commit({ 'guide.md': '# Guide\n\nHow to, better.\n' }, { ref: branch, message: 'Better' })
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
  assert.match((await story.files())['guide.md'] ?? '', /better/)
})

test('a branch that the host rebased is recognized by the tree of the result', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  await story.bare.commit({ 'other.md': '# Other\n' }, { message: 'Work on main' })
  const path = story.bare.path
  const rebased = await git(path, ['merge-tree', '--write-tree', 'main', branch])
  const commit = await git(path, ['commit-tree', '-p', 'main', '-m', 'Rebased by the host', rebased.trim()])
  await git(path, ['update-ref', branch, commit.trim()])
  await story.merge('rebase')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
})

test('a branch that was rewritten and merged does not count as the change request', async () => {
  const story = await here.connected(FILES)
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  await git(story.bare.path, ['update-ref', branch, 'refs/heads/main'])
  await story.bare.commit({ 'other.md': '# Other\n' }, { ref: branch, message: 'Something else' })
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  const done = await story.exported(number)
  assert.equal([done.status, done.merged.revision], ['merged', undefined])
  assert.match(done.reason, /contains no exported revision of the change request/)
  assert.is((await story.changeRequest(number)).status, 'draft')
  await here.service.admin.call('post', `${story.base}/change-requests/${number}/merge`).expect(200)
  assert.match((await story.files())['guide.md'] ?? '', /How to/)
  assert.ok((await story.files())['other.md'])
})

test('a merge that concerns one folder leaves the rest of the repository unchanged', async () => {
  const story = await here.connected(
    { 'docs/README.md': '# Home\n', 'src/main.c': 'int main;\n' },
    { directory: 'docs' },
  )
  const number = await story.request('Guide', 'How to.\n')
  const opened = await story.export(number)
  assert.is(opened.problem, undefined, JSON.stringify(opened.problem))
  const there = await story.remoteFiles(opened.branch)
  assert.is(there['src/main.c'], 'int main;')
  assert.ok(there['docs/guide.md']?.includes('How to.'))
  await story.merge('squash')
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  assert.is((await story.changeRequest(number)).status, 'merged', JSON.stringify(await story.exported(number)))
  assert.ok((await story.files())['guide.md']?.includes('How to.'))
  assert.equal(await foreignIn(story.repository, story.bare.path, 'docs'), [], 'nothing of the rest is in the space')
})

test('a change request of one folder accepts pushes inside and outside that folder', async () => {
  const story = await here.connected(
    { 'docs/README.md': '# Home\n', 'src/main.c': 'int main;\n' },
    { directory: 'docs' },
  )
  const number = await story.request('Guide', 'How to.\n')
  const { branch } = await story.export(number)
  await story.bare.commit(
    { 'docs/theirs.md': '# Theirs\n', 'src/main.c': 'int main(void);\n' },
    { ref: `refs/heads/${branch.replace('refs/heads/', '')}` },
  )
  await story.write('Later', 'More.\n', number)
  await here.forward(2 * MINUTE)
  await here.forward(2 * MINUTE)
  const { problem } = await story.exported(number)
  assert.is(problem, undefined, JSON.stringify(problem))
  const there = await story.remoteFiles(branch)
  assert.equal([there['src/main.c'], there['docs/theirs.md']], ['int main(void);', '# Theirs'])
  assert.ok(there['docs/later.md']?.includes('More.'), Object.keys(there).join())
  assert.equal(await foreignIn(story.repository, story.bare.path, 'docs'), [])
})

test.run()

import * as assert from 'uvu/assert'
import { findChangeRequest } from '../../src/domain/change-requests/change-requests.js'
import { mergeChangeRequest, updateFromMain } from '../../src/domain/change-requests/merge-requests.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../src/domain/context/loaded.js'
import { mergeCommits } from '../../src/domain/commits/merge/merge.js'
import type { CommitId, RefName, TreeId } from '../../src/kernel/ids.js'
import { git } from '../support/hermetic-git.js'
import { mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'
import { startFixture } from '../support/sync-fixture.js'

const [test, f] = await suiteWith('merges of criss-cross histories', startFixture)

const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const other = (last: string): string =>
  `# Other\n\n${Array.from({ length: 12 }, (_, n) => `Line ${n} of it.`).join('\n\n')}\n\n${last}\n`

/** Makes a commit as a plain Git user. */
async function commit(
  space: LoadedSpace,
  parents: CommitId[],
  files: Record<string, string | null>,
  taken?: TreeId,
): Promise<CommitId> {
  const me = { name: 'Ada', email: 'ada@example.org', seconds: 1_700_000_000, offset: 0 }
  const changes = Object.entries(files).map(([path, text]) =>
    text === null ? { path, delete: true as const } : { path, content: Buffer.from(text) },
  )
  const tree = taken ?? (await space.repo.objects.commit(parents[0] as CommitId)).tree
  return space.repo.objects.write({ parents, tree, changes, message: 'By hand\n', author: me, committer: me })
}

test('content that one side restored after a criss-cross merge stays, even on a moved page', async () => {
  const space = await f.space()
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const begin = await commit(space, [main], {
    'guide.md': page('one', 'two', 'three', 'four', 'five'),
    'other.md': other('The end.'),
  })
  const left = await commit(space, [begin], { 'guide.md': page('one', 'three', 'four', 'five') })
  const right = await commit(space, [begin], { 'guide.md': page('one', 'two', 'three', 'five') })
  const neither = { 'guide.md': page('one', 'three', 'five') }
  const [mine, theirs] = [await commit(space, [left, right], neither), await commit(space, [right, left], neither)]
  const restored = await commit(space, [mine], {
    'guide.md': page('one', 'two', 'three', 'four', 'five'),
    'other.md': null,
    'moved.md': other('The end.'),
  })
  const edited = await commit(space, [theirs], { 'other.md': other('Another end.') })
  for (const sides of [
    { ours: restored, theirs: edited },
    { ours: edited, theirs: restored },
  ]) {
    const merged = await mergeCommits(f.app, space, sides)
    assert.ok(merged.clean)
    const files = await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree))
    assert.is(files['guide.md'], page('one', 'two', 'three', 'four', 'five').trimEnd())
    assert.is(files['moved.md'], other('Another end.').trimEnd())
    assert.not.ok('other.md' in files)
  }
})

test('a page that was moved to two paths before a criss-cross merge is one page', async () => {
  const space = await f.space()
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const begin = await commit(space, [main], { 'guide.md': other('The end.') })
  const left = await commit(space, [begin], { 'guide.md': null, 'left.md': other('The end.') })
  const right = await commit(space, [begin], { 'guide.md': null, 'right.md': other('The end.') })
  const mine = await commit(space, [left, right], {})
  const merges = async (theirs: Record<string, string | null>): Promise<Record<string, string>[]> => {
    const head = await commit(
      space,
      [await commit(space, [right, left], { 'right.md': null, 'left.md': other('The end.') })],
      theirs,
    )
    const found: Record<string, string>[] = []
    for (const sides of [
      { ours: mine, theirs: head },
      { ours: head, theirs: mine },
    ]) {
      const merged = await mergeCommits(f.app, space, sides)
      if (!merged.clean) found.push(Object.fromEntries(merged.conflicts.map(({ path, kind }) => [path, kind])))
      else found.push(await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree)))
    }
    return found
  }
  for (const files of await merges({ 'left.md': other('Another end.') }))
    assert.is(files['left.md'], other('Another end.').trimEnd())
  // Moved once more on one side: it is there, or in conflict, but not at both paths.
  for (const files of await merges({ 'left.md': null, 'third.md': other('The end.') })) {
    const places = ['left.md', 'right.md', 'third.md'].filter((path) => path in files)
    assert.ok(
      places.length === 1 &&
        (files['third.md'] === other('The end.').trimEnd() || files[places[0] as string] === 'rename'),
      places.join(),
    )
  }
})

// In both orders of the two merge bases, which is the order of their IDs.
for (const salt of ['a', 'b', 'c', 'd'])
  test(`a conflict in a moved page before a criss-cross merge recurs after it (${salt})`, async () => {
    const space = await f.space()
    const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
    const begin = await commit(space, [main], { 'guide.md': other('The end.') })
    const left = await commit(space, [begin], {
      'guide.md': null,
      'moved.md': other('The end of one.'),
      'salt.md': salt,
    })
    const right = await commit(space, [begin], { 'guide.md': other('The end of another.') })
    const both = (text: string) => ({ 'guide.md': null, 'moved.md': text, 'salt.md': salt })
    const [mine, theirs] = [
      await commit(space, [left, right], both(other('The end of one.'))),
      await commit(space, [right, left], both(other('The end of another.'))),
    ]
    for (const sides of [
      { ours: mine, theirs },
      { ours: theirs, theirs: mine },
    ]) {
      const merged = await mergeCommits(f.app, space, sides)
      assert.equal(merged.clean ? 'clean' : merged.conflicts.map(({ path, kind }) => [path, kind]), [
        ['moved.md', 'content'],
      ])
    }
    const agreed = await commit(space, [theirs], { 'moved.md': other('The end of one.') })
    assert.ok((await mergeCommits(f.app, space, { ours: mine, theirs: agreed })).clean)
  })

// In both orders of the two merge bases, which is the order of their IDs.
for (const salt of ['a', 'b', 'c', 'd'])
  test(`a page stays one page if another page took its path before a criss-cross merge (${salt})`, async () => {
    const space = await f.space()
    const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
    const begin = await commit(space, [main], { 'guide.md': other('The end.') })
    const left = await commit(space, [begin], { 'guide.md': null, 'place.md': other('The end.'), 'salt.md': salt })
    const right = await commit(space, [begin], { 'place.md': page('another one') })
    const both = { 'guide.md': other('The end.'), 'place.md': page('another one'), 'salt.md': salt }
    const [mine, theirs] = [await commit(space, [left, right], { ...both }), await commit(space, [right, left], both)]
    const edited = other('The end.').replace('Line 0', 'The first line')
    const merges = async (changes: Record<string, string | null>): Promise<Record<string, string>[]> => {
      const [one, two] = [await commit(space, [mine], { 'guide.md': edited }), await commit(space, [theirs], changes)]
      const found: Record<string, string>[] = []
      for (const sides of [
        { ours: one, theirs: two },
        { ours: two, theirs: one },
      ]) {
        const merged = await mergeCommits(f.app, space, sides)
        if (!merged.clean) found.push(Object.fromEntries(merged.conflicts.map(({ path, kind }) => [path, kind])))
        else found.push(await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree)))
      }
      return found
    }
    for (const files of await merges({ 'guide.md': other('Another end.') }))
      assert.is(files['guide.md'], other('Another end.').replace('Line 0', 'The first line').trimEnd())
    for (const files of await merges({ 'guide.md': null, 'second.md': other('Another end.') })) {
      const places = ['guide.md', 'second.md'].filter((path) => path in files)
      assert.ok(places.length === 1 && files[places[0] as string] === 'rename', JSON.stringify(files))
    }
  })

test('a page that one side deleted and both have after a criss-cross merge is one page', async () => {
  const space = await f.space()
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const begin = await commit(space, [main], { 'guide.md': other('The end.'), 'beside.md': page('one') })
  const left = await commit(space, [begin], { 'beside.md': page('two') })
  const right = await commit(space, [begin], { 'guide.md': null })
  const [mine, kept] = [
    await commit(space, [left, right], {}),
    await commit(space, [right, left], { 'guide.md': other('The end.'), 'beside.md': page('two') }),
  ]
  const moved = await commit(space, [kept], { 'guide.md': null, 'moved.md': other('Another end.') })
  for (const sides of [
    { ours: mine, theirs: moved },
    { ours: moved, theirs: mine },
  ]) {
    const merged = await mergeCommits(f.app, space, sides)
    assert.ok(merged.clean)
    const files = await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree))
    assert.is(files['moved.md'], other('Another end.').trimEnd())
    assert.not.ok('guide.md' in files)
  }
})

// The page is new on both merge bases with one ID, and they have it at two paths.
test('a new page that exchanged paths on one of two merge bases is in the merge', async () => {
  const space = await f.space()
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const [one, two, added] = [
    other('One.'),
    page('two', 'three', 'four', 'five'),
    page('A new page.', 'With more lines.', 'And more.'),
  ]
  const begin = await commit(space, [main], { 'one.md': one, 'two.md': two })
  const swap = { 'added.md': two, 'one.md': added, 'two.md': one }
  const left = await commit(space, [begin], { 'added.md': added })
  const right = await commit(
    space,
    [await commit(space, [begin], { 'added.md': added, 'right.md': page('Right.') })],
    swap,
  )
  const swapped = await commit(space, [left, right], { ...swap, 'right.md': page('Right.') })
  const back = await commit(space, [right, left], { 'added.md': added, 'one.md': one, 'two.md': two })
  for (const sides of [
    { ours: swapped, theirs: back },
    { ours: back, theirs: swapped },
  ]) {
    const merged = await mergeCommits(f.app, space, sides)
    assert.ok(merged.clean)
    const files = await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree))
    assert.equal([files['added.md'], files['one.md'], files['two.md']], [added.trimEnd(), one.trimEnd(), two.trimEnd()])
  }
})

test('entries of the table of contents that one side restored after a criss-cross merge stay', async () => {
  const space = await f.space()
  const main = space.repo.refs.head('refs/heads/main' as RefName) as CommitId
  const summary = (...pages: string[]): string =>
    `# Table of contents\n\n${pages.map((name) => `* [${name}](${name}.md)\n`).join('')}`
  const pages = Object.fromEntries(['one', 'two', 'three', 'four'].map((name) => [`${name}.md`, `# ${name}\n`]))
  const begin = await commit(space, [main], { ...pages, 'SUMMARY.md': summary('one', 'two', 'three', 'four') })
  const left = await commit(space, [begin], { 'SUMMARY.md': summary('one', 'three', 'four') })
  const right = await commit(space, [begin], { 'SUMMARY.md': summary('one', 'two', 'four') })
  const neither = { 'SUMMARY.md': summary('one', 'four') }
  const [mine, theirs] = [await commit(space, [left, right], neither), await commit(space, [right, left], neither)]
  const restored = await commit(space, [mine], { 'SUMMARY.md': summary('one', 'two', 'three', 'four') })
  const added = await commit(space, [theirs], { 'five.md': '# five\n', 'SUMMARY.md': summary('one', 'five', 'four') })
  for (const sides of [
    { ours: restored, theirs: added },
    { ours: added, theirs: restored },
  ]) {
    const merged = await mergeCommits(f.app, space, sides)
    assert.ok(merged.clean)
    const files = await f.files(space, await commit(space, [sides.ours, sides.theirs], {}, merged.tree))
    for (const name of ['one', 'two', 'three', 'four', 'five']) assert.match(files['SUMMARY.md'] ?? '', `(${name}.md)`)
  }
})

test('a page stays deleted if one of two exported branches deleted it before both were merged', async () => {
  const remote = await f.remotes.createRepository('both.git', {
    files: { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three') },
  })
  const { url } = remote
  const [main, docs] = ['refs/heads/main', 'refs/heads/docs'] as const
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', docs, main])
  await f.edit(space, { 'new.md': other('The end.'), 'guide.md': page('one', 'two', 'more', 'three') })
  for (const ref of [main, docs]) assert.is((await f.export(space, { url, ref })).result, 'exported')
  await remote.commit({ 'new.md': null, 'guide.md': page('one', 'two', 'three') }, { ref: main })
  await f.import(space, { url })
  assert.not.ok('new.md' in (await f.files(space)))
  await remote.commit({ 'README.md': '# Home\n\ndocs\n' }, { ref: docs })
  assert.is((await f.import(space, { url, ref: docs })).result, 'merged')
  await f.edit(space, { 'new.md': other('Another end.'), 'guide.md': page('one', 'two', 'more', 'again', 'three') })
  // The person who merges docs on the remote knows the deletion.
  await git(remote.path, ['update-ref', 'refs/heads/by-hand', main])
  const byHand = await remote.commit({ 'README.md': '# Home\n\ndocs\n' }, { ref: 'refs/heads/by-hand' })
  const both = await git(
    remote.path,
    ['commit-tree', '-p', main, '-p', docs, '-m', 'Merge docs', `${byHand}^{tree}`],
    '',
  )
  await git(remote.path, ['update-ref', main, both])
  const run = await f.import(space, { url })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.is(files['guide.md'], page('one', 'two', 'more', 'again', 'three').trimEnd())
  assert.is(files['new.md'], other('Another end.').trimEnd())
})

for (const style of ['merge', 'squash'] as const)
  test(`a page that main deleted does not return when an old export branch is merged (${style})`, async () => {
    const remote = await f.remotes.createRepository(`deleted-${style}.git`, {
      files: { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three') },
    })
    const { url } = remote
    const space = await f.space()
    await f.import(space, { url })
    await f.edit(space, { 'new.md': '# New\n', 'guide.md': page('one', 'two', 'more', 'three') })
    assert.is((await f.export(space, { url, ref: 'refs/heads/docs' })).result, 'exported')
    await f.edit(space, { 'new.md': null, 'guide.md': page('one', 'two', 'three'), 'README.md': '# Home\n\nmine\n' })
    assert.is((await f.export(space, { url })).result, 'exported')
    await mergeOnRemote(remote, 'docs', style)
    const run = await f.import(space, { url })
    assert.is(run.state, style === 'merge' ? 'success' : 'conflict')
    if (style === 'squash') assert.equal((await f.decide(space, run, 'main')).sort(), ['guide.md', 'new.md'])
    const files = await f.files(space)
    assert.not.ok('new.md' in files)
    assert.is(files['guide.md'], page('one', 'two', 'three').trimEnd())
    assert.is(files['README.md'], '# Home\n\nmine')
  })

test('a page that one branch deleted stays if the person who merged another branch restored it', async () => {
  const remote = await f.remotes.createRepository('made-anew.git', {
    files: { 'README.md': '# Home\n', 'guide.md': page('one'), 'text.md': page('one') },
  })
  const { url } = remote
  const [main, docs] = ['refs/heads/main', 'refs/heads/docs']
  const space = await f.space()
  await f.import(space, { url })
  await f.edit(space, { 'guide.md': null })
  assert.is((await f.export(space, { url, ref: docs })).result, 'exported')
  await git(remote.path, ['update-ref', '-d', docs])
  await f.edit(space, { 'guide.md': page('two') })
  assert.is((await f.export(space, { url, ref: docs })).result, 'exported')
  await remote.commit({ 'guide.md': null, 'text.md': page('there') }, { ref: docs })
  // The conflict keeps the deletion out of main, which is exported to the other branch unchanged.
  await f.edit(space, { 'text.md': page('here') })
  const run = await f.import(space, { url, ref: docs })
  assert.is(run.state, 'conflict')
  assert.is((await f.export(space, { url })).result, 'exported')
  await git(remote.path, ['update-ref', 'refs/heads/by-hand', main])
  const byHand = await remote.commit({ 'text.md': page('here and there') }, { ref: 'refs/heads/by-hand' })
  await git(remote.path, [
    'update-ref',
    docs,
    await git(remote.path, ['commit-tree', '-p', docs, '-p', main, '-m', 'Merge main', `${byHand}^{tree}`], ''),
  ])

  const held = async () =>
    (await findChangeRequest(f.app, await f.reload(space), run.changeRequest as string)) as LoadedChangeRequest
  await updateFromMain(f.app, f.actor, await f.reload(space), await held(), [
    { path: 'text.md', content: page('here and there') },
  ])
  await mergeChangeRequest(f.app, f.actor, await f.reload(space), await held())
  assert.not.ok('guide.md' in (await f.files(space)))
  const again = await f.import(space, { url, ref: docs })
  assert.is(again.state, 'success', again.error)
  assert.is((await f.files(space))['guide.md'], page('two').trimEnd())
})

test('a page that was moved back locally and moved on by a remote merge is one page', async () => {
  const begin = { 'README.md': '# Home\n', 'guide.md': other('The end.') }
  const remote = await f.remotes.createRepository('moved-on.git', { files: begin })
  const { url } = remote
  const [main, docs] = ['refs/heads/main', 'refs/heads/docs']
  const space = await f.space()
  await f.import(space, { url })
  await git(remote.path, ['update-ref', docs, main])
  await remote.commit({ 'guide.md': null, 'moved.md': other('The end.') }, { ref: docs })
  assert.is((await f.import(space, { url, ref: docs })).result, 'merged')
  await f.edit(space, { 'moved.md': null, 'guide.md': other('The end.'), 'more.md': '# More\n' })
  assert.is((await f.export(space, { url })).result, 'exported')
  await remote.commit({ 'moved.md': null, 'elsewhere.md': other('Another end.') }, { ref: docs })
  const merged = await git(remote.path, ['merge-tree', '--write-tree', docs, main])
  await git(remote.path, [
    'update-ref',
    docs,
    await git(remote.path, ['commit-tree', '-p', docs, '-p', main, '-m', 'Merge main', merged], ''),
  ])
  await f.edit(space, { 'README.md': '# Home\n\nhere\n', 'guide.md': page('one') + other('The end.') })
  const run = await f.import(space, { url, ref: docs })
  assert.is(run.state, 'success', run.error)
  const files = await f.files(space)
  assert.not.ok('guide.md' in files)
  assert.is(files['elsewhere.md'], (page('one') + other('Another end.')).trimEnd())
})

test.run()

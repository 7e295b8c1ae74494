import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ConflictFile, optionsOf, partsOf, resolutionOf } from '../../src/desk/conflicts/decisions.js'
import { type ChangeRequestDesk, type Desk, openDesk } from '../commits/fixture.js'
import type { Files } from '../support/bare-repository.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { decideAll, filesOf, resolve, stateOf } from './resolve.js'

const [test, here] = await suiteWith('conflicts resolved by the app', startService)

const LINES = Array.from({ length: 30 }, (_, n) => `Line ${n}.\n`)
/** A text of 30 lines, some of them replaced. */
const text = (changes: Record<number, string> = {}): string => LINES.map((line, n) => changes[n] ?? line).join('')
const SUMMARY = '# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n* [Two](two.md)\n'
const FILES: Files = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n',
  'one.md': text(),
  'two.md': text(),
  'notes.txt': text(),
  'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
}

/** Makes a space with a change request and plain commits on both sides. Null deletes a file. */
async function cross(files: Files, main: Files, branch: Files): Promise<{ desk: Desk; change: ChangeRequestDesk }> {
  const desk = await openDesk(here, { ...FILES, ...files })
  const change = await desk.changeRequest('Crossing')
  await desk.human(branch, { ref: change.ref })
  await desk.human(main)
  return { desk, change }
}

/** Merges three texts with plain Git. */
async function mergeFile(way: 'ours' | 'theirs' | 'union', base: string, main: string, branch: string) {
  const dir = await mkdtemp(join(here.dir, 'merge-file-'))
  for (const [name, content] of Object.entries({ base, main, branch })) await writeFile(join(dir, name), content)
  return (await gitBytes(dir, ['merge-file', '-p', `--${way}`, 'main', 'base', 'branch'])).toString()
}

const MAIN = text({ 2: 'Main 2.\n', 10: 'Main 10.\n', 20: 'Main 20.\n' })
const BRANCH = text({ 5: 'Branch 5.\n', 10: 'Branch 10.\nBranch 10b.\n', 20: '', 27: 'Branch 27.\n' })

for (const [choice, way] of [
  ['main', 'ours'],
  ['change-request', 'theirs'],
  ['both', 'union'],
] as const)
  test(`chunks that take ${choice} give the bytes of git merge-file --${way}`, async () => {
    for (const path of ['one.md', 'notes.txt']) {
      const { desk, change } = await cross({}, { [path]: MAIN }, { [path]: BRANCH })
      await resolve(desk, change, choice)
      assert.is(await desk.file(path, change.ref), await mergeFile(way, text(), MAIN, BRANCH))
      assert.equal((await desk.git('diff', '--name-only', `${change.ref}^1`, change.ref)).split('\n'), [path])
    }
  })

test('each chunk has its own decision, and all other lines come from the merge', async () => {
  const { desk, change } = await cross({}, { 'one.md': MAIN }, { 'one.md': BRANCH })
  const state = await stateOf(desk, change)
  const [file] = (await filesOf(desk, change, state)) as [ConflictFile]
  assert.equal([file.key, file.kind, file.form], ['one.md', 'content', 'page'])
  const [first, second] = partsOf(file).map(({ id }) => id) as [string, string]
  const decisions = { [first]: { text: 'Written by hand, without a line feed' }, [second]: 'base' as const }
  await change.update(200, {
    resolve: [resolutionOf(file, decisions)],
    expect: { revision: state.revision, main: state.main },
  })
  assert.is(
    await desk.file('one.md', change.ref),
    text({ 2: 'Main 2.\n', 5: 'Branch 5.\n', 10: 'Written by hand, without a line feed\n', 27: 'Branch 27.\n' }),
  )
})

test('both sides contain their newest change with author and time', async () => {
  const { desk, change } = await cross({}, { 'one.md': MAIN }, { 'one.md': BRANCH })
  const state = await stateOf(desk, change)
  const [file] = (await filesOf(desk, change, state)) as any[]
  for (const [side, ref] of [
    ['theirs', 'main'],
    ['ours', change.ref],
  ]) {
    const told = (await desk.git('log', '-1', '--format=%H|%an|%s', ref as string)).split('|')
    const { revision, author, subject } = file[side as string].change
    assert.equal([revision, author, subject], told)
  }
})

const SIDES = ['base', 'main', 'change-request'] as const

test('a page that one side deleted and the other edited is kept or deleted', async () => {
  const edited = text({ 4: 'Edited.\n' })
  const unlisted = SUMMARY.replace('* [Two](two.md)\n', '')
  for (const deletes of ['main', 'branch'])
    for (const choice of SIDES) {
      const gone = { 'two.md': null, 'SUMMARY.md': unlisted }
      const { desk, change } =
        deletes === 'main' ? await cross({}, gone, { 'two.md': edited }) : await cross({}, { 'two.md': edited }, gone)
      assert.equal(
        (await stateOf(desk, change)).conflicts.map(({ key, kind }) => [key, kind]),
        [['two.md', 'modify/delete']],
      )
      await resolve(desk, change, choice)
      const isDeleted = choice === (deletes === 'main' ? 'main' : 'change-request')
      assert.is(await desk.file('two.md', change.ref), choice === 'base' ? text() : isDeleted ? null : edited)
    }
})

test('a binary file is taken from either side, or stays unchanged', async () => {
  const picture = (n: number): Buffer => Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, n])
  for (const [at, choice] of SIDES.entries()) {
    const { desk, change } = await cross({}, { 'logo.png': picture(2) }, { 'logo.png': picture(3) })
    const state = await stateOf(desk, change)
    assert.equal(
      state.conflicts.map(({ kind }) => kind),
      ['binary'],
    )
    const [file] = (await filesOf(desk, change, state)) as any[]
    assert.equal([file.chunks, file.theirs.size], [undefined, 6])
    const shown = await fetch(file.theirs.downloadURL.replace(/^https?:\/\/[^/]+/, here.url))
    assert.equal(Buffer.from(await shown.arrayBuffer()), picture(2))
    await resolve(desk, change, choice)
    assert.equal(await desk.bytes('logo.png', change.ref), picture(at + 1))
  }
})

test('files that both sides added are compared with each other', async () => {
  const { desk, change } = await cross({}, { 'new.txt': 'main\nshared\n' }, { 'new.txt': 'branch\nshared\nend\n' })
  const [file] = (await filesOf(desk, change, await stateOf(desk, change))) as [ConflictFile]
  assert.equal([file.kind, partsOf(file).length], ['add/add', 2])
  await resolve(desk, change, 'both')
  assert.is(await desk.file('new.txt', change.ref), 'main\nbranch\nshared\nend\n')
})

test('a page that both sides renamed and rewrote gets the chosen path and the chosen text', async () => {
  for (const choice of ['main', 'change-request'] as const) {
    const moved = (name: string, content: string): Files => ({
      'one.md': null,
      [`${name}.md`]: content,
      'SUMMARY.md': SUMMARY.replace('one.md', `${name}.md`),
    })
    const { desk, change } = await cross({}, moved('right', MAIN), moved('left', BRANCH))
    const state = await stateOf(desk, change)
    assert.equal(
      state.conflicts.map(({ kind, form }) => [kind, form]),
      [
        ['content', 'table-of-contents'],
        ['rename', 'page'],
      ],
    )
    await resolve(desk, change, choice)
    const [path, none] = choice === 'main' ? ['right.md', 'left.md'] : ['left.md', 'right.md']
    const wanted = await mergeFile(choice === 'main' ? 'ours' : 'theirs', text(), MAIN, BRANCH)
    assert.equal([await desk.file(path, change.ref), await desk.file(none, change.ref)], [wanted, null])
    assert.match((await desk.file('SUMMARY.md', change.ref)) ?? '', `(${path})`)
  }
})

test('two entries for one page become the entry of main, and added entries stay', async () => {
  const { desk, change } = await cross(
    {},
    { 'SUMMARY.md': SUMMARY.replace('[One]', '[First]') },
    { 'SUMMARY.md': SUMMARY.replace('[One]', '[Start]').concat('* [Notes](notes.txt)\n') },
  )
  const [file] = (await filesOf(desk, change, await stateOf(desk, change))) as [ConflictFile]
  assert.is(file.form, 'table-of-contents')
  await resolve(desk, change, 'both')
  assert.is(
    await desk.file('SUMMARY.md', change.ref),
    '# Table of contents\n\n* [Home](README.md)\n* [First](one.md)\n* [Two](two.md)\n* [Notes](notes.txt)\n',
  )
})

test('a file at the path of a folder is decided by the side that is taken', async () => {
  for (const choice of ['main', 'change-request'] as const) {
    const { desk, change } = await cross({}, { 'x.md': 'file\n' }, { 'x.md/y.md': 'in a folder\n' })
    assert.equal(
      (await stateOf(desk, change)).conflicts.map(({ key, kind }) => [key, kind]),
      [['x.md', 'file/directory']],
    )
    await resolve(desk, change, choice)
    const paths = (await desk.paths(change.ref)).filter((path) => path.startsWith('x.md'))
    assert.equal(paths, [choice === 'main' ? 'x.md' : 'x.md/y.md'])
  }
})

test('paths that differ only in case are conflicts of both sides until one is renamed', async () => {
  const { desk, change } = await cross({}, { 'Notes.md': 'main\n', 'a/Deep.md': 'main\n' }, { 'notes.md': 'branch\n' })
  const state = await stateOf(desk, change)
  assert.equal(
    state.conflicts.map(({ key, kind }) => [key, kind]),
    [['notes.md', 'name']],
  )
  const [file] = (await filesOf(desk, change, state)) as any[]
  assert.equal([file.ours.path, file.theirs.path, file.chunks], ['notes.md', 'Notes.md', undefined])
  assert.equal(optionsOf(file, { id: 'file', type: 'file' }), [])
  // The merge says the same, and a resolution does not exist.
  await change.update(409)
  await change.update(400, { resolve: [{ path: 'notes.md', take: 'main' }] })
  await desk.human({ 'notes.md': null, 'mine.md': 'branch\n' }, { ref: change.ref })
  assert.is((await stateOf(desk, change)).count, 0)
  await change.update(200)
  assert.equal(
    (await desk.paths(change.ref)).filter((path) => /notes\.md|mine/i.test(path)),
    ['Notes.md', 'mine.md'],
  )
})

test('a folder that differs from another path only in case is a side without bytes', async () => {
  for (const theirs of ['notes', 'notes/b.md']) {
    const { desk, change } = await cross({}, { [theirs]: 'main\n' }, { 'Notes/a.md': 'branch\n' })
    const [file] = (await filesOf(desk, change, await stateOf(desk, change))) as any[]
    assert.equal([file.kind, file.form, file.key], ['name', 'file', 'Notes'])
    assert.equal([file.ours.path, file.ours.mode, file.ours.text], ['Notes', '040000', undefined])
    assert.equal([file.theirs.path, file.theirs.text], ['notes', theirs === 'notes' ? 'main\n' : undefined])
    assert.is(file.ours.change.subject, await desk.git('log', '-1', '--format=%s', change.ref))
    const { body } = await desk.admin.call('get', `${change.url}/conflicts`).expect(200)
    assert.is(body.items[0].ours.mode, '040000')
    await change.write([{ operation: 'rename_folder', folder: 'Notes', name: 'mine' }])
    await change.update(200)
    assert.equal(
      (await desk.paths(change.ref)).filter((path) => /^(?:notes(?!\.txt)|mine)/i.test(path)),
      ['mine/a.md', theirs],
    )
  }
})

test('a symbolic link that changed or became a file is taken as a whole', async () => {
  for (const choice of ['main', 'change-request'] as const) {
    const { desk, change } = await cross(
      { 'link.md': { link: 'one.md' }, 'other.md': { link: 'one.md' } },
      { 'link.md': { link: 'two.md' }, 'other.md': 'A file.\n' },
      { 'link.md': { link: 'README.md' }, 'other.md': { link: 'two.md' } },
    )
    const state = await stateOf(desk, change)
    assert.ok(state.conflicts.every(({ form }) => form === 'link'))
    await resolve(desk, change, choice)
    const modes = await desk.git('ls-tree', change.ref, 'link.md', 'other.md')
    assert.is(await desk.file('link.md', change.ref), choice === 'main' ? 'two.md' : 'README.md')
    assert.match(modes, choice === 'main' ? /100644.*other\.md/ : /120000.*other\.md/)
  }
})

test('two pages at one path, and rotated pages, are resolved by their own paths', async () => {
  const place = (one: string, two: string): Files => ({
    'one.md': null,
    'two.md': null,
    [one]: '# One\n\nThe first page.\n',
    [two]: '# Two\n\nThe second page, which is different.\n',
    'SUMMARY.md': SUMMARY.replace('one.md', one).replace('two.md', two),
  })
  for (const choice of ['main', 'change-request'] as const) {
    const begin = place('one.md', 'two.md')
    const desk = await openDesk(here, { ...FILES, ...begin })
    const change = await desk.changeRequest()
    await desk.human(place('between.md', 'left.md'), { ref: change.ref })
    await desk.human(place('right.md', 'between.md'))
    assert.ok((await stateOf(desk, change)).conflicts.some(({ kind }) => kind === 'rename'))
    await resolve(desk, change, choice)
    const [one, two] = choice === 'main' ? ['right.md', 'between.md'] : ['between.md', 'left.md']
    assert.match((await desk.file(one, change.ref)) ?? '', 'The first page.')
    assert.match((await desk.file(two, change.ref)) ?? '', 'The second page')
  }
})

test('line ends and Latin-1 outside of the chunks keep their bytes', async () => {
  const bytes = (value: string): Buffer => Buffer.from(value, 'latin1')
  const page = (third: string): string => `Caf\xe9\r\n\r\nsecond\r\n\r\n${third}\r\n\r\nM\xfcller\r\n`
  const { desk, change } = await cross(
    { 'cafe.md': bytes(page('third')) },
    { 'cafe.md': bytes(page('main')) },
    { 'cafe.md': bytes(page('branch')) },
  )
  await resolve(desk, change, 'both')
  assert.equal(await desk.bytes('cafe.md', change.ref), bytes(page('main\r\nbranch')))
})

test('lines that look like conflict markers are ordinary text', async () => {
  const marked = (inner: string): string =>
    `<<<<<<< HEAD\n${inner}\n=======\nother\n>>>>>>> branch\n||||||| base\n\n\`\`\`diff\n<<<<<<< a\n\`\`\`\n`
  const { desk, change } = await cross(
    { 'one.md': marked('x') },
    { 'one.md': marked('main') },
    { 'one.md': marked('branch') },
  )
  const [file] = (await filesOf(desk, change, await stateOf(desk, change))) as [ConflictFile]
  assert.is(partsOf(file).length, 1)
  await resolve(desk, change, 'both')
  assert.is(await desk.file('one.md', change.ref), marked('main\nbranch'))
})

test('texts with too many different lines are not compared, and a side can be taken', async () => {
  const many = (word: string): string => `${word}\nx\n`.repeat(size(6_000, 180_000))
  const { desk, change } = await cross({ 'one.md': many('a') }, { 'one.md': many('b') }, { 'one.md': many('c') })
  const [file] = (await filesOf(desk, change, await stateOf(desk, change))) as any[]
  assert.is(file.chunks, undefined)
  assert.match(file.problem, /too many lines .* merge the file with Git/)
  await resolve(desk, change, 'change-request')
  assert.is(await desk.file('one.md', change.ref), many('c'))
})

test('a branch that moved in the meantime changes nothing, and decisions about other files stay', async () => {
  for (const moves of ['main', 'branch']) {
    const { desk, change } = await cross({}, { 'one.md': MAIN }, { 'one.md': BRANCH })
    const state = await stateOf(desk, change)
    const [file] = (await filesOf(desk, change, state)) as [ConflictFile]
    const resolve = [resolutionOf(file, decideAll(file, 'main'))]
    await desk.human({ 'README.md': `# Home\n\n${moves}\n` }, moves === 'main' ? {} : { ref: change.ref })
    const refs = await desk.git('for-each-ref')
    const { error } = await change.update(409, { resolve, expect: { revision: state.revision, main: state.main } })
    assert.equal(
      error.details.map(({ path }: { path: string }) => path),
      [moves === 'main' ? '/expect/main' : '/expect/revision'],
    )
    const query = new URLSearchParams({ key: 'one.md', revision: state.revision, main: state.main })
    await desk.admin.call('get', `${change.url}/conflict-state/file?${query}`).expect(409)
    assert.is(await desk.git('for-each-ref'), refs)
    const later = await stateOf(desk, change)
    await change.update(200, { resolve, expect: { revision: later.revision, main: later.main } })
    assert.match((await desk.file('README.md', change.ref)) ?? '', moves)
  }
})

test('a reader sees the conflicts, and a stranger does not', async () => {
  const { desk, change } = await cross({}, { 'one.md': MAIN }, { 'one.md': BRANCH })
  const [reader, stranger] = [await here.caller('read'), await here.caller()]
  await reader.call('get', `${change.url}/conflict-state`).expect(200)
  await reader.call('post', `${change.url}/update`, { resolve: [{ path: 'one.md', take: 'main' }] }).expect(403)
  await stranger.call('get', `${change.url}/conflict-state`).expect(404)
  await desk.admin.call('get', `${change.url}/conflict-state/file?key=nothing.md`).expect(404)
  const clean = await desk.changeRequest()
  assert.equal(
    [(await stateOf(desk, clean)).conflicts, (await git(desk.repo, ['rev-parse', clean.ref])).length],
    [[], 40],
  )
})

test.run()

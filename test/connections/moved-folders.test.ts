import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { commitPlainly } from '../support/plain-edit.js'
import { removeConnections } from '../support/remove-connections.js'
import { isSoak } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, startConnected } from './connected.js'

const [test, here] = await suiteWith('connections: folders, line ends and redirects', () => startConnected())
test.afterEach(() => removeConnections(here.service))

/** Longer than a poll and its jitter. */
const A_POLL = POLL_MS * 1.2

type Files = Record<string, string>
/** Files by path. Null deletes. */
type Edit = Record<string, string | null>

const SUMMARY = '# Table of contents\n\n* [Home](README.md)\n* [One](Guide/one.md)\n'
const FILES: Files = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Home\n',
  'Guide/one.md': '# One\n\nFirst.\n\nSecond.\n\nThird.\n',
}
/** A new page with its entry, in the folder of another one. */
const ADDED: Files = { 'SUMMARY.md': `${SUMMARY}* [Two](Guide/two.md)\n`, 'Guide/two.md': '# Two\n\nAdded.\n' }
const PAGES: Files = { 'README.md': '', 'Guide/one.md': '', 'Guide/two.md': '' }

const inFolder = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [folder === '' ? path : `${folder}/${path}`, text]))
const without = (files: Files): Edit => Object.fromEntries(Object.keys(files).map((path) => [path, null]))

/**
 * Commits one edit on the remote and the other one in the space, and waits for the connection to sync both.
 * Returns the files, which both sides must have, without a conflict.
 */
async function together(
  start: Files,
  { mover, moved, added }: { mover: (typeof MOVERS)[number]; moved: Edit; added: Edit },
  directory = '',
): Promise<{ files: Files; space: string }> {
  const [space, remote] = [await here.space(), await here.repository(inFolder(directory, start))]
  const { base } = await here.connect(space, {
    url: remote.url,
    ...(directory === '' ? {} : { repoProjectDirectory: directory }),
  })
  const [there, local] = mover === 'remote' ? [moved, added] : [added, moved]
  await remote.commit(inFolder(directory, there as Files))
  await commitPlainly(join(here.service.dir, 'repos', `${space}.git`), local)
  await here.forward(A_POLL)
  await here.service.admin.call('post', `${base}/run`, { direction: 'export' }).expect(202)
  await here.idle()
  const state = await here.get(base)
  assert.is(state.failure, undefined, JSON.stringify(state.failure))
  const open = await here.service.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)
  assert.equal(open.body.items, [], 'no conflict')
  const files = await here.files(space)
  assert.equal(
    Object.fromEntries(
      Object.entries(await here.remoteFiles(remote)).map(([path, text]) => [
        directory === '' ? path : path.slice(directory.length + 1),
        text,
      ]),
    ),
    files,
  )
  return { files, space }
}

const MOVERS = ['remote', 'space'] as const

/** The places of the root before and after. The test run plays all with one mover, and one with the other. */
const ROOTS = [
  ['docs', 'content/en'],
  ['', 'docs'],
  ['docs', ''],
] as const

for (const mover of MOVERS)
  for (const [from, to] of mover === 'remote' || isSoak ? ROOTS : ROOTS.slice(0, 1))
    test(`a page is added while the ${mover} moves the root from "${from}" to "${to}"`, async () => {
      const config = (root: string): Files => (root === '' ? {} : { '.gitbook.yaml': `root: ${root}\n` })
      const moved = {
        ...without(inFolder(from, FILES)),
        ...(from === '' ? {} : { '.gitbook.yaml': null }),
        ...inFolder(to, FILES),
        ...config(to),
      }
      const { files, space } = await together(
        { ...inFolder(from, FILES), ...config(from) },
        { mover, moved, added: inFolder(from, ADDED) },
      )
      assert.equal(files, trimmed({ ...inFolder(to, { ...FILES, ...ADDED }), ...config(to) }))
      const { pages } = (await here.service.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body
      assert.equal(pathsOf(pages).sort(), Object.keys(inFolder(to, PAGES)).sort())
    })

interface Page {
  git?: { path: string }
  pages: Page[]
}
const pathsOf = (pages: Page[]): string[] =>
  pages.flatMap(({ git, pages: below }) => [...(git ? [git.path] : []), ...pathsOf(below)])

const trimmed = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.trim()]))
const recased = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path.replace('Guide/', 'guide/'),
      text.replaceAll('Guide/', 'guide/'),
    ]),
  )

for (const mover of MOVERS)
  test(`a page is added to a folder whose name the ${mover} changes only in case`, async () => {
    const moved = { 'Guide/one.md': null, ...recased(FILES) }
    const { files } = await together(FILES, { mover, moved, added: ADDED })
    assert.equal(files, trimmed(recased({ ...FILES, ...ADDED })))
  })

const crlf = (text: string): string => text.replaceAll('\n', '\r\n')
const one = FILES['Guide/one.md'] as string
const longer = (text: string): string => text.replace('Second.', 'Second.\n\nAdded.')

for (const mover of MOVERS)
  for (const [name, before, after] of [
    ['CRLF', (text: string) => text, crlf],
    ['LF', crlf, (text: string) => text],
  ] as const)
    test(`a paragraph is added while the ${mover} changes the line ends to ${name}`, async () => {
      const { files } = await together(
        { ...FILES, 'Guide/one.md': before(one) },
        { mover, moved: { 'Guide/one.md': after(one) }, added: { 'Guide/one.md': before(longer(one)) } },
      )
      assert.is(files['Guide/one.md'], after(longer(one)).trim())
    })

for (const mover of MOVERS)
  test(`a redirect is added while the ${mover} moves its page`, async () => {
    const moved = {
      'Guide/one.md': null,
      'Guide/first.md': one,
      'SUMMARY.md': SUMMARY.replace('one.md', 'first.md'),
    }
    const { files } = await together(
      { ...FILES, '.gitbook.yaml': 'redirects:\n  home: README.md\n' },
      { mover, moved, added: { '.gitbook.yaml': 'redirects:\n  home: README.md\n  old: Guide/one.md\n' } },
    )
    assert.is(files['.gitbook.yaml'], 'redirects:\n  home: README.md\n  old: Guide/first.md')
  })

for (const mover of MOVERS)
  for (const [from, to] of mover === 'space' || isSoak ? ROOTS.slice(1) : ROOTS.slice(1, 2))
    test(`a redirect follows a page that the ${mover} renames while the root moves from "${from}" to "${to}"`, async () => {
      const config = (root: string, redirects: string): string =>
        `${root === '' ? '' : `root: ${root}\n\n`}redirects:\n  home: README.md\n${redirects}`
      const renamed = {
        'README.md': FILES['README.md'] as string,
        'SUMMARY.md': SUMMARY.replace('one.md', 'first.md'),
        'Guide/first.md': one,
      }
      const { files } = await together(
        { ...inFolder(from, FILES), '.gitbook.yaml': config(from, '') },
        {
          mover,
          moved: { ...without(inFolder(from, FILES)), ...inFolder(to, renamed), '.gitbook.yaml': config(to, '') },
          added: { '.gitbook.yaml': config(from, '  old: Guide/one.md\n') },
        },
      )
      assert.is(files['.gitbook.yaml'], config(to, '  old: Guide/first.md\n').trim())
    })

for (const mover of MOVERS)
  test(`an entry is added while the ${mover} renames its page and moves the root`, async () => {
    const unlisted = { ...FILES, 'SUMMARY.md': SUMMARY.replace(/.*one.md.*\n/, '') }
    const renamed = {
      'README.md': FILES['README.md'] as string,
      'SUMMARY.md': unlisted['SUMMARY.md'],
      'Guide/first.md': one,
    }
    const { files } = await together(unlisted, {
      mover,
      moved: { ...without(FILES), ...inFolder('docs', renamed), '.gitbook.yaml': 'root: docs\n' },
      added: { 'SUMMARY.md': SUMMARY },
    })
    assert.is(files['docs/SUMMARY.md'], SUMMARY.replace('one.md', 'first.md').trim())
  })

for (const mover of MOVERS)
  test(`a page of a repository's folder is added while the ${mover} moves the root in it`, async () => {
    const moved = { ...without(FILES), ...inFolder('text', FILES), '.gitbook.yaml': 'root: text\n' }
    const { files } = await together(FILES, { mover, moved, added: ADDED }, 'handbook')
    assert.equal(files, trimmed({ ...inFolder('text', { ...FILES, ...ADDED }), '.gitbook.yaml': 'root: text\n' }))
  })

test.run()

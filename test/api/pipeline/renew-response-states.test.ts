// @embedded-only: plain-git
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { copyFolder } from '../../support/folder-bytes.js'
import { type Desk, flat, openDesk, type PageJson } from '../../commits/fixture.js'
import { git } from '../../support/hermetic-git.js'
import { startService } from '../../support/service.js'
import { suiteWith } from '../../support/suite.js'
import { comparable, header, type Read, read, readAnew, renewed, sameBothWays, type WireResponse } from './both-ways.js'
import { commitByHand, type Entry, SPEC } from './hostile-git.js'
import { sameAsFresh } from './hostile-reads.js'

// States of a space that look alike but differ, one after the other under the same cached responses. Some are also
// read in the opposite order by a service that has just started on a copy.

const [test, here] = await suiteWith('renewed responses for similar states', startService)
const BEGAN = 1_700_000_000
const SUMMARY =
  '* [Start](README.md)\n* [A](a/README.md)\n  * [One](a/one.md)\n  * [Two](a/two.md)\n* [Last](last.md)\n'
const DATED = { authored: BEGAN, committed: BEGAN }
const FILES = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Start\n',
  'a/README.md': '# A\n',
  'a/one.md': '# One\n',
  'a/two.md': '# Two\n',
  'last.md': '# Last\n',
}

/** A state of main that was read. */
interface Seen {
  desk: Desk
  head: string
  responses: ReadonlyMap<string, WireResponse>
}

const seen: Seen[] = []
/** Reads with the cache, and in two other ways. */
const readAll = (asked: Read): Promise<WireResponse> =>
  sameBothWays(asked).then((response) => sameAsFresh(response, asked).then(() => response))
const readAt = (url: string, path: string): Read => ({ url, path, token: here.admin.token })

/** Reads everything on main twice, with the cache first. @param ids of the pages in all states until now */
async function see(desk: Desk, ids: ReadonlySet<string>): Promise<void> {
  const head = await desk.git('rev-parse', 'refs/heads/main')
  const pages = [...ids].flatMap((id) => ['', '?format=document'].map((query) => `/page/${id}${query}`))
  const paths = ['', '/pages', ...pages].map((path) => `${desk.url}/content${path}`)
  const responses = new Map<string, WireResponse>()
  for (const path of paths) responses.set(path, await read(readAt(here.url, path)))
  for (const [index, [path, response]] of [...responses].entries()) {
    await sameAsFresh(response, readAt(here.url, path))
    // Without the ETag, which differs if the URL is written in another way.
    if (index % 2 === 1)
      assert.equal(comparable(response), comparable(await readAnew(readAt(here.url, path))), `${path} at ${head}`)
  }
  seen.push({ desk, head, responses })
}

interface State {
  changes?: Record<string, string | Entry>
  /** Indexes of states. Absent = the previous one. */
  parents?: readonly number[]
  tree?: number
  date?: number
  /** The same head as in that state. */
  again?: number
}

/**
 * Puts a new space into each state and reads it. Pages that were once in the table of contents are read from then on.
 */
async function through(
  files: Record<string, string>,
  states: readonly State[],
  isRead: (page: PageJson) => boolean = () => true,
): Promise<void> {
  const desk = await openDesk(here, files)
  const heads = [await desk.git('rev-parse', 'refs/heads/main')]
  const ids = new Set<string>()
  const seeAll = async () => {
    await see(desk, ids)
    for (const page of flat(await desk.pages())) if (isRead(page)) ids.add(page.id)
  }
  for (const page of flat(await desk.pages())) if (isRead(page)) ids.add(page.id)
  await seeAll()
  for (const { changes = {}, parents = [heads.length - 1], tree, date = BEGAN, again } of states) {
    const at = (index: number) => heads[index] as string
    if (again !== undefined) {
      await desk.git('update-ref', 'refs/heads/main', at(again))
      heads.push(at(again))
    } else {
      const entries = new Map(
        Object.entries(changes).map(([path, entry]) => [path, typeof entry === 'string' ? { text: entry } : entry]),
      )
      const from = tree ?? parents[0] ?? heads.length - 1
      heads.push(
        await commitByHand(desk.repo, {
          parents: parents.map(at),
          tree: at(from),
          changes: entries,
          authored: date,
          committed: date,
        }),
      )
    }
    await seeAll()
  }
}

test('responses are correct if texts appear and disappear in commits with equal timestamps', () =>
  through(FILES, [
    { changes: { 'a/one.md': '# One\n\nx\n' } },
    { changes: { 'a/one.md': '# One\n\ny\n' } },
    { changes: { 'a/one.md': '# One\n\nz\n' }, parents: [1] },
    { changes: { 'a/one.md': '# One\n\nx\n' }, parents: [3] },
    { again: 2 },
    { changes: { 'a/one.md': '# One\n' }, parents: [1] },
    { parents: [0], tree: 2 },
    { parents: [1], tree: 0 },
  ]))

test('responses are correct for commits with one tree but other dates, parents and IDs', () =>
  through(FILES, [
    { tree: 0, date: BEGAN + 5 },
    { changes: { 'a/one.md': '# One\n\nx\n' }, parents: [0], date: BEGAN + 10 },
    // A change and its reversal between two reads.
    { tree: 0, date: BEGAN + 20 },
    { again: 1 },
    { tree: 0, parents: [3, 1] },
    { tree: 0, parents: [1, 3], date: BEGAN - 1000 },
    { tree: 0, parents: [], date: BEGAN + 30 },
    // Pages exchange places: the files differ, and are then the same again.
    { changes: { 'a/one.md': '# Two\n', 'a/two.md': '# One\n' }, parents: [0], tree: 0 },
    { tree: 0, parents: [7] },
    { changes: { 'a/one.md': null, 'SUMMARY.md': SUMMARY.replace('  * [One](a/one.md)\n', '') } },
    { tree: 0, parents: [9] },
    { changes: { 'a/one.md': null, 'a/uno.md': '# One\n', 'SUMMARY.md': SUMMARY.replace('one', 'uno') }, parents: [0] },
    { tree: 0, parents: [12] },
    { again: 0 },
  ]))

test('responses are correct if a file and a symbolic link have the same bytes', () =>
  through({ ...FILES, 'a/one.md': 'two.md' }, [
    { changes: { 'a/one.md': { text: 'two.md', mode: '120000' } } },
    { changes: { 'a/two.md': '# Two\n\nchanged\n' } },
    { changes: { 'a/two.md': '---\ndescription: d\n---\n# Two\n' } },
    { changes: { 'a/one.md': { text: 'two.md', mode: '100755' } } },
    {
      changes: {
        'a/one.md': { text: '../a/three.md', mode: '120000' },
        'a/three.md': { text: 'two.md', mode: '120000' },
      },
    },
    { changes: { 'a/two.md': '# Two\n\nagain\n' } },
    { changes: { 'SUMMARY.md': { text: 'contents.md', mode: '120000' }, 'contents.md': SUMMARY } },
    { changes: { 'contents.md': SUMMARY.replace('[Last]', '[Very last]') } },
    { changes: { 'SUMMARY.md': { text: 'contents.md' } } },
  ]))

test('responses follow content that pages take from other files', () =>
  through(
    {
      ...FILES,
      'a/one.md':
        '---\ntags: [t]\ncover: ../.gitbook/assets/x.png\n---\n# One\n\n{% include "../.gitbook/includes/i.md" %}\n\n{{ space.vars.v }} ![](../.gitbook/assets/x.png)\n',
      'README.md': '# Start\n\n{% include ".gitbook/includes/i.md" %}\n',
      'a/two.md': '---\ntags: [t, u]\ncover: ../pics/x.png\n---\n# Two\n',
      'pics/x.png': 'x',
      '.gitbook/includes/i.md': '---\ntitle: I\n---\nI\n',
      '.gitbook/assets/x.png': 'x',
    },
    [
      { changes: { '.gitbook/tags.yaml': 't:\n  label: T\n' } },
      { changes: { '.gitbook/tags.yaml': 't:\n  label: Tt\nu:\n  label: U\n' } },
      {
        changes: {
          '.gitbook/tags.yaml': { text: 'other.yaml', mode: '120000' },
          '.gitbook/other.yaml': 't:\n  label: Other\n',
        },
      },
      { changes: { '.gitbook/other.yaml': 't:\n  label: Another\n' } },
      { changes: { '.gitbook/tags.yaml': null } },
      { changes: { '.gitbook/vars.yaml': 'v: 1\n' } },
      { changes: { '.gitbook/includes/i.md': '---\ntitle: I\n---\nOnly its text ![](../../pics/x.png)\n' } },
      // A file in any folder has an ID if a page shows it, and a cover then refers to it by that ID.
      { changes: { 'last.md': '# Last\n\n![](pics/x.png)\n' } },
      { changes: { 'last.md': '# Last\n' } },
      { changes: { '.gitbook/vars.yaml': 'v: 2\n', '.gitbook/includes/i.md': '---\ntitle: J\n---\nJ\n' } },
      { changes: { '.gitbook/includes/i.md': null, '.gitbook/assets/x.png': 'y' } },
      { changes: { '.gitbook/assets/x.png': null } },
      { changes: { '.gitbook.yaml': 'structure:\n  readme: last.md\n' } },
      { changes: { '.gitbook.yaml': 'root: ./a/\n' } },
      { changes: { '.gitbook.yaml': 'root: [\n' } },
      { again: 0 },
    ],
  ))

test("a page's path follows changes of its ancestors, siblings and groups", () =>
  through(
    {
      ...FILES,
      'b/one.md': '# Other one\n',
      'a/deep/x.md': '# X\n',
      'SUMMARY.md': SUMMARY.replace('  * [Two]', '    * [X](a/deep/x.md)\n  * [Two]'),
    },
    [
      {
        changes: {
          'SUMMARY.md': SUMMARY.replace('  * [One]', '  * [Other](b/one.md)\n  * [One]').replace(
            '  * [Two]',
            '    * [X](a/deep/x.md)\n  * [Two]',
          ),
        },
      },
      {
        changes: {
          'SUMMARY.md': SUMMARY.replace('  * [Two]', '    * [X](a/deep/x.md)\n  * [Two]').concat(
            '* [Other](b/one.md)\n',
          ),
        },
      },
      {
        changes: {
          'SUMMARY.md': SUMMARY.replace('* [A]', '## Group\n\n* [A]').replace(
            '  * [Two]',
            '    * [X](a/deep/x.md)\n  * [Two]',
          ),
        },
      },
      {
        changes: {
          'SUMMARY.md': SUMMARY.replace('* [A]', '## Group <a href="#g" id="g"></a>\n\n* [A]').replace(
            '  * [Two]',
            '    * [X](a/deep/x.md)\n  * [Two]',
          ),
        },
      },
      { changes: { 'a/deep/x.md': '---\nicon: star\nhidden: true\n---\n# X\n' } },
      { changes: { 'a/deep/x.md': '---\nicon: [\n---\n# X\n' } },
      { changes: { 'a/deep/x.md': { text: '# X\n', mode: '100755' } } },
      { changes: { 'SUMMARY.md': null } },
      { changes: { 'a/deep/y.md': '# Y\n' } },
      { changes: { 'a/deep/y.md': '# Why\n' } },
    ],
  ))

test('responses are correct for a page with many subpages', () => {
  const many = Array.from({ length: 70 }, (_, at) => `a/many/${at}.md`)
  const summary = SUMMARY.replace('  * [One]', `${many.map((path, at) => `  * [${at}](${path})\n`).join('')}  * [One]`)
  return through(
    { ...FILES, 'SUMMARY.md': summary, ...Object.fromEntries(many.map((path) => [path, `# ${path}\n`])) },
    [
      { changes: { 'a/many/69.md': '---\ndescription: d\n---\n# a/many/69.md\n' } },
      { changes: { 'a/one.md': '# One\n\nx\n' } },
    ],
    ({ path }) => path === 'a' || path === 'a/69',
  )
})

test('a change request that refers to the head of main by ID notices that main moved', async () => {
  const desk = await openDesk(here, FILES)
  const request = await desk.changeRequest()
  const first = await desk.git('rev-parse', 'refs/heads/main')
  await commitByHand(desk.repo, {
    ref: request.ref,
    parents: [first],
    tree: first,
    changes: new Map([['last.md', { text: `# Last\n\n${first}\n` }]]),
    ...DATED,
  })
  const id = await desk.id('last', `/change-requests/${request.id}`)
  const [revision, paths] = [
    await desk.git('rev-parse', request.ref),
    ['', '?format=document'].map((format) => `/page/${id}${format}`),
  ]
  const all = [
    `${request.url}/content/pages`,
    ...paths.flatMap((path) => [
      `${request.url}/content${path}`,
      `${desk.url}/revisions/${revision}${path}`,
      `${desk.url}/content${path}`,
    ]),
  ].map((path) => readAt(here.url, path))
  for (const to of [first, revision, first, undefined, revision, first]) {
    if (to === undefined)
      await commitByHand(desk.repo, {
        parents: [first],
        tree: first,
        changes: new Map([['a/one.md', { text: '# One\n' }]]),
        ...DATED,
      })
    else await desk.git('update-ref', 'refs/heads/main', to)
    for (const one of all) {
      const text = Buffer.from((await readAll(one)).body, 'base64').toString()
      if (one.path.startsWith(request.url) && !one.path.endsWith('pages'))
        assert.ok(text.includes(`${first}\\n`) || text.includes(`${first}"`), text)
    }
  }
})

test('responses are correct if main is a symbolic ref whose target moves', async () => {
  const desk = await openDesk(here, FILES)
  const head = await desk.git('rev-parse', 'refs/heads/main')
  const before = await desk.git('rev-parse', 'refs/heads/main~1')
  const paths = [`${desk.url}/content/pages`, `${desk.url}/content/page/${await desk.id('last')}`]
  const all = () => Promise.all(paths.map((path) => readAll(readAt(here.url, path))))
  const first = await all()
  await desk.git('update-ref', 'refs/heads/other', head)
  await desk.git('symbolic-ref', 'refs/heads/main', 'refs/heads/other')
  assert.equal((await all()).map(comparable), first.map(comparable))
  await desk.git('update-ref', 'refs/heads/other', before)
  assert.ok((await all()).every((one, index) => header(one, 'etag') !== header(first[index] as WireResponse, 'etag')))
  await commitByHand(desk.repo, { ref: 'refs/heads/other', parents: [head], tree: head, ...DATED })
  await all()
  await desk.git('pack-refs', '--all')
  await desk.git('update-ref', 'refs/heads/other', head)
  assert.equal((await all()).map(comparable), first.map(comparable))
})

test('a service that has just started returns the same responses in the opposite order', async () => {
  assert.ok(seen.length > 40)
  assert.ok((await renewed(here.url)) > 40, 'responses were renewed')
  const dir = await mkdtemp(join(tmpdir(), 'bindery-copy-'))
  for (const part of ['data', 'repos']) await copyFolder(join(here.dir, part), join(dir, part))
  const copy = await startService({ dir })
  try {
    copy.service.app.settings.publicUrl = here.service.app.settings.publicUrl
    for (const [index, { desk, head, responses }] of seen.reverse().entries()) {
      await git(join(dir, 'repos', `${desk.space}.git`), ['update-ref', 'refs/heads/main', head])
      for (const [path, response] of responses) {
        // The trees of all states: their cached pages serve all URLs.
        if (index % 6 > 0 && !path.endsWith('/content/pages')) continue
        assert.equal(comparable(await read(readAt(copy.url, path))), comparable(response), `${path} at ${head}`)
      }
    }
  } finally {
    await copy.close()
  }
})

// Last, since the ETags of content cover all specifications.
test('responses change with the pages of a specification and the addresses of remote files', async () => {
  const entry = `* [Pets](pets.md)\n  * \`\`\`yaml\n    type: builtin:openapi\n    dependencies:\n      spec:\n        ref:\n          kind: openapi\n          spec: pets\n    \`\`\`\n`
  const desk = await openDesk(here, { ...FILES, 'SUMMARY.md': SUMMARY + entry, 'pets.md': '# Pets\n' })
  const all = async () => {
    const pages = flat(await desk.pages()).filter(({ path }) => path.startsWith('pets') || path === 'last')
    const old = await desk.git('rev-parse', 'refs/heads/main~1')
    const ofPages = pages.flatMap(({ id }) => [`content/page/${id}`, `revisions/${old}/page/${id}`])
    const paths = ['content/pages', 'content/pages?computed=false', `revisions/${old}/pages`, ...ofPages]
    for (const path of paths) await readAll(readAt(here.url, `${desk.url}/${path}`))
  }
  for (const title of ['Pets', 'Dogs', 'Pets']) {
    await here.admin.call('put', `/v1/orgs/${here.organization}/openapi/pets`, { source: { text: SPEC(title) } })
    await here.service.idle()
    await all()
    assert.ok(
      flat(await desk.pages()).some((page) => 'computedSeed' in page && page.type === 'document'),
      'the specification yields pages',
    )
    const head = await desk.git('rev-parse', 'refs/heads/main')
    await commitByHand(desk.repo, {
      parents: [head],
      tree: head,
      changes: new Map([['a/one.md', { text: `# ${title}\n` }]]),
      authored: BEGAN,
      committed: BEGAN,
    })
    await all()
  }
  const remote = await openDesk(here, FILES)
  const id = await desk.id('last')
  for (const place of ['one', 'two']) {
    const gitInfo = { provider: 'github', url: `https://git.example/${place}` }
    await here.admin
      .call('post', `${desk.url}/git/import`, {
        url: `file://${remote.repo}`,
        ref: 'refs/heads/main',
        gitInfo,
        force: true,
      })
      .expect(204)
    await here.service.idle()
    await all()
    const { body } = await here.admin.call('get', `${desk.url}/content/page/${id}`)
    assert.is(body.git?.url, `${gitInfo.url}/last.md`, JSON.stringify(body))
  }
})

test.run()

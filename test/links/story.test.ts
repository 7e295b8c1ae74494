/** Plays random edits of pages that link to each other: broken links and backlinks match what plain Git shows. */
import { join, posix } from 'node:path'
import * as assert from 'uvu/assert'
import { pick, pickWeighted, type Random, random } from '../simulation/two-sided/random.js'
import { git } from '../support/hermetic-git.js'
import { commitPlainly } from '../support/plain-edit.js'
import { startService, type TestService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'

const test = suite('stories of links')
const STEPS = size(25, 100)

interface Story {
  here: TestService
  next: Random
  url: string
  repository: string
  made: number
}
interface Page {
  id: string
  title: string
  git: { path: string }
}

const pagesOf = async ({ here, url }: Story, at = url): Promise<Page[]> =>
  (await here.admin.call('get', `${at}/content/pages`).expect(200)).body.pages
const write = ({ here }: Story, at: string, changes: object[]) =>
  here.admin.call('post', `${at}/content`, { changes }).expect(200)

const HEADINGS = ['First part', 'Second part', 'Questions and answers']
const anchor = (heading: string): string => heading.toLowerCase().replaceAll(' ', '-')

/** A page with some headings, and links to pages, parts of pages, and places outside. */
async function text(story: Story, own: string, at = story.url): Promise<string> {
  const { next } = story
  const pages = await pagesOf(story, at)
  const lines = HEADINGS.filter(() => next(3) > 0).map((heading) => `## ${heading}\n\nWords.`)
  for (let i = next(4); i >= 0; i--) {
    const target = pick(next, pages) as Page
    const path = posix.relative(posix.dirname(own), target.git.path)
    const href = pick(next, [
      path,
      `${path}#${anchor(pick(next, HEADINGS) as string)}`,
      'missing/page.md',
      `#${anchor(HEADINGS[0] as string)}`,
      'https://example.org/a',
    ])
    lines.push(pick(next, [`See [this](${href}).`, `- [this](${href})`, `> *[this](${href})*`]) as string)
  }
  return `${lines.join('\n\n')}\n`
}

type Step = (story: Story) => Promise<void>

const insert: Step = async (story) => {
  const title = `Page ${++story.made}`
  await write(story, story.url, [
    { operation: 'insert_page', title, document: { markdown: await text(story, `page-${story.made}.md`) } },
  ])
}

const rewrite: Step = async (story) => {
  const page = pick(story.next, await pagesOf(story)) as Page
  await write(story, story.url, [
    { operation: 'update_page', page: page.id, document: { markdown: await text(story, page.git.path) } },
  ])
}

const remove: Step = async (story) => {
  const pages = await pagesOf(story)
  if (pages.length < 4) return insert(story)
  await write(story, story.url, [{ operation: 'delete_page', page: (pick(story.next, pages) as Page).id }])
}

const rename: Step = async (story) => {
  const page = pick(story.next, await pagesOf(story)) as Page
  if (page.git.path.endsWith('README.md')) return
  await write(story, story.url, [{ operation: 'update_page', page: page.id, slug: `named-${++story.made}` }])
}

const plainly: Step = async (story) => {
  const page = pick(story.next, await pagesOf(story)) as Page
  await commitPlainly(story.repository, { [page.git.path]: `# ${page.title}\n\n${await text(story, page.git.path)}` })
}

/** A change request that deletes a page breaks the links to it. Links on main stay intact until the merge. */
const changeRequest: Step = async (story) => {
  const { here, url, next } = story
  const pages = await pagesOf(story)
  if (pages.length < 4) return insert(story)
  const { body } = await here.admin.call('post', `${url}/change-requests`, { subject: 'A page less' }).expect(201)
  const request = `${url}/change-requests/${body.id}`
  const gone = pick(next, pages) as Page
  const before = await truth(story)
  await write(story, request, [{ operation: 'delete_page', page: gone.id }])
  const broken = [...before.values()]
    .flat()
    .filter(({ to, broken: was, from }) => to === gone.git.path && from !== gone.git.path && !was).length
  const { stats } = (await here.admin.call('get', `${request}/links?limit=1000`).expect(200)).body
  assert.is(
    stats.broken.changeRequest > 0,
    broken > 0,
    `the change request without ${gone.git.path} breaks ${broken} links, not ${JSON.stringify(stats)}`,
  )
  await check(story, `${gone.git.path} deleted in a change request`)
  if (next(2) === 0) await here.admin.call('post', `${request}/merge`).expect(200)
}

const steps: readonly (readonly [number, Step])[] = [
  [4, insert],
  [6, rewrite],
  [2, remove],
  [3, rename],
  [3, plainly],
  [3, changeRequest],
]

interface Link {
  from: string
  /** The path of the file; null for a place outside. */
  to: string | null
  broken: boolean
}

/** The links of each page by its path, read from main with plain Git. */
async function truth({ repository }: Story): Promise<Map<string, Link[]>> {
  const names = (await git(repository, ['ls-tree', '-r', '--name-only', 'main'])).split('\n')
  const texts = new Map<string, string>()
  for (const name of names)
    if (name.endsWith('.md') && name !== 'SUMMARY.md')
      texts.set(name, await git(repository, ['cat-file', 'blob', `main:${name}`]))
  const anchors = new Map(
    [...texts].map(([name, words]) => [
      name,
      new Set([...words.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchor(heading as string))),
    ]),
  )
  const links = new Map<string, Link[]>()
  for (const [from, words] of texts) {
    const found = [...words.matchAll(/\]\(([^)]+)\)/g)].map(([, href]): Link => {
      if (/^https:/.test(href as string)) return { from, to: null, broken: false }
      const [path = '', part] = (href as string).split('#')
      const to = path === '' ? from : posix.join(posix.dirname(from), path)
      return { from, to, broken: !texts.has(to) || (part !== undefined && !anchors.get(to)?.has(part)) }
    })
    links.set(from, found)
  }
  return links
}

const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort()

async function check(story: Story, told: string): Promise<void> {
  const { here, url } = story
  const links = await truth(story)
  const pages = await pagesOf(story)
  const all = (await here.admin.call('get', `${url}/links?limit=1000`).expect(200)).body
  const listed = pages.flatMap(({ git: { path } }) => links.get(path) ?? [])
  assert.is(
    all.stats.broken.total > 0,
    listed.some(({ broken }) => broken),
    `broken links after ${told}`,
  )
  for (const page of pages) {
    const own = links.get(page.git.path) ?? []
    const broken = (await here.admin.call('get', `${url}/content/page/${page.id}/links?status=broken`).expect(200)).body
    assert.is(
      broken.items.length > 0,
      own.some((link) => link.broken),
      `broken links of ${page.git.path} after ${told}`,
    )
    assert.is(
      broken.items.every(({ status }: { status: string }) => status === 'broken'),
      true,
    )
    const { items } = (await here.admin.call('get', `${url}/content/page/${page.id}/backlinks?limit=1000`).expect(200))
      .body
    const wanted = listed
      .filter(({ to, from, broken: is }) => to === page.git.path && from !== to && !is)
      .map(({ from }) => from)
    const least = sorted(wanted)
    const given = sorted(
      items.map((item: { page: Page }) => item.page.git.path).filter((path: string) => path !== page.git.path),
    )
    // A link to a missing part of a page is still a link to the page.
    const most = sorted(listed.filter(({ to, from }) => to === page.git.path && from !== to).map(({ from }) => from))
    assert.is(
      least.every((path) => given.includes(path)) && given.every((path) => most.includes(path)),
      true,
      `backlinks of ${page.git.path} after ${told}: ${given}, not ${most}`,
    )
  }
}

for (const seed of seeds(1, 20))
  test(
    `links match plain Git after random edits from seed ${seed}`,
    async () => {
      const here = await startService()
      try {
        const { body } = await here.admin
          .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Linked' })
          .expect(201)
        const story: Story = {
          here,
          next: random(seed),
          url: `/v1/spaces/${body.id}`,
          repository: join(here.dir, 'repos', `${body.id}.git`),
          made: 0,
        }
        for (let i = 0; i < 3; i++) await insert(story)
        for (let step = 0; step < STEPS; step++) {
          const work = pickWeighted(story.next, steps)
          await work(story)
          await check(story, `step ${step}, ${work.name}`)
        }
      } finally {
        await here.close()
      }
    },
    { timeoutMs: 300_000 },
  )
test.run()

/**
 * Publishes a repository and reads all of its site. The test run plays a repository with one page for each feature of the
 * format. `CRAWL=<bare repository or bundle> CRAWL_BRANCH=<branch> npm test -- site/crawl` plays a real one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { select, selectAll } from 'hast-util-select'
import { toString as textIn } from 'hast-util-to-string'
import * as assert from 'uvu/assert'
import { check } from '../../src/commands/check.js'
import type { Problem } from '../../src/commands/find-problems.js'
import { isFile } from '../../src/content/read-file.js'
import type { DocumentEntry } from '../../src/content/types.js'
import { type PageSurroundings, pageHtml } from '../../src/domain/pdf/page-html.js'
import { Pictures } from '../../src/domain/pdf/pictures.js'
import { openMain } from '../../src/domain/revisions/main-content.js'
import { openSpace } from '../../src/domain/spaces/spaces.js'
import { spaces } from '../../src/model/index.js'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { createBareRepository } from '../support/bare-repository.js'
import { FEATURES } from './fixtures/features.js'
import { crawl, type Crawl, type Read } from './crawler.js'
import { missingWords, otherHtml, parseHtml, textOf, wordsIn, wordsOf } from './words-of.js'

type SpaceDocument = Parameters<typeof openSpace>[2]
/** A response body of the API; the service checks it against its schema. */
type Json = any

const { CRAWL, CRAWL_BRANCH = 'main' } = process.env
const [test, here] = await suiteWith('site: crawl', () => startService())

const dir = await mkdtemp(join(tmpdir(), 'crawl-'))
const remote = join(dir, 'remote.git')
await createBareRepository(remote, CRAWL === undefined ? { files: FEATURES } : { fromBundle: CRAWL })
const folder = join(dir, 'folder')
await git(dir, ['clone', '--quiet', '--branch', CRAWL_BRANCH, remote, folder])
test.after(() => rm(dir, { recursive: true, force: true }))

/** Imports the repository and publishes it. Returns the space, and the address of the site. */
async function publish(): Promise<{ space: string; address: string }> {
  const { call } = here.admin
  const organization = `/v1/orgs/${here.organization}`
  const space = (await call('post', `${organization}/spaces`, { title: 'Crawled' }).expect(201)).body.id
  const at = `/v1/spaces/${space}`
  await call('post', `${at}/git/import`, { url: `file://${remote}`, ref: `refs/heads/${CRAWL_BRANCH}` })
  let info: Json
  do info = (await call('get', `${at}/git/info`).expect(200)).body
  while (info.state === 'queued' || info.state === 'running')
  assert.is(info.state, 'success', info.error)
  const made = { title: 'Crawled', spaces: [space], visibility: 'public' }
  const { id } = (await call('post', `${organization}/sites`, made).expect(201)).body
  const { urls } = (await call('post', `${organization}/sites/${id}/publish`).expect(200)).body
  return { space, address: urls.published }
}

const { space, address } = await publish()
const { origin, pathname: base } = new URL(address)
const site: Crawl = await crawl(address)

/** The problems that `bindery check` lists, by file. */
const problems: Problem[] = JSON.parse((await check(folder, { format: 'json' })).text).problems

const all = (pages: Json[]): Json[] => pages.flatMap((page) => [page, ...all(page.pages ?? [])])
const pages = all((await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages)
const documents = pages.filter(({ type }) => type === 'document')
const pathOf = (page: Json): string => `${base}/${page.path.split('/').map(encodeURIComponent).join('/')}`
const first = documents[0].id
const readOf = (page: Json): Read | undefined => site.reads.get(page.id === first ? base : pathOf(page))

const revision = await (async () => {
  const { app, first: owner } = here.service
  const actor = { user: owner.user, token: { id: 'test', readOnly: false } }
  return openMain(app, await openSpace(app, actor, (await app.store.get(spaces, space)) as SpaceDocument))
})()

const sourceOf = (page: Json): Promise<string> => git(folder, ['show', `HEAD:${page.git.path}`])

/** Fails with all findings. */
function none(what: string, found: readonly string[]): void {
  if (found.length > 0 && process.env.CRAWL) console.log(`${what}: ${found.length}\n${found.join('\n')}`)
  assert.is(found.length, 0, `${what}: ${found.length}\n${found.slice(0, 40).join('\n')}`)
}

test('every page is reached from the first one, and nothing fails', () => {
  none('not reached', documents.filter((page) => readOf(page)?.status !== 200 && !page.hidden).map(pathOf))
  none(
    'failed',
    [...site.reads.values()]
      .filter(({ status }) => status >= 400)
      .map(({ path, status }) => {
        const from = site.references.find(({ to }) => to.pathname + to.search === path)?.from
        return `${status} ${path} on ${from}`
      }),
  )
})

test('every anchor points to an element, except the listed exceptions', () => {
  const ids = new Map<string, Set<string>>()
  const idsOf = (read: Read): Set<string> => {
    const known =
      ids.get(read.path) ?? new Set(selectAll('[id]', read.tree!).map(({ properties }) => String(properties.id)))
    ids.set(read.path, known)
    return known
  }
  const files = new Map(documents.map((page) => [readOf(page)?.path, page.git.path]))
  const broken = new Set(
    problems
      .filter(({ code }) => code === 'broken-link')
      .map(({ file, message }) => `${file} ${/to "(.*?)" is broken/.exec(message)?.[1]?.replace(/^[^#]*/, '')}`),
  )
  none('without a target', [
    ...new Set(
      site.references.flatMap(({ from, to }) => {
        const read = to.origin === origin ? site.reads.get(to.pathname + to.search) : undefined
        if (!read?.tree || to.hash.length < 2) return []
        const id = decodeURIComponent(to.hash.slice(1))
        return idsOf(read).has(id) || broken.has(`${files.get(from)} #${id}`)
          ? []
          : [`${from} (${files.get(from)}) -> ${to.pathname}#${id}`]
      }),
    ),
  ])
})

test('every picture address returns a picture', () => {
  none(
    'not a picture',
    site.references.flatMap(({ kind, to, from }) => {
      const read = to.origin === origin ? site.reads.get(to.pathname + to.search) : undefined
      return kind !== 'picture' || !read || /^(image|video|audio)\//.test(read.type)
        ? []
        : [`${from} -> ${to.pathname}: ${read.type}`]
    }),
  )
})

/** Markup that a parser should have resolved, outside of code. */
const MARKUP = /`|\*\*|\]\(|\{%|\\[_*.()]|&(?:#\w+|amp|lt|gt|nbsp);|<\/?(?:a|code|strong|em|mark|br|img|su[bp])\b/

/** The headings whose code reads as markup, as another parser shows them, without their code. */
const headingsWithCode = new Map<string, string>()
for (const page of documents)
  for (const heading of selectAll('h1, h2, h3, h4, h5, h6', parseHtml(otherHtml(await sourceOf(page))))) {
    const text = textIn(heading).trim()
    for (const code of selectAll('code', heading)) code.children = []
    if (MARKUP.test(text)) headingsWithCode.set(text, textIn(heading))
  }

test('titles never contain markup', () => {
  const selector = 'title, h1, .tree a, .tree p, .pager a, .head a, aside a'
  none(
    'with markup',
    [...site.reads.values()].flatMap(({ tree, path }) => {
      const texts = new Set((tree ? selectAll(selector, tree) : []).map((one) => textIn(one).trim()))
      return [...texts]
        .filter((text) => MARKUP.test(headingsWithCode.get(text) ?? text))
        .map((text) => `${path}: ${text}`)
    }),
  )
})

const printing: PageSurroundings = {
  app: here.service.app,
  revision,
  pictures: new Pictures(here.service.app, space, revision.snapshot, dir),
  paths: new Set((await revision.snapshot.walk()).filter(isFile).map((file) => file.path)),
  printed: new Set(documents.map(({ id }) => id)),
  lang: 'en',
}

/** Returns the words of the page as the PDF of the whole space shows it. */
async function printedWords(page: Json): Promise<string[]> {
  const entry = revision.structure.byGitPath.get(page.git.path) as DocumentEntry
  const { title, html } = await pageHtml(entry, printing)
  return [...wordsIn(title ?? ''), ...wordsOf(html)]
}

test('no text of a page is missing on its page, in print or in its markdown', async () => {
  const gaps: string[] = []
  for (const page of documents) {
    const { tree } = readOf(page) ?? {}
    const article = tree && select('article', tree)
    if (!article) continue
    const wanted = wordsOf(otherHtml(await sourceOf(page)))
    const forms = {
      page: wordsIn(textOf(article)),
      print: await printedWords(page),
      markdown: wordsOf(otherHtml(await (await fetch(`${origin}${pathOf(page)}.md`)).text())),
    }
    for (const [form, found] of Object.entries(forms)) {
      assert.ok(found.length > 0 || wanted.length === 0, `${page.git.path} (${form})`)
      for (const gap of missingWords(wanted, found)) gaps.push(`${page.git.path} (${form}): ${gap}`)
    }
  }
  none('missing', gaps)
})

test('the search finds pages by their titles and links to them', async () => {
  const found: string[] = []
  for (const page of documents.slice(0, 30)) {
    const response = await fetch(`${address}/~search?q=${encodeURIComponent(page.title)}`)
    const text = await response.text()
    if (response.status !== 200 || !text.includes('href="')) found.push(`${response.status} ${page.title}`)
    for (const { properties } of selectAll('main a[href]', parseHtml(text))) {
      const { pathname: path } = new URL(String(properties.href), origin)
      if (site.reads.get(path)?.status !== 200) found.push(`${page.title} -> ${path}`)
    }
  }
  none('not found', found)
})

test.run()

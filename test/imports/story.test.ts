/** Small random websites: each text, link and picture appears in the content once, and everything missing is listed. */
import * as assert from 'uvu/assert'
import { random } from '../simulation/two-sided/random.js'
import { startService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { Archive, type ArchivePage } from './random-archive.js'
import { Site } from './random-site.js'
import { type Content, contentOf, type Import, importAll, newSpace, serve, textOf } from './story-support.js'

const SIZE = size(14, 60)
const [test, here] = await suiteWith('stories of imports', () =>
  startService({ env: { BINDERY_IMPORT_DELAY_MS: '0' } }),
)

/** All errors. They are reported together, since one fault often appears in several places. */
type Wrong = string[]

function attempt(wrong: Wrong, check: () => void): void {
  try {
    check()
  } catch (thrown) {
    wrong.push((thrown as Error).message)
  }
}

interface Book {
  pages: readonly {
    path: string
    title: string
    word: string
    seen: string[]
    links: { word: string; to: { word: string; path: string } | string }[]
    pictures: { alt: string; bytes: Buffer | null }[]
  }[]
}

function checkLinks(site: Book, content: Content, wrong: Wrong): void {
  for (const page of site.pages)
    for (const { word, to } of page.links)
      attempt(wrong, () => {
        const target = content.targetOf(word)
        const wanted = typeof to === 'string' ? to : content.fileOf(to.word, to.path)
        assert.is(
          target.split('#')[0],
          wanted.split('#')[0],
          `${word} of ${page.path} leads to ${target}, not to ${wanted}`,
        )
      })
}

function checkPictures(site: Book, content: Content, wrong: Wrong): void {
  const wanted = new Set<string>()
  for (const page of site.pages)
    for (const { alt, bytes } of page.pictures) {
      if (bytes !== null) wanted.add(bytes.toString('hex'))
      attempt(wrong, () => {
        const target = content.targetOf(alt)
        if (bytes === null) assert.is(content.files.has(target), false, `${alt} could not be read`)
        else assert.is(content.files.get(target)?.equals(bytes), true, `${alt} at ${target}`)
      })
    }
  const assets = [...content.files.keys()].filter(
    (path) => path.startsWith('.gitbook/assets/') && !path.endsWith('.md'),
  )
  attempt(wrong, () =>
    assert.is(assets.length, wanted.size, `there are ${assets.length} pictures, not ${wanted.size}: ${assets}`),
  )
}

function checkFailures(site: Site, over: Import, wrong: Wrong): void {
  const listed = over.failures.map(({ resource }) => new URL(resource).pathname)
  const told = (resource: string): string => over.failures.find((one) => one.resource.endsWith(resource))?.reason ?? ''
  for (const one of listed) if (!site.failing.includes(one)) wrong.push(`${one} is listed: ${told(one)}`)
  for (const one of site.failing) if (!listed.includes(one)) wrong.push(`${one} is not listed`)
  attempt(wrong, () => assert.is(listed.length, new Set(listed).size, `each failure once: ${listed}`))
  attempt(wrong, () => assert.is(over.totalResources, over.importedResources + over.failures.length, 'totalResources'))
}

interface Listed {
  id: string
  title: string
  git?: { path: string }
  pages?: Listed[]
}
const flat = (pages: Listed[]): Listed[] => pages.flatMap((page) => [page, ...flat(page.pages ?? [])])

async function checkTexts(space: string, site: Book, content: Content, wrong: Wrong): Promise<void> {
  const { body } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  const pages = flat(body.pages)
  for (const page of site.pages) {
    const path = content.texts().find(([, text]) => text.includes(page.word))?.[0]
    attempt(wrong, () => content.fileOf(page.word, `the word of ${page.path}`))
    const own = pages.find((one) => one.git !== undefined && one.git.path === path)
    attempt(wrong, () => assert.is(own?.title, page.title, `${page.path} at ${path} in the table of contents`))
    if (!own) continue
    const shown = await here.admin.call('get', `/v1/spaces/${space}/content/page/${own.id}?format=document`).expect(200)
    const text = textOf(shown.body.document)
    for (const piece of page.seen)
      if (!text.includes(piece)) {
        const word = piece.split(' ').find((part) => /^[a-z]+[0-9a-z]+q[0-9a-z]+z$/.test(part)) as string
        const source = content.files.get(path as string)?.toString() as string
        const around = (of: string): string => of.slice(Math.max(0, of.indexOf(word) - 60), of.indexOf(word) + 80)
        wrong.push(
          `${JSON.stringify(piece)} of ${page.path} is seen as ${JSON.stringify(around(text))} of ${JSON.stringify(around(source))}`,
        )
      }
  }
}

for (const seed of seeds(2, 20))
  test(`the generated website ${seed} is imported completely`, async () => {
    const site = new Site(random(seed), SIZE)
    const web = await serve((request, response) => site.handle(request, response))
    try {
      site.write(web.origin)
      const space = await newSpace(here)
      const before = await contentOf(here, space)
      const over = await importAll(here, space, { url: site.start, source: 'website' })
      assert.is(over.state, 'completed', over.error)
      const content = await contentOf(here, space)
      const wrong: Wrong = []
      attempt(wrong, () => assert.is(content.commits, before.commits + 1, 'one commit'))
      for (const word of site.forbidden)
        if (content.has(word))
          wrong.push(`${word} is no content, and in ${content.texts().find(([, text]) => text.includes(word))}`)
      checkLinks(site, content, wrong)
      checkPictures(site, content, wrong)
      checkFailures(site, over, wrong)
      await checkTexts(space, site, content, wrong)
      assert.is(wrong.join('\n'), '')
    } finally {
      await web.close()
    }
  })

/** Markdown stays unchanged except for the targets of links. */
const withoutTargets = (text: string): string => text.replace('\ufeff', '').replace(/\]\((<[^>]*>|[^)\s"]*)/g, '](')

function checkBytes(pages: ArchivePage[], content: Content, wrong: Wrong): void {
  for (const { kind, path, text, word } of pages)
    if (kind === 'md')
      attempt(wrong, () => {
        const bytes = content.files.get(content.fileOf(word, path))?.toString('utf8') as string
        assert.is(
          withoutTargets(bytes),
          withoutTargets(text),
          `bytes of ${JSON.stringify(path)} are ${JSON.stringify(bytes)}, not ${JSON.stringify(text)}`,
        )
      })
}

for (const seed of seeds(2, 20))
  test(`the generated archive ${seed} is imported completely`, async () => {
    const archive = new Archive(random(seed), SIZE)
    const bytes = await archive.write()
    const web = await serve((_, response) => response.writeHead(200, { 'content-type': 'application/zip' }).end(bytes))
    try {
      const space = await newSpace(here)
      const before = await contentOf(here, space)
      const over = await importAll(here, space, {
        url: `${web.origin}/export.zip`,
        source: archive.notion ? 'notion' : 'zip',
      })
      assert.is(over.state, 'completed', over.error)
      const content = await contentOf(here, space)
      const wrong: Wrong = []
      attempt(wrong, () => assert.is(content.commits, before.commits + 1, 'one commit'))
      for (const word of archive.forbidden) if (content.has(word)) wrong.push(`${word} is no content`)
      for (const word of archive.failing)
        if (!over.failures.some(({ resource }) => resource.includes(word)))
          wrong.push(`${word} is not listed: ${JSON.stringify(over.failures)}`)
      for (const { resource, reason } of over.failures)
        if (!archive.failing.some((word) => resource.includes(word))) wrong.push(`${resource} is listed: ${reason}`)
      checkLinks(archive, content, wrong)
      checkPictures(archive, content, wrong)
      checkBytes(archive.pages, content, wrong)
      await checkTexts(space, archive, content, wrong)
      assert.is(wrong.join('\n'), '')
    } finally {
      await web.close()
    }
  })

test.run()

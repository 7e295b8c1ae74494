// Tests that hidden content changes nothing in a visitor's responses: no title, text, count, order, correction or ID.
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { runs } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type Json, newSite, type SiteClient } from './http.js'

const [test, here] = await suiteWith('sites: content hidden from visitors', () =>
  startService({ env: { BINDERY_CHROMIUM: '/bin/false' } }),
)

const get = async (path: string): Promise<Json> => (await here.admin.call('get', path).expect(200)).body
const patch = async (path: string, body: object): Promise<Json> =>
  (await here.admin.call('patch', path, body).expect(200)).body
const query = (more: Record<string, string>): string => new URLSearchParams(more).toString()
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
function token(key: string, claims: object): string {
  const text = `${encode({ alg: 'HS256' })}.${encode({ exp: Math.floor(Date.now() / 1000) + 6000, ...claims })}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}
const NAMES = ['a', 'b', 'class'] as const
const boolean = { type: 'boolean' }
const jsonSchema = {
  type: 'object',
  properties: {
    unsigned: { type: 'object', properties: { a: boolean, c: boolean }, additionalProperties: false },
    ...Object.fromEntries(NAMES.map((name) => [name, boolean])),
  },
  additionalProperties: false,
}

/** The claims of a visitor, from their token and from their browser. */
interface Claims {
  signed: Record<string, unknown>
  unsigned: Record<string, unknown>
}
/** A condition, as written and as this independent model understands it. */
interface Condition {
  text: string
  holds(claims: Claims): boolean
}
const leaf = (
  name: string,
  path: string,
  of: (claims: Claims) => Record<string, unknown>,
  declared: readonly string[],
): Condition[] => {
  const value = (claims: Claims): unknown =>
    declared.includes(name) && Object.hasOwn(of(claims), name) && typeof of(claims)[name] === 'boolean'
      ? of(claims)[name]
      : undefined
  return [
    { text: `${path} == true`, holds: (claims) => value(claims) === true },
    { text: `${path} != true`, holds: (claims) => value(claims) !== true },
    { text: `${path} == false`, holds: (claims) => value(claims) === false },
    { text: `!${path}`, holds: (claims) => !value(claims) },
  ]
}
const leaves = [
  ...[...NAMES, 'toString', 'exp'].flatMap((name) =>
    leaf(name, `visitor.claims.${name}`, ({ signed }) => signed, NAMES),
  ),
  ...['a', 'c', 'valueOf'].flatMap((name) =>
    leaf(name, `visitor.claims.unsigned.${name}`, ({ unsigned }) => unsigned, ['a', 'c']),
  ),
]
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom(...leaves),
  fc.tuple(fc.constantFrom(...leaves), fc.constantFrom(...leaves), fc.boolean()).map(
    ([x, y, and]): Condition => ({
      text: `${x.text} ${and ? '&&' : '||'} ${y.text}`,
      holds: (claims) => (and ? x.holds(claims) && y.holds(claims) : x.holds(claims) || y.holds(claims)),
    }),
  ),
)
/** Invalid conditions: content with one is hidden from everyone. */
const HOSTILE = [
  'true == visitor.claims.a)',
  'visitor.constructor.constructor("return 1")()',
  'globalThis',
  'process.exit()',
  '(() => true)()',
  'visitor.claims.a = true',
  'this',
  'import("fs")',
  'true; true',
  '[].concat(1)',
  'new Date()',
  '/a/.test("a")',
] as const
const hostile = fc.constantFrom(...HOSTILE).map((text): Condition => ({ text, holds: () => false }))

interface Page {
  word: string
  condition?: Condition
  hidden: boolean
  below: Page[]
}
const claimed = fc.oneof(
  { weight: 3, arbitrary: fc.boolean() as fc.Arbitrary<unknown> },
  fc.constantFrom('true', 1, null, [true], { a: true }),
)
const claims: fc.Arbitrary<Claims> = fc.record({
  signed: fc.dictionary(fc.constantFrom(...NAMES, 'unsigned', 'toString', 'c'), claimed),
  unsigned: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'valueOf', 'constructor'), claimed),
})
let words = 0
const letters = (number: number): string =>
  [...String(number).padStart(5, '0')].map((digit) => 'bcdfghjklm'[Number(digit)]).join('')
const pages = (depth: number): fc.Arbitrary<Page[]> =>
  fc.array(
    fc.record({
      word: fc.constant(''),
      condition: fc.option(fc.oneof({ weight: 6, arbitrary: condition }, hostile), {
        freq: 3,
        nil: undefined as unknown as null,
      }) as fc.Arbitrary<Condition>,
      hidden: fc.constant(false),
      below: depth === 0 ? fc.constant([] as Page[]) : pages(depth - 1),
    }),
    { minLength: 1, maxLength: depth === 0 ? 2 : 3 },
  )
const shaped = fc.tuple(pages(2), fc.infiniteStream(fc.integer({ min: 0, max: 5 }))).map(([tree, stream]) => {
  const visit = (list: Page[]): void =>
    list.forEach((page) => {
      page.word = `zq${letters(++words)}`
      page.hidden = stream.next().value === 0
      visit(page.below)
    })
  visit(tree)
  return tree
})
const markdown = ({ word, condition, hidden }: Page): string =>
  `---\ndescription: ${word}desc\n${condition ? `if: ${JSON.stringify(condition.text)}\n` : ''}${hidden ? 'hidden: true\n' : ''}---\n\n# ${word}\n\n## ${word}head\n\ncommon ${word}text\n`

/** Commits files to main with plain Git, at once. */
async function commit(space: string, files: Readonly<Record<string, string>>): Promise<void> {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`
  const entries = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
  const stream = `commit refs/heads/main\ncommitter A <a@example.com> 1790000000 +0000\n${data('By hand')}from refs/heads/main^0\n${entries.join('')}`
  await git(join(here.dir, 'repos', `${space}.git`), ['fast-import', '--quiet'], stream)
}

/** Writes a tree of pages into a space. Returns the ID of each by its word. */
async function write(space: string, tree: Page[]): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const summary: string[] = []
  const visit = (list: Page[], depth: number): void => {
    for (const page of list) {
      files[`${page.word}.md`] = markdown(page)
      summary.push(`${'  '.repeat(depth)}* [${page.word}](${page.word}.md)`)
      visit(page.below, depth + 1)
    }
  }
  visit(tree, 0)
  await commit(space, { ...files, 'SUMMARY.md': `# Table of contents\n\n${summary.join('\n')}\n` })
  const ids: Record<string, string> = {}
  const collect = (list: Json[]): void => {
    for (const one of list) {
      ids[one.title] = one.id
      collect(one.pages ?? [])
    }
  }
  collect((await get(`/v1/spaces/${space}/content/pages`)).pages)
  return ids
}

/** The model's result for each page, by its word. */
function modelled(tree: Page[], who: Claims): Record<string, { readable: boolean; listed: boolean }> {
  const out: Record<string, { readable: boolean; listed: boolean }> = {}
  const visit = (list: Page[], above: { readable: boolean; listed: boolean }): void => {
    for (const page of list) {
      const readable = above.readable && (page.condition?.holds(who) ?? true)
      out[page.word] = { readable, listed: readable && above.listed && !page.hidden }
      visit(page.below, out[page.word] as { readable: boolean; listed: boolean })
    }
  }
  visit(tree, { readable: true, listed: true })
  return out
}

/** A published site with one space that uses claims. */
async function publishedSite(title: string): Promise<{ site: SiteClient; space: string; base: string; key: string }> {
  const site = await newSite(here, { title })
  const entry = await site.siteSpace('Space')
  await patch(site.base, { adaptiveContent: { enabled: true } })
  await here.admin.call('put', `${site.base}/adaptive-schema`, { jsonSchema }).expect(200)
  await here.admin.call('post', `${site.base}/publish`).expect(200)
  const { privateKey } = await get(`${site.base}/publishing/auth`)
  return { site, space: entry.space.id, base: `${site.base}/published/site-spaces/${entry.id}`, key: privateKey }
}

/** A search of the site, once the index of the space is ready. */
async function search(
  made: { site: SiteClient; space: string },
  words: string,
  credentials: Record<string, string>,
): Promise<Json> {
  await here.admin.call('get', `/v1/spaces/${made.space}/search?${query({ query: words })}`)
  return get(`${made.site.base}/published/search?${query({ ...credentials, query: words, limit: '1000' })}`)
}

test('every response matches a model of claims and conditions, without hidden words', async () => {
  const made = await publishedSite('Model')
  await fc.assert(
    fc.asyncProperty(shaped, fc.array(claims, { minLength: 2, maxLength: 3 }), async (tree, visitors) => {
      const ids = await write(made.space, tree)
      for (const who of visitors) {
        const credentials = { visitorToken: token(made.key, who.signed), unsignedClaims: JSON.stringify(who.unsigned) }
        const model = modelled(tree, who)
        const of = (what: 'readable' | 'listed', is: boolean): string[] =>
          Object.keys(model).filter((word) => model[word]?.[what] === is)
        const told = `${JSON.stringify(tree)} ${JSON.stringify(who)}`
        const without = (answer: Json, hidden: string[], where: string): void => {
          const text = JSON.stringify(answer)
          for (const word of hidden)
            assert.not.ok(text.includes(word) || text.includes(ids[word] as string), `${word} in ${where}: ${told}`)
        }
        const list = await get(`${made.base}/pages?${query(credentials)}`)
        for (const word of of('listed', true))
          assert.ok(JSON.stringify(list).includes(`"${word}"`), `${word} is not listed: ${told}`)
        without(list, of('listed', false), 'the table of contents')
        without(
          await get(`${made.site.base}/published?${query(credentials)}`),
          of('listed', false),
          'the published answer',
        )
        const found = await search(made, 'common', credentials)
        const titles = found.items.flatMap((one: Json) => one.pages.map(({ title }: Json) => title)).sort()
        const listed = of('listed', true).sort()
        if (listed.length <= 5) assert.equal(titles, listed, told)
        else assert.ok(titles.length > 0 && titles.every((title: string) => listed.includes(title)), told)
        without(found, of('listed', false), 'the search')
        for (const [word, { readable, listed }] of Object.entries(model)) {
          const path = `${made.base}/pages/${ids[word]}?${query(credentials)}`
          const page = await here.admin.call('get', path)
          assert.is(page.status, readable ? 200 : 404, `${word}: ${told}`)
          if (readable) without(page.body, of('readable', false), `the page ${word}`)
          // a similar visible word may be found instead
          if (!listed)
            without(await search(made, `${word}text`, credentials), of('listed', false), `a search for ${word}`)
          const pdf = (
            await here.admin.call('get', `${made.base}/pdf?${query({ ...credentials, page: ids[word] as string })}`)
          ).status
          assert.is(pdf === 404, !readable, `PDF of ${word}: ${pdf}, ${told}`)
        }
      }
    }),
    { numRuns: runs(3, 200) },
  )
})

/** Pages that everyone sees. */
const open = {
  'one.md': '# One\n\nThe walrus eats oysters. Rare zebra.\n',
  'two.md': '# Two\n\nThe walrus sleeps. Many words of many things, oysters among them, and more of oysters.\n',
  'three.md': '# Three\n\nA carpenter talks of cabbages, and of kings.\n',
  'four.md': '# Four\n\nKings are rare. The carpenter is not, and talks.\n',
}
/** Pages with a condition that does not hold. Their words would change corrections, prefixes, ranks and counts. */
const secret = {
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `s${i}.md`,
      `---\nif: visitor.claims.a == true\n---\n\n# Secret ${i}\n\nThe walruss and the oyster. Zebras. Oysters oysters oysters. Kingz cabbagez.\n`,
    ]),
  ),
  's.md': '---\nif: visitor.claims.a == true\n---\n\n# Walrus\n\nwalrus carpenters kingdoms cabbage xylophone\n',
}
const queries = [
  'walrus',
  'walruss',
  'walrsu',
  'oysters',
  'oyster',
  'oystr',
  'zebra',
  'zebras',
  'zebraa',
  'zeb',
  'o',
  'ki',
  'king',
  'kings',
  'kingz',
  'kingd',
  'cabbage',
  'cabbagez',
  'cabbges',
  'xylophone',
  'xylophon',
  'xyl',
  'walrus xylophone',
  'carpenter xylophone',
  'carpenters',
  'carpenterz',
  'walrus oysters',
  'oysters walrus kings',
  'secret',
  'secrets',
  'rare kings',
  'talks rare',
  'the walrus',
]

test('pages that are hidden from a visitor do not change search results', async () => {
  const [without, having] = [await publishedSite('Without'), await publishedSite('Having')]
  const summary = (files: object): string =>
    `# Table of contents\n\n${Object.keys(files)
      .map((path) => `* [${path}](${path})\n`)
      .join('')}`
  await commit(without.space, { ...open, 'SUMMARY.md': summary(open) })
  await commit(having.space, { ...open, ...secret, 'SUMMARY.md': summary({ ...open, ...secret }) })
  const different: string[] = []
  for (const words of queries) {
    const shown = async (made: typeof having): Promise<string> => {
      const { items, count } = await search(made, words, {})
      return JSON.stringify({
        count,
        items: items.map((one: Json) =>
          one.pages.map(({ title, sections }: Json) => [
            title,
            (sections ?? []).map(({ title, body }: Json) => [title, body]),
          ]),
        ),
      })
    }
    const [expected, got] = [await shown(without), await shown(having)]
    if (got !== expected) different.push(`${words}: ${got}, without the hidden pages ${expected}`)
  }
  assert.equal(different, [])
})

test('parts that are hidden from a visitor do not change the published response', async () => {
  const site = async (hide: ((base: string, part: Json, kind: string) => Promise<unknown>) | null): Promise<string> => {
    const one = await newSite(here, { title: 'Twin' })
    await one.section('Open')
    if (hide) {
      const [section, second] = [await one.section('Hush'), await one.section('Hush too')]
      await one.siteSpace('Hush variant', section.id)
      const group = await one.group('Hush group', [second.id])
      await here.admin
        .call('post', `${one.base}/external-links`, {
          title: 'Hush link',
          target: 'https://hush.example',
          sectionGroup: group.id,
        })
        .expect(201)
      await hide(one.base, section, 'sections')
      await hide(one.base, group, 'section-groups')
    }
    await here.admin.call('post', `${one.base}/publish`).expect(200)
    const answer = await get(`${one.base}/published?unsignedClaims=%7B%7D`)
    assert.not.match(JSON.stringify(answer), /hush/i)
    const names = new Map<string, string>()
    return JSON.stringify(answer, null, 1)
      .replaceAll(/"(\w{20})"|\/(\w{20})(?=[/"])/g, (text, id = text) => {
        if (!names.has(id)) names.set(id, `#${names.size}`)
        return names.get(id) as string
      })
      .replaceAll(
        /"(createdAt|updatedAt|basename|published|preview|location|app|public|revision|position)": "[^"]*"/g,
        '',
      )
  }
  const expected = await site(null)
  const draft = await site((base, part, kind) => patch(`${base}/${kind}/${part.id}`, { draft: true }))
  assert.is(draft, expected)
})

test.run()

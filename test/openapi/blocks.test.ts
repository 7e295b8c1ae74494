import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { entry, operation, put, settled, spaceWith } from './fixture.js'
import { processed, serveFiles, specText } from './servers.js'

const [test, here] = await suiteWith('openapi/blocks', startService)
const web = await serveFiles()
test.after(() => web.close())

const get = async (url: string, status = 200) => (await here.admin.call('get', url).expect(status)).body
const block = (spec: string, path: string, method = 'get', body = ''): string =>
  `{% openapi-operation spec="${spec}" path="${path}" method="${method}" %}\n${body}{% endopenapi-operation %}\n`

/** The maximum size to which a page of a new space is filled. */
async function filled(markdown: string): Promise<string> {
  const desk = await spaceWith(here, '', { 'README.md': markdown })
  return (await get(`${desk.url}/content/path/readme?evaluated=true`)).markdown
}

test('blocks are filled when a page is evaluated, and stay as written otherwise', async () => {
  const pet = {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string', example: 'Rex' }, kind: { enum: ['dog', 'cat'] } },
  }
  const body = {
    required: true,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' }, example: { name: 'Rex' } } },
  }
  const webhooks = { born: { post: operation('A pet is born') } }
  await put(
    here,
    'pets',
    specText({
      openapi: '3.1.0',
      paths: { '/pets': { post: operation('Add', [], { requestBody: body }) } },
      webhooks,
      components: { schemas: { Pet: pet } },
    }),
  )
  const written = `# Home\n\n${block('pets', '/pets', 'post', '[an old link](https://x.test)\n')}\n{% openapi-webhook spec="pets" name="born" method="post" %}\n\n{% openapi-schemas spec="pets" schemas="Pet" %}\n{% endopenapi-schemas %}\n\n${block('pets', '/none')}`
  const desk = await spaceWith(here, '', { 'README.md': written })
  assert.is((await get(`${desk.url}/content/path/readme`)).markdown, written)
  assert.is((await get(`${desk.url}/content/path/readme?evaluated=true&computed=false`)).markdown, written)
  const { markdown } = await get(`${desk.url}/content/path/readme?evaluated=true`)
  assert.match(
    markdown,
    /method="post" %\}\n\*\*Request body\*\*, required\n\n`application\/json` Pet\n\n\* `name` string, required, example: `"Rex"`\n\* `kind` any\n\n {2}Values: `"dog"`, `"cat"`\n/,
  )
  assert.match(markdown, /Example:\n\n```json\n\{\n {2}"name": "Rex"\n\}\n```\n/)
  assert.not.match(markdown, /an old link/)
  assert.match(
    markdown,
    /name="born" method="post" %\}\n\*\*Responses\*\*\n\n\* `200`\n\n {2}Fine\.\n\{% endopenapi-webhook %\}/,
  )
  assert.match(markdown, /schemas="Pet" %\}\n`Pet` object\n/)
  assert.ok(markdown.endsWith(block('pets', '/none')))
  const { document } = await get(`${desk.url}/content/path/readme?evaluated=true&format=document`)
  assert.is(document.nodes.filter(({ type }: { type: string }) => type.startsWith('openapi')).length, 4)
})

test('blocks that name a specification by its source are filled', async () => {
  web.files.set('/a.json', specText({ paths: { '/a': { get: operation('By source') } } }))
  await here.admin
    .call('put', `/v1/orgs/${here.organization}/openapi/source`, { source: { url: `${web.url}/a.json` } })
    .expect(201)
  await processed(here.admin, `/v1/orgs/${here.organization}/openapi/source`)
  for (const tag of ['openapi', 'swagger']) {
    const markdown = await filled(
      `# Home\n\n* item\n\n  {% ${tag} src="${web.url}/a.json" path="/a" method="GET" %}\n  [x](y.md)\n  {% end${tag} %}\n`,
    )
    assert.match(
      markdown,
      new RegExp(`%\\}\\n {2}\\*\\*Responses\\*\\*\\n\\n {2}\\* .200.\\n\\n {4}Fine\\.\\n {2}\\{% end${tag} %\\}`),
    )
  }
  const inline =
    '# Home\n\n{% swagger method="get" path="/x" baseUrl="https://x.test" summary="Own" %}\n{% endswagger %}\n'
  assert.is(await filled(inline), inline)
})

const HOSTILE = [
  '<script>alert(1)</script>',
  '{% include "../../secret.md" %}',
  '{% endopenapi-operation %}\n\n# Out\n\n{% if true %}',
  '```\nnever closed {% endopenapi-operation %}',
  '[a](javascript:alert(1)) [b](/pages/x) [c](../x.md) [d](https://fine.test)',
  '<code class="expression">space.vars.secret</code>',
  '![x](http://tracker.test/a.png)',
  '<details><summary>x</summary>',
  '| a | b |\n|---|---|\n| `{% tab %}` | <b>y</b> |',
  '[x]: https://evil.test\n\n[x]',
  '$$\n\\href{javascript:x}{y}',
  '> > > > 1. - # deep\n\t\tcode',
  '\u0000\u202e\ud800 a@b.test www.x.test',
  '<!-- {% endopenapi-operation %} -->',
]

test('specification text from strangers stays in its block as text', async () => {
  const nasty = (text: string) => ({
    get: operation(text, [text], {
      description: text,
      parameters: [
        {
          name: text,
          in: 'query',
          description: text,
          schema: { type: 'string', enum: [text], default: text, pattern: text },
        },
      ],
      responses: {
        '200': {
          description: text,
          content: {
            [text]: {
              schema: { type: 'object', properties: { [text]: { type: 'string', description: text } } },
              example: text,
            },
          },
        },
      },
    }),
  })
  await put(here, 'hostile', Object.fromEntries(HOSTILE.map((text, at) => [`/p${at}`, nasty(text)])))
  const desk = await spaceWith(here, entry('hostile', { title: 'H', props: { grouping: 'by-operation' } }), {
    'README.md': `# Home\n\n${HOSTILE.map((_, at) => block('hostile', `/p${at}`)).join('\n')}\nEnd.\n`,
    '.gitbook/vars.yaml': 'secret: kumquat\n',
  })
  const { document, markdown } = {
    ...(await get(`${desk.url}/content/path/readme?evaluated=true&format=document`)),
    ...(await get(`${desk.url}/content/path/readme?evaluated=true`)),
  }
  const types = document.nodes.map(({ type }: { type: string }) => type)
  assert.equal(types, ['heading-1', ...HOSTILE.map(() => 'openapi-operation'), 'paragraph'])
  const json = JSON.stringify(document)
  assert.not.match(
    json,
    /"type":"(?:html|html-inline|reusable-content|if|inline-image|image|expandable|expression|unknown-block|math|definition)"/,
  )
  assert.not.match(json, /"url":"(?!https:\/\/fine\.test|https:\/\/evil\.test|mailto:|http:\/\/www\.x)/)
  assert.not.match(markdown, /kumquat/)
  for (const page of (await get(`${desk.url}/content/pages`)).pages[1].pages.flatMap(
    (one: { pages: object[] }) => one.pages,
  )) {
    const { document: own } = await get(`${desk.url}/content/page/${page.id}?format=document`)
    assert.equal(
      own.nodes.map(({ type }: { type: string }) => type),
      ['openapi-operation'],
      page.path,
    )
  }
})

test('cycles, deep schemas and large enumerations are cut with a note', async () => {
  const deep = Array.from({ length: 20 }).reduce<object>((inner) => ({ type: 'object', properties: { down: inner } }), {
    type: 'string',
  })
  const schemas = {
    Node: {
      type: 'object',
      properties: {
        next: { $ref: '#/components/schemas/Node' },
        all: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    },
    Deep: deep,
    Enum: { enum: Array.from({ length: 5_000 }, (_, at) => `value ${at}`) },
    Wide: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [`p${at}`, { $ref: '#/components/schemas/Node' }]),
      ),
    },
  }
  const responses = {
    '200': {
      description: 'x',
      content: Object.fromEntries(
        Object.keys(schemas).map((name) => [`text/${name}`, { schema: { $ref: `#/components/schemas/${name}` } }]),
      ),
    },
  }
  await put(here, 'large', specText({ paths: { '/': { get: { responses } } }, components: { schemas } }))
  const markdown = await filled(`# Home\n\n${block('large', '/')}`)
  assert.match(markdown, /`next` Node\n\n\s+_It contains itself/)
  assert.match(markdown, /_It is not shown any deeper\._/)
  assert.match(markdown, /_4970 more are not shown\._/)
  assert.match(markdown, /_1900 more are not shown\._/)
  assert.ok(markdown.length < 200_000)
})

test('5,000 operations become pages, and further ones are counted in a diagnostic', async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 5_010 }, (_, at) => [
      `/p${at}`,
      { get: operation(`Operation ${at}`, [at % 2 === 0 ? 'even' : 'odd']) },
    ]),
  )
  await put(here, 'many', paths)
  const desk = await spaceWith(
    here,
    `${entry('many', { title: 'Tags' })}${entry('many', { title: 'Each', props: { grouping: 'by-operation' } })}`,
  )
  const { pages, diagnostics } = await get(`${desk.url}/content`)
  assert.equal(
    pages.slice(1).map((one: { pages: { pages: object[] }[] }) => one.pages.map((tag) => tag.pages.length)),
    [
      [0, 0],
      [2_500, 2_500],
    ],
  )
  assert.match(JSON.stringify(diagnostics), /10 operations of many are not shown/)
  const page = await get(`${desk.url}/content/path/tags/even`)
  assert.match(page.markdown, /2400 more are not shown:/)
  assert.is(page.markdown.match(/\{% openapi-operation /g).length, 100)
})

test('search finds generated pages and their content', async () => {
  await put(here, 'found', {
    '/z': { get: operation('Zebra crossing', ['animals'], { description: 'Mentions a quagga.' }) },
  })
  const desk = await spaceWith(here, entry('found'))
  await settled(here)
  const { items } = await get(`${desk.url}/search?query=quagga`)
  assert.equal(
    items.map(({ title }: { title: string }) => title),
    ['animals'],
  )
  assert.is(items[0].sections[0].title, 'Zebra crossing')
  assert.is((await get(`${desk.url}/content/page/${items[0].id}`)).title, 'animals')
})

test('links to specifications are listed, and unknown targets are broken', async () => {
  await put(here, 'known', { '/a': { get: operation('A') } })
  const desk = await spaceWith(here, `${entry('known')}${entry('unknown')}`, {
    'README.md': `# Home\n\n${block('known', '/a')}\n${block('known', '/b')}\n${block('gone', '/a')}`,
  })
  const { items } = await get(`${desk.url}/links?limit=50`)
  assert.equal(
    items
      .map(
        ({
          target,
          status,
          targetReference,
        }: {
          target: string
          status: string
          targetReference: { spec: string }
        }) => [target, status, targetReference?.spec],
      )
      .sort(),
    [
      ['known', 'ok', 'known'],
      ['openapi:gone operation GET /a', 'broken', 'gone'],
      ['openapi:known operation GET /a', 'ok', 'known'],
      ['openapi:known operation GET /b', 'broken', 'known'],
      ['unknown', 'broken', 'unknown'],
    ],
  )
  assert.match(JSON.stringify(items), /no such OpenAPI specification/)
})

test.run()

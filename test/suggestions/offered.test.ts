import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { ask, blocksOf, openSuggestedSite, setMode } from './support.js'

const HIDDEN = 'zebracode'
const [test, context] = await suiteWith('suggestions/offered', () =>
  openSuggestedSite(
    {
      'SUMMARY.md': '* [Start](README.md)\n* [Plain](plain.md)\n* [Twice](twice.md)\n* [Gated](gated-zebracode.md)\n',
      'README.md': [
        '---\nvars:\n  product: Acme\n---\n# Start',
        'A plain paragraph with `code`, **bold** and a [link](https://example.org/a%20b).',
        '* one\n* two <!-- ' + HIDDEN + ' -->',
        '{% if visitor.claims.unsigned.beta %}\n' + HIDDEN + ' one\n{% endif %}',
        'Uses <code class="expression">page.vars.product</code> inside.',
        '<!-- ' + HIDDEN + ' two -->',
        'A [hidden page](gated-' + HIDDEN + '.md) here.',
        'A [shown page](plain.md) here.',
        'A [title](https://example.org "' + HIDDEN + '") here.',
        'A [reference][' + HIDDEN + '] here.',
        '[' + HIDDEN + ']: https://example.org',
        '| a | b |\n| - | - |\n| c | d | ' + HIDDEN + ' |',
        '| a | b |\n| - | - |\n| c | d |',
        '```ts ' + HIDDEN + '\nconst a = 1\n```',
        '```ts\nconst b = 1\n```',
        '<span data-x="' + HIDDEN + '">span</span>',
        '{% hint style="info" %}\nIn a hint.\n{% endhint %}',
        '1. first\n2. second',
        '- [ ] open\n- [x] done',
        '> A quote\n> of two lines.',
        '{% include ".gitbook/includes/part.md" %}',
        'Text with a note.[^' + HIDDEN + ']',
        '[^' + HIDDEN + ']: The note.',
        '![alt](' + HIDDEN + '.png "x")',
        'Ends `with <!-- ' + HIDDEN + '\n` and --> `more`.',
        '',
      ].join('\n\n'),
      '.gitbook/includes/part.md': 'Included text.\n\nA shown twice paragraph.\n',
      'plain.md': '# Plain\n\nOnly text.\n',
      'gated-zebracode.md': '---\nif: visitor.claims.unsigned.beta\n---\n# Gated\n\nNothing.\n',
      'twice.md':
        '# Twice\n\nSame.\n\nSame.\n\nA shown twice paragraph.\n\n{% include ".gitbook/includes/part.md" %}\n',
    },
    'everyone',
  ),
)
const { here, site } = context

test('blocks are offered as written, without words that the reader does not see', async () => {
  const offered = (await blocksOf(context, '/')).map(({ source }) => source)
  assert.equal(offered, [
    '# Start',
    'A plain paragraph with `code`, **bold** and a [link](https://example.org/a%20b).',
    // Parts of a list and of a hint that are not offered as a whole.
    '* one',
    'A [shown page](plain.md) here.',
    // A page shows the titles of links, and cells beyond the last column.
    `A [title](https://example.org "${HIDDEN}") here.`,
    `| a | b |\n| - | - |\n| c | d | ${HIDDEN} |`,
    '| a | b |\n| - | - |\n| c | d |',
    '```ts\nconst b = 1\n```',
    'In a hint.',
    '1. first\n2. second',
    '- [ ] open\n- [x] done',
    '> A quote\n> of two lines.',
  ])
  const { text } = await site.get('')
  for (const source of offered)
    for (const [word] of source.matchAll(/[a-z]{4,}/gi)) assert.ok(text.includes(word), word)
})

test('equal blocks have different IDs, and a block that an include repeats is not offered', async () => {
  const offered = await blocksOf(context, '/twice')
  assert.equal(
    offered.map(({ source }) => source),
    ['# Twice', 'Same.', 'Same.'],
  )
  assert.is(new Set(offered.map(({ id }) => id)).size, 3)
})

test('the numbers of blocks are those on the page', async () => {
  const html = (await site.get('')).text
  for (const { number, source } of (await blocksOf(context, '/')).slice(1)) {
    const at = html.indexOf(`data-b="${number}"`)
    assert.ok(at > 0, source)
    const word = /[a-z]{3,}/i.exec(source.replace(/```ts/, ''))?.[0] ?? 'a'
    assert.ok(html.slice(at, at + 1_500).includes(word), source)
  }
})

test('a site that takes no suggestions has no form and no mark on its pages', async () => {
  await setMode(context, 'off')
  for (const form of [undefined, { page: '/', block: 'x', text: 'y' }]) {
    const response = await ask(context, { page: '/' }, form ? { form } : {})
    assert.is(response.status, 404)
  }
  const off = (await site.get('')).text
  assert.not.match(off, /data-suggest|data-b=/)
  const nothing = await site.get('/nothing')
  const form = await site.get('/~suggest?page=/')
  assert.is(form.status, nothing.status)
  await setMode(context, 'everyone')
  assert.match((await site.get('')).text, /data-suggest/)
})

test('pages that a reader may not see have no form, as those that do not exist', async () => {
  for (const page of [
    '/gated-zebracode',
    '/nothing',
    'https://example.org/',
    '//evil',
    '/../x',
    '',
    '/a'.repeat(2_000),
  ])
    assert.is((await ask(context, { page })).status, 404, page)
})

test('only pages of the site may send a suggestion, and long or misleading texts are rejected', async () => {
  const [block] = await blocksOf(context, '/plain')
  const form = { page: '/plain', block: block?.id ?? '', text: 'Other', as: 'member' }
  for (const headers of [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': '', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': '', Origin: 'null' },
  ])
    assert.is((await ask(context, {}, { form, headers })).status, 403)
  assert.is((await ask(context, {}, { form: { ...form, text: 'x'.repeat(140_000) } })).status, 413)
  assert.is((await ask(context, {}, { form: { ...form, text: 'x'.repeat(13_000) } })).status, 413)
  for (const text of ['---\nhidden: true\n---\nText', 'Text \u202ereversed\u202c'])
    assert.is((await ask(context, {}, { form: { ...form, text } })).status, 400, text)
  assert.is((await ask(context, {}, { form })).status, 200)
  const put = await fetch(`${here.service.sites}${site.base}/~suggest`, { method: 'PUT' })
  assert.is(put.status, 405)
})

test('without script, a reader gets a list, a form and an explanation', async () => {
  const list = await (await ask(context, { page: '/plain' }, { json: false })).text()
  const href = /<a href="([^"]*block=[^"]*)"[^>]*>Only text\.</.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const query = Object.fromEntries(new URL(href, 'http://x').searchParams)
  const form = await (await ask(context, query, { json: false })).text()
  assert.match(form, /<textarea[^>]*>\nOnly text\.<\/textarea>/)
  const sent = {
    page: '/plain',
    block: query.block ?? '',
    text: '</textarea><script>x</script>',
    as: 'guest',
    name: '',
    email: 'x',
  }
  const wrong = await ask(context, {}, { form: sent, json: false })
  assert.is(wrong.status, 400)
  const html = await wrong.text()
  assert.match(html, /Enter your name/)
  assert.match(html, /&lt;\/textarea>&lt;script>x|&lt;\/textarea&gt;&lt;script&gt;x/)
  assert.not.match(html, /<script>x/)
  const member = await ask(context, {}, { form: { ...sent, as: 'member' }, json: false })
  assert.is(member.status, 200)
  assert.match(await member.text(), new RegExp(`href="${here.url}/suggest#`))
  assert.is(member.headers.get('cache-control'), 'no-store')
})

test.run()

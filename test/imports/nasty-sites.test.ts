/** Websites that are malicious or unusual: the import ends within its bounds, and lists what it left out. */
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type Answer, type Case, good, html, page, play, text, to } from './odd-website.js'
import { ask, ended, type Import, newSpace, picture, serve } from './story-support.js'

const PAGES = 30
const [test, here] = await suiteWith('malicious websites', () =>
  startService({
    env: {
      BINDERY_IMPORT_DELAY_MS: '0',
      BINDERY_IMPORT_PAGES: String(PAGES),
      BINDERY_IMPORT_BYTES: String(24 * 1024 ** 2),
      BINDERY_IMPORT_SECONDS: '60',
    },
  }),
)

const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2, '<p>x'))

const two = (first: Answer, second: Answer = good): Record<string, Answer> => ({ '/': first, '/good': second })

const cases: Record<string, Case> = {
  'a first page that leads in a circle': {
    answers: { '/': to('/a'), '/a': to('/b'), '/b': to('/') },
    refused: /redirects/,
  },
  'a robots.txt that forbids all': {
    answers: { '/robots.txt': text('User-agent: *\nDisallow: /'), '/': good },
    refused: /robots\.txt/,
  },
  'a robots.txt that forbids Bindery alone': {
    answers: { '/robots.txt': text('User-agent: *\nAllow: /\n\nUser-agent: bindery\nDisallow: /'), '/': good },
    refused: /robots\.txt/,
  },
  'a robots.txt that cannot be read': {
    answers: { '/robots.txt': text('', 'text/plain', 500), '/': good },
    refused: /robots\.txt/,
  },
  'a robots.txt of 20 MB': {
    answers: {
      '/robots.txt': text(`User-agent: *\nDisallow: /secret\n${'Disallow: /x*y*z*a*b*c\n'.repeat(900_000)}`),
      '/': good,
    },
    refused: /robots\.txt of .* cannot be read/,
  },
  'a robots.txt of stars': {
    answers: {
      '/robots.txt': text(`User-agent: *\nDisallow: /${'*a'.repeat(3000)}*b\n`),
      ...two(page('Home', `<p>homeword <a href="/good">g</a> <a href="/${'a'.repeat(1500)}">s</a></p>`)),
    },
    has: ['homeword', 'goodword'],
  },
  'a robots.txt that redirects for ever': {
    answers: { '/robots.txt': to('/robots.txt'), '/': good },
    refused: /robots\.txt of .* cannot be read/,
  },
  'a robots.txt whose connection breaks': {
    answers: { '/robots.txt': (request) => request.destroy(), '/': good },
    refused: /robots\.txt of .* cannot be read/,
  },
  'a sitemap that unpacks to 64 MB': {
    answers: {
      '/sitemap.xml': (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/xml', 'content-encoding': 'gzip' }).end(bomb),
      ...two(page('Home', '<p>homeword <a href="good">g</a></p>')),
    },
    has: ['homeword', 'goodword'],
  },
  'sitemaps of sitemaps': {
    answers: {
      '/sitemap.xml': (_, response, origin) =>
        void response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end(
            `<!DOCTYPE x [<!ENTITY a "b">]><sitemapindex>${Array.from({ length: 500 }, (_, i) => `<sitemap><loc>${origin}/sitemap.xml?${i}</loc></sitemap>`).join('')}<sitemap><loc>file:///etc/passwd</loc></sitemap></sitemapindex>`,
          ),
      '/': page('Home', '<p>homeword</p>'),
    },
    has: ['homeword'],
    check: ({ web }) => assert.ok(web.requests.length < 60, `${web.requests.length} requests`),
  },
  'a sitemap with pages of others': {
    answers: {
      '/docs/sitemap.xml': text(''),
      '/sitemap.xml': (_, response, origin) =>
        void response.end(
          `<urlset><url><loc>${origin}/docs/only</loc></url><url><loc>http://127.0.0.1:1/docs/x</loc></url><url><loc>${origin}/other</loc></url></urlset>`,
        ),
      '/docs/': page('Home', '<p>homeword</p>'),
      '/docs/only': page('Only', '<p>onlyword</p>'),
      '/other': page('Other', '<p>otherword</p>'),
    },
    path: '/docs/',
    has: ['homeword', 'onlyword'],
    not: ['otherword'],
  },
  'a page that unpacks to 64 MB': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="good">g</a> <a href="bomb">b</a></p>')),
      '/bomb': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(bomb),
    },
    has: ['homeword', 'goodword'],
    lists: ['/bomb'],
  },
  'a page that links to more than are followed': {
    answers: {
      '/': page(
        'Home',
        `<p>homeword</p>${Array.from({ length: 2_500 }, (_, i) => `<a href="/p${i}">p</a>`).join(' ')}`,
      ),
    },
    else: (request, response, origin) =>
      page(`Page ${request.url}`, `<p>${request.url}</p>`)(request, response, origin),
    has: ['homeword'],
    check: ({ over, web, content }) => {
      assert.is(content.texts().length - 1, PAGES + 1, 'the first page of the space, and as many as an import may have')
      assert.ok(web.requests.length < PAGES * 2 + 10, `${web.requests.length} requests`)
      assert.match(JSON.stringify(over.failures), /not read/)
    },
  },
  'pages without end': {
    answers: {},
    else: (request, response, origin) =>
      page(
        `Page ${request.url}`,
        `<p>word${Math.random()}</p><a href="${request.url}x/">a</a> <a href="a/${Math.random()}">b</a>`,
      )(request, response, origin),
    check: ({ content }) => assert.is(content.texts().length - 1, PAGES + 1),
  },
  'pages that all say they are the first': {
    answers: {
      '/': page('Home', '<p>homeword <a href="/a">linkone</a></p>', '<link rel="canonical" href="/">'),
      '/a': page('A', '<p>aword <a href="/b">linktwo</a></p>', '<link rel="canonical" href="/">'),
      '/b': page('B', '<p>bword <a href="/">linkthree</a></p>', '<link rel="canonical" href="/">'),
    },
    has: ['homeword', 'aword', 'bword'],
    check: ({ content }) => {
      for (const [link, word] of [
        ['linkone', 'aword'],
        ['linktwo', 'bword'],
        ['linkthree', 'homeword'],
      ])
        assert.is(content.targetOf(link as string), content.fileOf(word as string))
    },
  },
  'one page at two addresses': {
    answers: {
      '/': page('Home', '<p>homeword <a href="/a">linkone</a> <a href="/a2">linktwo</a></p>'),
      '/a': page('A', '<p>aword</p>', '<link rel="canonical" href="/a">'),
      '/a2': page('A', '<p>aword</p>', '<link rel="canonical" href="/a">'),
    },
    has: ['homeword', 'aword'],
    check: ({ content }) => assert.is(content.targetOf('linktwo'), content.fileOf('aword')),
  },
  'a base that leads elsewhere': {
    answers: {
      '/': page(
        'Home',
        '<p>homeword <a href="/good">linkone</a> <a href="x">linktwo</a></p>',
        '<base href="https://example.org/else/">',
      ),
      '/good': good,
    },
    has: ['homeword'],
    not: ['goodword'],
    check: ({ content }) => assert.is(content.targetOf('linktwo'), 'https://example.org/else/x'),
  },
  'a base that is a script': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="/good">linkone</a></p>', '<base href="javascript:alert(1)//">')),
    },
    has: ['homeword'],
    not: ['javascript:'],
  },
  'links that are scripts or files': {
    answers: {
      '/': page(
        'Home',
        '<p>homeword <a href="javascript:alert(1)">one</a> <a href=" java\nscript:alert(2)">two</a> <a href="file:///etc/passwd">three</a> <a href="data:text/html,x">four</a> <a href="vbscript:x">five</a><img src="file:///etc/passwd"><img src="javascript:x"></p>',
      ),
    },
    has: ['homeword'],
    not: ['script:', 'file:', 'data:'],
  },
  'pictures of all kinds': {
    answers: {
      '/': page(
        'Home',
        `<p>homeword <img alt="altsvg" src="/x.svg"><img alt="altset" srcset="/s1.png 1x, /s2.png 2x"><picture><source srcset="/no.webp"><img alt="altpicture" src="/p.png"></picture><img alt="altdata" src="data:image/png;base64,${picture('data').toString('base64')}"><img alt="altlazy" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="/lazy.png"><img alt="althtml" src="/html.png"><img alt="altempty" src="/empty.png"><img alt="altbomb" src="/bomb.png"></p>`,
      ),
      '/x.svg': text('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>', 'image/svg+xml'),
      '/s1.png': text(picture('s1'), 'image/png'),
      '/s2.png': text(picture('s2'), 'image/png'),
      '/p.png': text(picture('p'), 'image/png'),
      '/lazy.png': text(picture('lazy'), 'image/png'),
      '/html.png': text('<script>alert(1)</script>', 'text/html'),
      '/empty.png': text('', 'image/png'),
      '/bomb.png': (_, response) =>
        void response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(bomb),
    },
    has: ['homeword'],
    lists: ['/html.png', '/empty.png', '/bomb.png'],
    check: ({ content }) => {
      for (const [alt, word] of [
        ['altset', 's2'],
        ['altpicture', 'p'],
        ['altdata', 'data'],
        ['altlazy', 'lazy'],
      ])
        assert.is(content.files.get(content.targetOf(alt as string))?.equals(picture(word as string)), true, alt)
    },
  },
  'a page nested a hundred thousand deep': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="/good">g</a> <a href="/deep">d</a></p>')),
      '/deep': page('Deep', `${'<div><b>'.repeat(100_000)}deepword`),
    },
    has: ['homeword', 'goodword'],
    lists: ['/deep'],
  },
  'a page of unclosed tags': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="/good">g</a> <a href="/wide">d</a></p>')),
      '/wide': page('Wide', `${'<table><tr><td>'.repeat(300)}${'<a href=x><b>'.repeat(20_000)}wideword`),
    },
    has: ['homeword', 'goodword'],
  },
  'a page whose connection ends early': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="/good">g</a> <a href="/cut">d</a></p>')),
      '/cut': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '9999' })
        response.write(html('Cut', '<p>cutword'), () => response.destroy())
      },
    },
    has: ['homeword', 'goodword'],
    not: ['cutword'],
    lists: ['/cut'],
  },
  'headers of a megabyte': {
    answers: {
      ...two(page('Home', '<p>homeword <a href="/good">g</a> <a href="/big">d</a></p>')),
      '/big': (_, response) =>
        void response.writeHead(200, { 'content-type': 'text/html', 'x-big': 'x'.repeat(1_000_000) }).end('x'),
    },
    has: ['homeword', 'goodword'],
    lists: ['/big'],
  },
  'a charset that is a lie': {
    answers: {
      '/': (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-16' })
          .end(html('Home', '<p>homeword ünï</p>')),
    },
    check: ({ over }) => assert.is(over.state, 'completed'),
  },
} // prettier-ignore

for (const [name, one] of Object.entries(cases))
  test(`an import handles ${name} safely`, async () => {
    const { status, message, over, content, web } = await play(here, one)
    if (one.refused) {
      assert.is(status, 400)
      assert.match(message, one.refused)
      return
    }
    assert.is(status, 201, message)
    for (const word of one.has ?? []) content.fileOf(word)
    for (const word of one.not ?? [])
      assert.is(content.has(word), false, `${word} is in the content: ${content.texts().map(([, all]) => all)}`)
    for (const part of one.lists ?? [])
      assert.ok(
        over?.failures.some(({ resource }) => resource.endsWith(part)),
        `${part} is listed: ${JSON.stringify(over?.failures).slice(0, 999)}`,
      )
    one.check?.({ over: over as Import, content, web })
  })

test(
  'a very slow website delays its own import but no other',
  async () => {
    const drip: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const timer = setInterval(() => response.write(' '), 200)
      response.on('close', () => clearInterval(timer))
    }
    const slow = await serve((request, response) =>
      request.url === '/robots.txt' ? response.writeHead(404).end() : drip(request, response, ''),
    )
    const quick = await serve((request, response) =>
      request.url === '/' ? good(request, response, '') : response.writeHead(404).end(),
    )
    try {
      const [held, other] = [await newSpace(here), await newSpace(here)]
      const late = here.admin
        .call('post', `/v1/spaces/${held}/content/import`, { url: `${slow.origin}/`, source: 'website' })
        .then(({ status, body }) => ({ status, body }))
      const { id } = await ask(here.admin, `/v1/spaces/${other}/content`, {
        url: `${quick.origin}/`,
        source: 'website',
      })
      assert.is((await ended(here.admin, other, id)).state, 'completed')
      await slow.close()
      const { status, body } = await late
      const over = status === 201 ? await ended(here.admin, held, body.import) : null
      assert.ok(status === 400 || over?.state === 'failed', JSON.stringify(over))
    } finally {
      await slow.close()
      await quick.close()
    }
  },
  { timeoutMs: 120_000 },
)

test.run()

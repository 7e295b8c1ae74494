import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { startImporting } from './service.js'
import { PNG, page, startWebsite } from './website.js'

const [test, here] = await suiteWith('import of a website', async () => {
  const service = await startImporting()
  const site = await startWebsite({
    '/robots.txt': {
      headers: { 'content-type': 'text/plain' },
      body: 'User-agent: *\nDisallow: /docs/private\nDisallow: /docs/trap\nUser-agent: Other\nDisallow: /\n',
    },
    '/sitemap.xml': (request) => ({
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0"?><urlset>${['/docs', '/docs/guide/install', '/docs/fr/guide', '/blog/x', '/docs/only-in-sitemap'].map((path) => `<url><loc>http://${request.headers.host}${path}</loc></url>`).join('')}</urlset>`,
    }),
    '/docs': page(
      'Handbook',
      `<p>Welcome.</p><ul><li><a href="/docs/guide">Guide</a></li><li><a href="/docs/broken">Broken</a></li><li><a href="/docs/fr/guide">Français</a></li></ul>
       <p><a href="/docs/old">old</a> <a href="/blog/x">blog</a> <a href="https://other.example/y">other</a> <a href="/docs/private/x">private</a> <a href="/docs/trap/1">trap</a> <a href="/docs/deeper/?n=1">deeper</a></p>
       <p><img src="/img/logo.png" alt="Logo"><img src="/img/copy.png"><img src="/img/gone.png"></p>`,
    ),
    '/docs/guide': page(
      'Guide',
      '<p>How to <a href="guide/install#linux">install on Linux</a>, or <a href="/docs">back</a>.</p><p><img src="/img/logo.png"></p>',
    ),
    '/docs/guide/install': page(
      'Install',
      '<h2 id="linux">Linux</h2><pre><code class="language-sh">apt install it\n</code></pre><table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>',
    ),
    '/docs/only-in-sitemap': page('Only in the sitemap', '<p>Nobody links here, but <a href="/docs/old">this</a>.</p>'),
    '/docs/old': { status: 301, headers: { location: '/docs/guide' } },
    '/docs/broken': { status: 500, body: 'oops' },
    '/docs/fr/guide': {
      headers: { 'content-type': 'text/html; charset=iso-8859-1' },
      body: Buffer.from(
        '<html lang="fr"><title>Guide</title><main><h1>Guide français</h1><p>Déjà vu.</p></main></html>',
        'latin1',
      ),
    },
    '/docs/private/x': page('Private', '<p>secret</p>'),
    '/docs/deeper/': (request) => page(`Deeper ${request.url}`, `<p>Text.</p><a href="?n=${Math.random()}">next</a>`),
    '/img/logo.png': { headers: { 'content-type': 'image/png' }, body: PNG },
    '/img/copy.png': { headers: { 'content-type': 'image/png' }, body: PNG },
  })
  site.otherwise = (request) =>
    request.url?.startsWith('/docs/trap')
      ? page('Trap', `<a href="${request.url}/1">on</a>`)
      : { status: 404, body: 'no such page' }
  return { service, site, close: () => Promise.all([service.close(), site.close()]) }
})

const { service, site } = here

test('an import finds the pages below the URL by sitemap and links, and creates one commit', async () => {
  const space = await service.space()
  const before = await git(`${service.dir}/repos/${space}.git`, ['rev-parse', 'main'])
  site.requests.length = 0
  const response = await service.admin
    .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/docs`, source: 'website' })
    .expect(201)
  const { body } = response
  assert.is(body.state, 'completed')
  assert.is(await git(`${service.dir}/repos/${space}.git`, ['rev-parse', 'main']), body.revision)
  assert.is(await git(`${service.dir}/repos/${space}.git`, ['rev-list', '--count', `${before}..main`]), '1')
  assert.equal(await service.files(space), [
    '.gitbook/assets/logo.png',
    'README.md',
    'SUMMARY.md',
    'docs/README.md',
    'docs/deeper.md',
    'docs/fr-guide.md',
    'docs/guide/README.md',
    'docs/guide/install.md',
    'docs/only-in-sitemap.md',
  ])
  const status = (await service.admin.call('get', response.headers.location as string).expect(200)).body
  assert.is(status.importedResources, body.importedResources)
  assert.equal(
    status.failures.map(({ resource, reason }: { resource: string; reason: string }) => [
      resource.replace(site.url, ''),
      reason,
    ]),
    [
      ['/docs/broken', 'It returned status 500.'],
      ['/docs/private/x', 'The robots.txt of the website does not allow programs to read it.'],
      ['/docs/trap/1', 'The robots.txt of the website does not allow programs to read it.'],
      ['/img/gone.png', 'It returned status 404.'],
    ],
  )
  assert.is(status.totalResources, status.importedResources + status.failures.length)
  assert.equal(site.requests, [...new Set(site.requests)], 'every address is asked for once')
  assert.equal(
    [...site.agents].filter((agent) => !/^Bindery\//.test(agent)),
    [],
  )
})

test('an import builds a tree in the order of the first page and rewrites the links', async () => {
  const space = await service.space()
  await service.admin
    .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/docs`, source: 'website' })
    .expect(201)
  assert.match(
    await service.file(space, 'SUMMARY.md'),
    '* [Docs](README.md)\n* [Handbook](docs/README.md)\n  * [Guide](docs/guide/README.md)\n    * [Install](docs/guide/install.md)\n  * [Guide français](docs/fr-guide.md)\n  * [Only in the sitemap](docs/only-in-sitemap.md)\n',
  )
  const first = await service.file(space, 'docs/README.md')
  assert.match(first, '* [Guide](guide/README.md)')
  assert.match(first, '[old](guide/README.md)', 'a redirect is another address of the page')
  assert.match(first, `[blog](${site.url}/blog/x) [other](https://other.example/y)`)
  assert.match(
    first,
    `![Logo](../.gitbook/assets/logo.png)![](../.gitbook/assets/logo.png)![](${site.url}/img/gone.png)`,
  )
  assert.not.match(first, /NAVIGATION|FOOTER/)
  assert.match(
    await service.file(space, 'docs/guide/README.md'),
    '[install on Linux](install.md#linux), or [back](../README.md)',
  )
  assert.match(
    await service.file(space, 'docs/guide/install.md'),
    '```sh\napt install it\n```\n\n| A | B |\n| - | - |\n| 1 | 2 |',
  )
  assert.match(await service.file(space, 'docs/fr-guide.md'), 'Déjà vu.', 'in the charset of its response')
})

test('a repeated import overwrites nothing and adds no image twice', async () => {
  const space = await service.space()
  for (let times = 0; times < 2; times++)
    await service.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${site.url}/docs/guide`, source: 'website' })
      .expect(201)
  assert.equal(await service.files(space), [
    '.gitbook/assets/logo.png',
    'README.md',
    'SUMMARY.md',
    'guide-1/README.md',
    'guide-1/install.md',
    'guide/README.md',
    'guide/install.md',
  ])
})

test('an endless website is read up to the limits, which the failures name', async () => {
  const small = await startImporting({ BINDERY_IMPORT_PAGES: '12' })
  let made = 0
  const trap = await startWebsite()
  trap.otherwise = (request) =>
    page(`Page ${++made}`, `<p>${made}</p><a href="${request.url}-a">a</a><a href="${request.url}-b">b</a>`)
  try {
    const space = await small.space()
    const { body, headers } = await small.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${trap.url}/x`, source: 'website' })
      .expect(201)
    assert.is(body.importedResources, 1, 'a sibling of the address is not below it')
    const whole = await small.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: trap.url, source: 'website' })
      .expect(201)
    assert.is(whole.body.importedResources, 12)
    assert.ok(trap.requests.length < 30, `${trap.requests.length} requests`)
    const { failures } = (await small.admin.call('get', whole.headers.location as string).expect(200)).body
    assert.match(failures.at(-1).reason, /Only the first 12 pages were imported/)
    assert.ok(headers.location)
  } finally {
    await Promise.all([small.close(), trap.close()])
  }
})

test('one page with several URLs is one page, and a redirect loop is a failure', async () => {
  const other = await startWebsite({
    '/d': { status: 301, headers: { location: '/d/' } },
    '/d/': page(
      'Start',
      '<p>Start.</p><a href="/d/index.html">a</a><a href="/d/sub">b</a><a href="/d/circle">c</a><a href="/d/away">d</a><a href="file.html#x">e</a>',
    ),
    '/d/index.html': page('Start', '<p>Never asked for.</p>'),
    '/d/sub': { status: 308, headers: { location: '/d/sub/' } },
    '/d/sub/': page(
      'Sub',
      '<p>Sub. <a href="../circle">circle</a> <a href="./">self</a> <a href="/d/sub#part">part</a></p>',
    ),
    '/d/circle': { status: 302, headers: { location: '/d/circle/' } },
    '/d/circle/': { status: 302, headers: { location: '/d/circle' } },
    '/d/away': { status: 302, headers: { location: 'https://example.org/' } },
    '/d/file.html': page('File', '<p>File.</p>'),
  })
  try {
    const space = await service.space()
    const made = await service.admin
      .call('post', `/v1/spaces/${space}/content/import`, { url: `${other.url}/d`, source: 'website' })
      .expect(201)
    assert.equal(await service.files(space), ['README.md', 'SUMMARY.md', 'd/README.md', 'd/file.md', 'd/sub.md'])
    assert.match(
      await service.file(space, 'd/README.md'),
      `[a](README.md)[b](sub.md)[c](${other.url}/d/circle)[d](${other.url}/d/away)[e](file.md#x)`,
    )
    assert.match(await service.file(space, 'd/sub.md'), '[self](sub.md) [part](#part)')
    assert.not.ok(other.requests.includes('/d/index.html'))
    const { failures } = (await service.admin.call('get', made.headers.location as string).expect(200)).body
    assert.equal(failures.map(({ resource }: { resource: string }) => resource.replace(other.url, '')).sort(), [
      '/d/away',
      '/d/circle',
    ])
  } finally {
    await other.close()
  }
})

test('a website that cannot be read is a 400 with the reason', async () => {
  const space = await service.space()
  const refused = async (url: string): Promise<string> =>
    (await service.admin.call('post', `/v1/spaces/${space}/content/import`, { url, source: 'website' }).expect(400))
      .body.error.message
  assert.match(await refused(`${site.url}/nowhere`), /status 404/)
  assert.match(await refused(`${site.url}/img/logo.png`), /not an HTML page \(Content-Type: image\/png\)/)
  assert.match(await refused(`${site.url}/docs/private/x`), /robots\.txt .* does not allow/)
  assert.match(await refused('http://127.0.0.1:1/'), /cannot be reached/)
  assert.match(await refused('ftp://example.org/'), /Only http and https/)
  assert.match(await refused('https://user:secret@example.org/'), /user name or password/)
  assert.equal(await service.files(space), ['README.md', 'SUMMARY.md'])
})

test.run()

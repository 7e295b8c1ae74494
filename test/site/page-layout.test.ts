import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { type PublishedSite, publishSite } from './published.js'

const [test, here] = await suiteWith('sites: page layout', () => startService())
let desk: Desk
let other: Desk
let site: PublishedSite

const SUMMARY = `# Table of contents

* [Welcome](README.md)

## Guides <a href="#guides" id="guides"></a>

* [Deploy](guides/deploy/README.md)
  * [Kubernetes](guides/deploy/kubernetes.md)
  * [Docker](guides/deploy/docker.md)
* [Empty](guides/empty/README.md)
  * [Below](guides/empty/below.md)
* [Bare](guides/bare.md)
* [Status page](https://status.example.org/)
* [A draft]()
`

const FILES = {
  'SUMMARY.md': SUMMARY,
  'README.md': '# Welcome\n\nHello.\n',
  'guides/deploy/README.md': '# Deploy\n\nHow to deploy.\n',
  'guides/deploy/kubernetes.md':
    '---\ndescription: Run it on <a> "cluster".\nif: visitor.claims.unknown || true\n---\n\n# Kubernetes\n\n## First\n\nText.\n\n### Deeper\n\nText.\n\n## Second\n\nText.\n',
  'guides/deploy/docker.md': '# Docker\n\nText.\n',
  'guides/empty/README.md': '# Empty\n',
  'guides/empty/below.md': '---\ndescription: A page below.\n---\n\n# Below\n\nText.\n',
  'guides/bare.md':
    '---\nlayout:\n  title:\n    visible: false\n  description:\n    visible: false\n  tableOfContents:\n    visible: false\n  outline:\n    visible: false\n  pagination:\n    visible: false\n  metadata:\n    visible: false\n  width: wide\ndescription: Not shown.\ncover: .gitbook/assets/cover.png\n---\n\n# Bare\n\n## Part\n\nText.\n',
  '.gitbook/assets/cover.png': 'not a picture',
}

test.before(async () => {
  desk = await openDesk(here, FILES)
  other = await openDesk(here, {
    'SUMMARY.md': SUMMARY.replace('  * [Docker](guides/deploy/docker.md)\n', ''),
    'README.md': '# ようこそ\n\nText.\n',
    'guides/deploy/README.md': '# デプロイ\n\nText.\n',
    'guides/deploy/kubernetes.md': '# Kubernetes\n\nText.\n',
    'guides/empty/README.md': '# Empty\n',
    'guides/empty/below.md': '# Below\n',
    'guides/bare.md': '# Bare\n',
  })
  await here.admin.call('patch', desk.url, { language: 'en', title: 'Guide' }).expect(200)
  await here.admin.call('patch', other.url, { language: 'ja', title: '案内' }).expect(200)
  site = await publishSite(here, [desk.space, other.space], {
    feedback: { enabled: true },
    header: {
      links: [
        { title: 'Blog', to: { kind: 'url', url: 'https://blog.example.org/' } },
        { title: 'More', to: null, links: [{ title: 'Kubernetes guide', to: { kind: 'space', space: desk.space } }] },
      ],
      primaryLink: { title: 'Try it', to: { kind: 'url', url: '/guides/deploy' } },
    },
    footer: {
      groups: [{ title: 'Learn', links: [{ title: 'Start', to: { kind: 'space', space: desk.space } }] }],
      copyright: '© Us',
    },
    socialAccounts: [{ platform: 'github', handle: '@acme' }],
    announcement: { enabled: true, style: 'warning', message: 'Version 2 <is> out.' },
  })
})

test('a page has breadcrumbs, its last change, an outline, and links to its neighbors', async () => {
  const { status, text } = await site.get('/guides/deploy/kubernetes')
  assert.is(status, 200)
  const commit = await desk.git('rev-parse', 'main')
  assert.match(text, /<ol class="plain"><li>Guides<\/li><li><a href="[^"]*\/guides\/deploy">Deploy<\/a><\/li><\/ol>/)
  assert.match(
    text,
    /<h1 id="kubernetes" dir="auto">Kubernetes<\/h1><p class="lead">Run it on &lt;a> &quot;cluster&quot;.<\/p>/,
  )
  const day = new Date().toISOString().slice(0, 10)
  assert.match(text, new RegExp(`Last changed <time datetime="${day}">[A-Z][a-z]{2} \\d+, \\d{4}</time> by Ada Author`))
  assert.ok(text.includes(`Commit <code dir="ltr">${commit.slice(0, 7)}</code>`), 'the commit')
  assert.not.match(text, /ada@example\.com/)
  const toc = /<nav class="toc".*?<\/nav>/s.exec(text)?.[0] ?? ''
  assert.equal(toc.match(/href="#[^"]+"/g), ['href="#first"', 'href="#deeper"', 'href="#second"'])
  assert.match(text, /<a href="[^"]*\/guides\/deploy" rel="prev"><span>.*?Previous<\/span>Deploy<\/a>/)
  assert.match(text, /<a class="next" href="[^"]*\/guides\/deploy\/docker" rel="next">/)
  assert.match(text, /<a href="[^"]*\/guides\/deploy\/kubernetes" aria-current="page">/)
  assert.match(text, /href="https:\/\/status\.example\.org\/"/)
  assert.not.match(text, /A draft/)
})

test('the head of a page has the metadata for search engines, without scripts', async () => {
  const { text } = await site.get('/guides/deploy/kubernetes')
  assert.match(text, /<link rel="canonical" href="[^"]+\/guides\/deploy\/kubernetes"/)
  assert.match(text, /<link rel="alternate" hreflang="ja" href="http[^"]+\/guides\/deploy\/kubernetes"/)
  assert.match(text, /<meta property="og:title" content="Kubernetes"/)
  const data = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? 'null')
  assert.is(data.headline, 'Kubernetes')
  assert.is(data.description, 'Run it on <a> "cluster".')
  const inline = [...text.matchAll(/<script(?![^>]*(?:src=|ld\+json))/g)]
  assert.is(inline.length, 0, 'no inline script')
  assert.not.match(text, /\sstyle="|<style|\son[a-z]+="/)
  const ids = [...text.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  assert.is(new Set(ids).size, ids.length, 'each ID is unique')
})

test('the header, the announcement and the footer follow the customization', async () => {
  const { text } = await site.get('')
  assert.match(text, /<section class="announce warning" aria-label="Announcement">.*Version 2 &lt;is> out\./s)
  assert.match(text, /<a href="https:\/\/blog\.example\.org\/">Blog<\/a>/)
  assert.match(text, /<button type="button" popovertarget="ui~links-1">More/)
  assert.match(text, new RegExp(`<a class="btn primary" href="${site.base}/guides/deploy">Try it</a>`))
  assert.match(text, /<a href="https:\/\/github\.com\/acme" aria-label="GitHub"/)
  assert.match(text, /<div class="foot-end"><span>© Us<\/span>/)
  assert.match(text, /<form class="ending" method="post" action="[^"]+\/~feedback"[^>]*>/)
  assert.match(text, /<symbol id="i-fa~github"/)
})

test('a variant opens the same page, or the nearest page above it', async () => {
  const menu = async (path: string): Promise<string> =>
    /<div class="menu" id="ui~variant".*?<\/div>/s.exec((await site.get(path)).text)?.[0] ?? ''
  const { items } = (await here.admin.call('get', `${site.api}/site-spaces`).expect(200)).body
  const { path } = items.find(({ space }: { space: { id: string } }) => space.id === other.space)
  const base = `${site.base}/${encodeURIComponent(path)}`
  assert.ok((await menu('/guides/deploy/kubernetes')).includes(`href="${base}/guides/deploy/kubernetes" lang="ja"`))
  assert.ok((await menu('/guides/deploy/docker')).includes(`href="${base}/guides/deploy" lang="ja"`))
  assert.match(await menu('/guides/deploy/docker'), /案内<small>日本語<\/small>/)
  const there = await site.get(`/${encodeURIComponent(path)}/guides/deploy`)
  assert.match(there.text, /<html lang="ja"/)
  assert.match(there.text, /デプロイ/)
})

test('front matter hides the parts of a page', async () => {
  const { text } = await site.get('/guides/bare')
  assert.match(text, /<h1 id="bare" dir="auto" class="vh">Bare<\/h1>/)
  assert.match(text, /<main id="ui~main" class="broad">/)
  assert.match(text, /<nav class="tree only-small"/)
  assert.match(text, /<div class="page-cover[^"]*"><img src="[^"]+\/~files\/[^"]+\/cover\.png"/)
  for (const absent of [/class="toc"/, /class="pager"/, /class="lead"/, /Last changed/])
    assert.not.match(text.replace(/<head>.*<\/head>/s, ''), absent)
})

test('a page without text lists its subpages', async () => {
  const { text } = await site.get('/guides/empty')
  assert.match(
    text,
    /<nav class="cards subpages wide".*<a href="[^"]+\/guides\/empty\/below">Below<\/a>.*A page below\./s,
  )
})

test('a merged change shows the author who wrote it', async () => {
  const request = await desk.changeRequest('Better words')
  await desk.human(
    { 'guides/deploy/docker.md': '# Docker\n\nBetter text.\n' },
    { ref: `refs/heads/change-requests/${request.number}` },
  )
  await request.merge()
  const { text } = await site.get('/guides/deploy/docker')
  assert.match(text, /<\/time> by Ada Author/)
  assert.ok(text.includes((await desk.git('rev-parse', 'main')).slice(0, 7)), 'the commit of the merge')
})

test.run()

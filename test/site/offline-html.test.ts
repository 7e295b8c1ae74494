// Tests how the HTML of a page becomes HTML for a bundle, the names of its files, and its texts for the search.
import * as assert from 'uvu/assert'
import { addressFrom, FileNames } from '../../src/site/bundle/file-names.js'
import { offlineHtml, pathsIn } from '../../src/site/bundle/offline-html.js'
import { sectionsOf } from '../../src/site/bundle/search-data.js'
import { suite } from '../support/suite.js'

const test = suite('site: HTML of bundles')

const links: Record<string, string> = {
  '': 'index.html',
  '/guide#part': '../guide.html#part',
  '/~files/x/a&b.png': '../~files/a&b.png',
  '/gone': 'https://docs.example.org/gone',
}
const offline = (html: string): string => offlineHtml(html, (path) => links[path] ?? `?${path}`)

test('links point to files, and external addresses are unchanged', () => {
  for (const [html, expected] of [
    ['<a href="/~bundle">x</a>', '<a href="index.html">x</a>'],
    ['<a class="b" href="/~bundle/guide#part">x</a>', '<a class="b" href="../guide.html#part">x</a>'],
    ['<a href="/~bundle/gone">x</a>', '<a href="https://docs.example.org/gone">x</a>'],
    ['<a href="/~bundles/x">x</a>', '<a href="/~bundles/x">x</a>'],
    ['<a href="https://example.org/?a=1&#x26;b=2">x</a>', '<a href="https://example.org/?a=1&#x26;b=2">x</a>'],
    ['<img src="/~bundle/~files/x/a&#x26;b.png" alt="A">', '<img src="../~files/a&amp;b.png" alt="A">'],
    ['<img src="data:image/png;base64,AA" alt="">', '<img src="data:image/png;base64,AA" alt="">'],
    ['<code>&lt;a href="/~bundle/guide#part"></code>', '<code>&lt;a href="/~bundle/guide#part"></code>'],
    ['<use href="#i-x"/><input disabled>', '<use href="#i-x"/><input disabled>'],
  ] as const)
    assert.is(offline(html), expected)
})

test('nothing is loaded from another host', () => {
  for (const [html, expected] of [
    ['<img src="https://a.example/x.png" alt="A &lt;b>">', '<a href="https://a.example/x.png">A &lt;b&gt;</a>'],
    ['<img src="//a.example/x.png" alt="">', ''],
    [
      '<a href="https://a.example/x.png"><img src="https://a.example/x.png" alt=""></a>',
      '<a href="https://a.example/x.png">a.example</a>',
    ],
    [
      '<a href="/~bundle"></a><img src="https://a.example/x.png" alt="">',
      '<a href="index.html"></a><a href="https://a.example/x.png">a.example</a>',
    ],
    ['<img src="/~bundle/gone" alt="A">', '<a href="https://docs.example.org/gone">A</a>'],
    [
      '<video src="https://a.example/v.mp4" controls></video>',
      '<a href="https://a.example/v.mp4">a.example</a><video controls hidden></video>',
    ],
    [
      '<audio src="https://a.example/v.mp3"></audio>',
      '<a href="https://a.example/v.mp3">a.example</a><audio hidden></audio>',
    ],
    ['<source src="https://a.example/v.mp4">', ''],
    ['<iframe src="https://a.example/"></iframe>', '</iframe>'],
    ['<link rel="icon" href="https://a.example/i.png">', ''],
    [
      '<link rel="canonical" href="https://docs.example.org/guide">',
      '<link rel="canonical" href="https://docs.example.org/guide">',
    ],
    ['<script src="https://a.example/s.js"></script>', '</script>'],
    [
      '<img src="/~bundle/~files/x/a&#x26;b.png" srcset="https://a.example/2x.png 2x" alt="">',
      '<img src="../~files/a&amp;b.png" alt="">',
    ],
    [
      '<a class="poster" href="https://v.example/1" data-frame="https://f.example/1">V</a>',
      '<a class="poster" href="https://v.example/1">V</a>',
    ],
    ['<form action="/~bundle/~search"><input name="q"></form>', '<form><input name="q"></form>'],
    ['<IMG SRC="https://a.example/x.png" ALT="A">', '<a href="https://a.example/x.png">A</a>'],
  ] as const)
    assert.is(offline(html), expected)
  assert.equal(
    [...pathsIn('<a href="/~bundle/a?b#c"><img src="/~bundle/~files/x/y"></a><b>"/~bundle/no"</b>')],
    ['/a?b#c', '/~files/x/y'],
  )
})

test('long and hostile HTML takes linear time', () => {
  for (const part of ['<a ', '<a href="', '<a a=', '<', '<a b c d e f ', '&#', "<a href='x' "]) {
    const html = part.repeat(200_000)
    assert.type(offline(html), 'string')
    assert.ok(sectionsOf(html).length > 0)
  }
})

test('file file names are valid on every system and differ by more than case', () => {
  const names = new FileNames()
  assert.is(names.page(''), 'index.html')
  assert.is(names.page('/index'), 'index-2.html')
  assert.is(names.page('/Guide'), 'Guide.html')
  assert.is(names.page('/guide'), 'guide-2.html')
  assert.is(names.page('/guide/a%3Fb%3A%22c%22'), 'guide/a-b--c-.html')
  assert.is(names.page('/con/aux.txt'), '_con/_aux.txt.html')
  assert.is(names.page('/~files/x'), '-files/x.html')
  assert.is(names.page('/%E6%97%A5%E6%9C%AC'), '日本.html')
  assert.is(names.page(`/${'deep/'.repeat(60)}end`).length <= 160, true)
  assert.is(names.page(`/${'x'.repeat(300)}`), `${'x'.repeat(60)}.html`)
  assert.is(names.file('a.png'), '~files/a.png')
  assert.is(names.file('A.png'), '~files/A-2.png')
  assert.is(names.file('..'), '~files/_')
  assert.is(addressFrom('index.html', 'guide/a b.html'), 'guide/a%20b.html')
  assert.is(addressFrom('guide/x/y.html', '~assets/a.js'), '../../~assets/a.js')
})

test('the search index has the text of each section, without buttons and icons', () => {
  const html =
    '<p>One &#x26; <b>bo</b>ld<br>two.</p><h2 id="a&#x26;b">First <a class="anchor" href="#a"></a><code>x</code></h2>' +
    '<div class="code-block"><button>Copy</button><pre><code>npm i</code></pre></div><svg><title>no</title></svg>' +
    '<h3>Without an ID</h3><p>End.</p><!-- no -->'
  assert.equal(sectionsOf(html), [
    ['', '', 'One & bold two.'],
    ['First x', 'a&b', 'npm i Without an ID End.'],
  ])
})

test('change notes are not part of the indexed text', () => {
  const html =
    '<h2 id="a">First</h2><details class="fold"><summary>Last changed Nov 1</summary><ul><li>Ada</li></ul></details>' +
    '<p class="ch">Text.</p><details class="rec old" name="rec"><summary><time>Nov 1</time> Ada</summary></details>' +
    '<details class="more"><summary>More</summary><p>Closed.</p></details>'
  assert.equal(sectionsOf(html).slice(1), [['First', 'a', 'Text. More Closed.']])
})

test.run()
